"""The generic encoder: arrays and action numbers for games that have a board and no encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.core.board import CellBoard, draw_board
from trireme.core.errors import BadSettings
from trireme.core.game import AnyGame, Seat


@dataclass(frozen=True)
class BoardEncoder:
    """A board as planes of 0 and 1, `int8[seats + 2, rows, cols]`: the pieces of the observing
    seat, of the next seat and so on, the cells with a symbol, and all 1 when the seat is to move.

    Action `i` is the `i`-th of `CellBoard.actions`. Actions that have no place on the board have no
    number, so a position with none but those is left by a random legal action.
    """

    game: AnyGame

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The actions as text, by number."""
        return tuple(self._board(self.game.view(self.game.start(), None)).actions)

    @property
    def num_actions(self) -> int:
        return len(self.texts)

    def observe(self, view: Any, seat: Seat, chosen: Sequence[int] = ()) -> NDArray[np.int8]:
        board = self._board(view)
        planes = np.zeros((self.game.seats + 2, board.rows, board.cols), np.int8)
        for row, cells in enumerate(board.cells):
            for col, cell in enumerate(cells):
                if cell.piece is not None:
                    planes[(cell.piece - seat) % self.game.seats, row, col] = 1
                planes[-2, row, col] = bool(cell.symbol)
        planes[-1] = seat in self.game.to_move(self._state(view))
        return planes

    def choices(self, view: Any, seat: Seat) -> int:
        return int(self.allowed(view, seat).any())

    def allowed(self, view: Any, seat: Seat, chosen: Sequence[int] = ()) -> NDArray[np.int8]:
        """`int8[num_actions]`; what is legal is the same in every state that gives this view."""
        state = self._state(view)
        mask = np.zeros(self.num_actions, np.int8)
        if seat in self.game.to_move(state):
            legal = {self.game.write(action) for action in self.game.legal(state, seat)}
            mask[[number for number, text in enumerate(self.texts) if text in legal]] = 1
        return mask

    def decide(self, view: Any, seat: Seat, chosen: Sequence[int]) -> Any:
        return self.game.read(self.texts[chosen[0]])

    def _state(self, view: Any) -> Any:
        return self.game.determinize(view, np.random.default_rng(0))

    def _board(self, view: Any) -> CellBoard:
        board = draw_board(self.game, view)
        if board is None or not board.actions:
            raise BadSettings(
                f"{self.game.name} has no environment for learners: its SLICE names neither an "
                "encoder nor a board with actions"
            )
        return board
