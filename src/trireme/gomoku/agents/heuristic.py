"""The heuristic agent: a pattern score for every point, without search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.gomoku.encode import board_array
from trireme.gomoku.engine.pattern_kernels import score_points
from trireme.gomoku.engine.patterns import line_shapes
from trireme.gomoku.rules import Action, Gomoku, GomokuState, Point
from trireme.gomoku.swap2 import opening_action

OWN = np.array((0, 1, 2, 6, 30, 35, 250, 300, 10_000, 1_000_000), np.int32)
"""The score of a stone by the shape that it makes: nothing, one, open one, two, open two, three,
open three, four, open four, five."""
AGAINST = np.array((0, 1, 2, 5, 25, 30, 200, 220, 4_000, 100_000), np.int32)
"""Its score by the shape of the other side's that it prevents."""


@dataclass(frozen=True)
class Heuristic:
    """Takes a five, blocks a four, else the point with the best shapes for and against."""

    epsilon: float = option(0.0, "chance of a random move instead, from 0 to 1")

    name: ClassVar[str] = "heuristic"

    def prepare(self, game: AnyGame) -> None:
        if isinstance(game, Gomoku):
            scores_of(np.zeros((game.size, game.size), np.int8), 1, game.rule == "standard")

    def act(self, turn: Turn[Action, GomokuState]) -> Action:
        game, view = turn.game, turn.view
        assert isinstance(game, Gomoku)
        if self.epsilon and turn.rng.random() < self.epsilon:
            return turn.legal.sample(turn.rng)
        if opening := opening_action(game, view, turn.rng, lambda: self._lead(game, view)):
            return opening
        board = board_array(game, view)
        return best_point(scores_of(board, view.colour, game.rule == "standard"), turn.rng)

    def _lead(self, game: Gomoku, view: GomokuState) -> float:
        """How much better white's best point is than black's would be."""
        board, exact = board_array(game, view), game.rule == "standard"
        return float(scores_of(board, -1, exact).max() - scores_of(board, 1, exact).max() + 20)


def scores_of(board: NDArray[np.int8], colour: int, exact: bool) -> NDArray[np.int32]:
    """The score of every point of `board: int8[n, n]` for the side to move; taken ones lowest."""
    scores = np.empty(board.shape, np.int32)
    score_points(board, colour, line_shapes(exact)[0], OWN, AGAINST, scores)
    return scores


def best_point(scores: NDArray[np.int32], rng: Generator) -> Point:
    """The highest score; of equals the nearest to the centre, of those one at random."""
    best = np.argwhere(scores == scores.max())
    distance = np.abs(2 * best - (len(scores) - 1)).max(axis=1)
    nearest = best[distance == distance.min()]
    row, col = nearest[int(rng.integers(len(nearest)))]
    return int(row), int(col)
