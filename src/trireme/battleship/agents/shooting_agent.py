"""The base of all Battleship agents: a shot policy behind views and Gymnasium observations."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.batch import words
from trireme.battleship.board import Board
from trireme.battleship.rules import Action, Battleship, BattleshipView
from trireme.battleship.shots import Salvo, Shot
from trireme.core.game import AnyGame, Turn

from .observation_history import ObservationHistory

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TargetView:
    """What an agent may know of the board it fires at: its information set."""

    board: Board
    shots: tuple[Shot, ...]
    uniform: bool = False
    """Whether the prior over fleets is uniform; else that of placing ship by ship."""
    salvo: int = 1
    """How many cells to fire at."""
    seconds: float | None = None
    """The time budget, where there is one."""

    @property
    def afloat(self) -> dict[str, int]:
        """The ships not yet sunk: names and sizes, largest first."""
        sunk = {shot.ship for shot in self.shots}
        ships = zip(self.board.names, self.board.sizes, strict=True)
        return {name: size for name, size in ships if name not in sunk}

    @property
    def open_mask(self) -> NDArray[np.bool_]:
        """bool[rows × cols]: the cells not yet shot at."""
        cells = np.ones(self.board.rows * self.board.cols, np.bool_)
        cells[[row * self.board.cols + col for row, col in (s.cell for s in self.shots)]] = False
        return cells

    @property
    def fired_bits(self) -> NDArray[np.uint64]:
        """uint64[3]: the mask of the cells shot at."""
        return np.array(words(sum(self.board.bit(s.cell) for s in self.shots)), np.uint64)


def target_view(turn: Turn[Action, BattleshipView]) -> TargetView:
    """What a turn shows of the board that its seat fires at."""
    game: Battleship = turn.game  # type: ignore[assignment]
    return TargetView(
        game.target(turn.seat),
        turn.view.target.shots,
        game.placement == "uniform",
        game.salvo_size(turn.view),
        turn.seconds,
    )


class ObservingAgent(ABC):
    """What lets an agent of Battleship play from Gymnasium observations.

    Users of the environment call `select_action(observation)` with every observation of an episode,
    and `reset()` before each; `prepare(game)` tells rules that observations do not show.
    """

    def prepare(self, game: AnyGame) -> None:
        """Remember the rules for reading observations."""
        if isinstance(game, Battleship):
            self.__dict__["_history"] = ObservationHistory(game, self._episode_history().rng)

    @abstractmethod
    def select_action(self, observation: Mapping[str, Any]) -> int:
        """The cell to fire at, `row * cols + col`, given what the Gymnasium environment shows."""

    def reset(self, seed: int | None = None) -> None:
        """Forget the last episode; with `seed`, reseed random choices."""
        history = self._episode_history()
        rng = history.rng if seed is None else np.random.default_rng(seed)
        self.__dict__["_history"] = ObservationHistory(history.given, rng)

    def _episode_history(self) -> ObservationHistory:
        history: ObservationHistory | None = self.__dict__.get("_history")
        if history is None:
            history = ObservationHistory(None, np.random.default_rng(0))
            self.__dict__["_history"] = history
        return history


class ShootingAgent(ObservingAgent):
    """A shot policy, `aim`, as an agent; in a duel it places its fleet as chance would.

    Matches call `act`, users of the Gymnasium environment `select_action`.
    """

    name: ClassVar[str]

    @abstractmethod
    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        """The cells to fire at, `row * cols + col`, as many as `target.salvo`."""

    def act(self, turn: Turn[Action, BattleshipView]) -> Action:
        if turn.view.stage == "placing":
            return turn.legal.sample(turn.rng)
        target = target_view(turn)
        cells = self.aim(target, turn.rng)
        return Salvo(tuple(divmod(int(cell), target.board.cols) for cell in cells))

    def prepare(self, game: AnyGame) -> None:
        """Compile kernels and load tables for `game`, and remember its rules for observations."""
        super().prepare(game)
        if isinstance(game, Battleship):
            for board in game.boards:
                self.warm_up(TargetView(board, (), game.placement == "uniform"))

    def warm_up(self, target: TargetView) -> None:
        """Run all code once that `aim` may need on this board, so that kernels are compiled."""
        self.aim(target, np.random.default_rng(0))

    def select_action(self, observation: Mapping[str, Any]) -> int:
        history = self._episode_history()
        shots = history.update(observation)
        game = history.game
        cols, chosen = game.boards[0].cols, history.chosen
        salvo = len(chosen) + 1  # one of so many cells is not chosen yet
        target = TargetView(game.boards[0], shots, game.placement == "uniform", salvo)
        cells = self.aim(target, history.rng)
        return next(int(cell) for cell in cells if divmod(int(cell), cols) not in chosen)


class TurnObservingAgent(ObservingAgent):
    """An agent of every game, which knows only `act`, playing from observations."""

    @abstractmethod
    def act(self, turn: Turn[Any, Any]) -> Any: ...

    def select_action(self, observation: Mapping[str, Any]) -> int:
        history = self._episode_history()
        history.update(observation)
        turn = history.turn()
        row, col = self.act(turn).cells[0]
        return int(row * history.game.cols + col)


def top_cells(scores: Floats, target: TargetView, rng: Generator | None) -> list[int]:
    """The open cells with the highest scores; ties go top left first, or at random with `rng`."""
    scored = np.where(target.open_mask, scores, -np.inf)
    if target.salvo == 1 and rng is None:
        return [int(scored.argmax())]
    if rng is None:
        return [int(c) for c in np.argsort(-scored, kind="stable")[: target.salvo]]
    chosen: list[int] = []
    for _ in range(target.salvo):
        top = np.flatnonzero(scored >= scored.max() - 1e-12)
        chosen.append(int(top[rng.integers(len(top))]))
        scored[chosen[-1]] = -np.inf
    return chosen
