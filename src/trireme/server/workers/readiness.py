"""Which games' usual opponents are ready to play, and how far the compiler is with the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from trireme.core.jit import expected_compilations

from .pool import WorkerPool
from .tasks import WarmUp


@dataclass(frozen=True)
class CompileProgress:
    """How far the kernels of one game are compiled."""

    game: str
    compiled: int
    expected: int
    """About as many as will be compiled."""
    agents: tuple[str, ...]
    """Specs of the opponents that are not ready yet."""


class Readiness:
    """Counts compiled kernels, until a worker has prepared the usual opponents of a game.

    Where all kernels come from the disk there is nothing to wait for, and nothing to report.
    """

    def __init__(self, workers: WorkerPool) -> None:
        self._workers = workers
        self._awaited: dict[str, set[str]] = {}
        """By game: specs that no worker has prepared yet."""
        self._compiled: Counter[str] = Counter()

    def expect(self, warm: Iterable[WarmUp]) -> None:
        """These agents are being prepared."""
        for task in warm:
            self._awaited.setdefault(task.game, set()).add(task.spec)

    def count(self, game: str) -> None:
        """One more kernel of the game is compiled."""
        self._compiled[game] += 1

    def progress(self) -> list[CompileProgress]:
        """The games that are not ready; empty as long as nothing had to be compiled."""
        for game, specs in self._awaited.items():
            specs -= {spec for spec in specs if self._workers.has_prepared(game, spec)}
        if not self._compiled:
            return []
        return [
            CompileProgress(
                game, self._compiled[game], expected_compilations(game), tuple(sorted(specs))
            )
            for game, specs in self._awaited.items()
            if specs
        ]
