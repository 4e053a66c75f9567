"""How long games take, so that a chunk of them is worth its journey."""

from __future__ import annotations

from collections.abc import Sequence

from trireme.arena.outcome import Played

CHUNK_SECONDS = 0.5
"""Work that travels to a worker at once."""


class Pace:
    """The mean time of a game, from those that have come back."""

    def __init__(self) -> None:
        self._games, self._seconds = 0, 0.0

    def add(self, done: Sequence[Played]) -> None:
        self._games += len(done)
        self._seconds += sum(sum(p.outcome.seconds) for p in done)

    def chunk(self, left: int, workers: int) -> int:
        """Fixtures to give now: about half a second of work, and at the end a fair share."""
        if not self._games:
            return 1
        mean = max(self._seconds / self._games, 1e-3)
        return max(1, min(int(CHUNK_SECONDS / mean), left // (2 * workers)))
