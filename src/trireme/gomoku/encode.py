"""Gomoku positions and moves as arrays, for networks and environments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Seat

from .rules import BLACK, WHITE, Action, Choice, Gomoku, GomokuState

CHOICES: tuple[Choice, ...] = ("black", "white", "more")


@dataclass(frozen=True)
class GomokuEncoder:
    """Positions as four planes, moves as flat points, seen by the side to move.

    The planes, `int8[4, n, n]` of 0 and 1: own stones, the opponent's stones, all 1 when black is
    to move, the last stone. Action `row * n + col` is a point; where swap2 is played, three more
    actions follow: take black, take white, put two more stones.
    """

    game: Gomoku

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of `planes`."""
        return (4, self.game.size, self.game.size)

    @property
    def num_actions(self) -> int:
        """How many actions there are, legal or not."""
        return self.game.size**2 + (len(CHOICES) if self.game.opening == "swap2" else 0)

    def planes(self, view: GomokuState) -> NDArray[np.int8]:
        """`view` as planes, from the side to move."""
        planes = np.zeros(self.shape, np.int8)
        for (row, col), colour in view.board().items():
            planes[0 if colour == view.colour else 1, row, col] = 1
        planes[2] = view.colour == BLACK
        if view.last is not None:
            planes[3][view.last] = 1
        return planes

    def index(self, action: Action) -> int:
        """The number of an action, from 0."""
        if isinstance(action, str):
            return self.game.size**2 + CHOICES.index(action)
        return action[0] * self.game.size + action[1]

    def action(self, index: int) -> Action:
        """The action with this number."""
        if not 0 <= index < self.num_actions:
            raise IndexError(f"expected an index from 0 to {self.num_actions - 1}, not {index}")
        if index >= self.game.size**2:
            return CHOICES[index - self.game.size**2]
        return divmod(int(index), self.game.size)

    def mask(self, view: GomokuState) -> NDArray[np.bool_]:
        """Which actions are legal in `view` for the seat to move: `bool[num_actions]`."""
        mask = np.zeros(self.num_actions, np.bool_)
        if choices := self.game.choosing(view):
            mask[[self.index(choice) for choice in choices]] = True
        elif self.game.to_move(view):
            mask[: self.game.size**2] = True
            mask[[self.index(point) for point in view.stones]] = False
        return mask

    def observe(
        self, view: GomokuState, seat: Seat, chosen: Sequence[int] = ()
    ) -> NDArray[np.int8]:
        """The planes with the own stones of `seat` first, whoever moves; until swap2 has
        decided the colours, those of the next stone's colour."""
        planes = self.planes(view)
        decided = self.game.opening != "swap2" or view.black_seat() is not None
        if decided and self.game.seat_of(view, view.colour) != seat:
            planes[[0, 1]] = planes[[1, 0]]
        return planes

    def choices(self, view: GomokuState, seat: Seat) -> int:
        """How many numbers make up an action: one."""
        return 1

    def allowed(
        self, view: GomokuState, seat: Seat, chosen: Sequence[int] = ()
    ) -> NDArray[np.int8]:
        """`int8[num_actions]`: the actions that `seat`, which is to move, may choose."""
        return self.mask(view).astype(np.int8)

    def decide(self, view: GomokuState, seat: Seat, chosen: Sequence[int]) -> Action:
        """The action that the chosen number means."""
        return self.action(chosen[0])


def encoder(game: AnyGame) -> GomokuEncoder:
    """The encoder of a game of Gomoku."""
    if not isinstance(game, Gomoku):
        raise TypeError(f"expected a Gomoku game, not {game!r}")
    return GomokuEncoder(game)


def board_array(game: Gomoku, view: GomokuState) -> NDArray[np.int8]:
    """The stones as `int8[n, n]`: 0 empty, 1 black, -1 white."""
    board = np.zeros((game.size, game.size), np.int8)
    for i, point in enumerate(view.stones):
        board[point] = BLACK if i % 2 == 0 else WHITE
    return board


def symmetric(array: NDArray[np.generic], symmetry: int) -> NDArray[np.generic]:
    """`array[..., n, n]` under one of the 8 symmetries of the board: turns, then mirrored turns."""
    turned = np.rot90(array, symmetry % 4, axes=(-2, -1))
    return turned if symmetry < 4 else turned[..., ::-1]
