"""What all agents of Battleship share: from a view, or an environment's observation, to a shot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.batch import words
from trireme.battleship.belief.determinization import Shot
from trireme.battleship.board import Board
from trireme.battleship.notation import Shots
from trireme.battleship.rules import Action, Battleship, View
from trireme.core.game import AnyGame, Turn

from .watch import Watch

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Sight:
    """All that a gunner may know when it fires."""

    board: Board
    shots: tuple[Shot, ...]
    uniform: bool = False
    """Whether the fleet was drawn with all fleets alike."""
    salvo: int = 1
    """How many cells to fire at."""
    seconds: float | None = None
    """The time budget, where there is one."""

    @property
    def open(self) -> NDArray[np.bool_]:
        """bool[rows × cols]: the cells not yet shot at."""
        cells = np.ones(self.board.rows * self.board.cols, np.bool_)
        cells[[row * self.board.cols + col for row, col in (s.cell for s in self.shots)]] = False
        return cells

    @property
    def fired(self) -> NDArray[np.uint64]:
        """uint64[3]: the mask of the cells shot at."""
        return np.array(words(sum(self.board.bit(s.cell) for s in self.shots)), np.uint64)


def sight_of(turn: Turn[Action, View]) -> Sight:
    """What a turn shows of the sea that its seat fires at."""
    game: Battleship = turn.game  # type: ignore[assignment]
    return Sight(
        game.target(turn.seat),
        turn.view.target.shots,
        game.placement == "uniform",
        game.salvo_size(turn.view),
        turn.seconds,
    )


class Gunner(ABC):
    """An agent that fires by its own lights, and places its fleet, in a duel, as nature would.

    In an arena it is asked through `act`. Users of the Gymnasium environment call
    `select_action(observation)`, and `reset()` before every episode.
    """

    name: ClassVar[str]

    @abstractmethod
    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        """The cells to fire at, `row * cols + col`, as many as `sight.salvo`."""

    def act(self, turn: Turn[Action, View]) -> Action:
        if turn.view.stage == "placing":
            return turn.legal.sample(turn.rng)
        sight = sight_of(turn)
        cells = self.aim(sight, turn.rng)
        return Shots(tuple(divmod(int(cell), sight.board.cols) for cell in cells))

    def prepare(self, game: AnyGame) -> None:
        """Compile kernels and load tables for `game`, and remember its rules for observations."""
        if isinstance(game, Battleship):
            self._game = game
            for board in game.boards:
                self.rehearse(Sight(board, (), game.placement == "uniform"))

    def rehearse(self, sight: Sight) -> None:
        """Run once through all code that `aim` may need on this board."""
        self.aim(sight, np.random.default_rng(0))

    def select_action(self, observation: Mapping[str, Any]) -> int:
        """The cell to fire at, given what the Gymnasium environment shows."""
        watch = self._watching()
        shots = watch.update(observation)
        game = watch.game
        sight = Sight(game.boards[0], shots, game.placement == "uniform")
        return int(self.aim(sight, watch.rng)[0])

    def reset(self, seed: int | None = None) -> None:
        """Forget the last episode; with `seed`, start random choices anew."""
        game = getattr(self, "_game", None)
        rng = np.random.default_rng(0 if seed is None else seed)
        if seed is None and hasattr(self, "_watch"):
            rng = self._watching().rng
        self._watch = Watch(game, rng)

    def _watching(self) -> Watch:
        if not hasattr(self, "_watch"):
            self.reset()
        return self._watch


def best(scores: Floats, sight: Sight, rng: Generator | None) -> list[int]:
    """The open cells with the highest scores; ties go top left first, or at random with `rng`."""
    scored = np.where(sight.open, scores, -np.inf)
    if sight.salvo == 1 and rng is None:
        return [int(scored.argmax())]
    if rng is None:
        return [int(c) for c in np.argsort(-scored, kind="stable")[: sight.salvo]]
    chosen: list[int] = []
    for _ in range(sight.salvo):
        top = np.flatnonzero(scored >= scored.max() - 1e-12)
        chosen.append(int(top[rng.integers(len(top))]))
        scored[chosen[-1]] = -np.inf
    return chosen
