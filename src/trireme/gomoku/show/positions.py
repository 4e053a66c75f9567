"""Which positions of Gomoku are alike: by their stones."""

from __future__ import annotations

from trireme.core.positions import MarkedBoard
from trireme.gomoku.rules import Gomoku, GomokuState


def marked_boards(game: Gomoku, view: GomokuState) -> list[MarkedBoard]:
    """The board with its stones."""
    stones = tuple((row, col, number % 2) for number, (row, col) in enumerate(view.stones))
    return [MarkedBoard(stones, colours=True)]
