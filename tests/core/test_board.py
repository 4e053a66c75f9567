"""Boards of cells: their shape is checked where they are made."""

from typing import Any

import pytest

from trireme import make_game
from trireme.core.board import EMPTY, CellBoard, draw_board


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cells": ()}, "one row or more"),
        ({"cells": ((),)}, "one row or more"),
        ({"cells": ((EMPTY,), (EMPTY, EMPTY))}, "same length"),
        ({"row_labels": ("1",)}, "expected 2 labels"),
        ({"col_labels": ("a", "b")}, "expected 3 labels"),
        ({"actions": {"x": ((2, 0),)}}, "action 'x' lies outside"),
        ({"actions": {"x": ((0, 3),)}}, "action 'x' lies outside"),
        ({"actions": {"x": ((-1, 0),)}}, "action 'x' lies outside"),
        ({"actions": {"x": ((0, -1),)}}, "action 'x' lies outside"),
        ({"actions": {"x": ((0, 0), (2, 0))}}, "action 'x' lies outside"),
    ],
)
def test_a_board_that_does_not_fit_together_is_refused(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        CellBoard(**{"cells": ((EMPTY,) * 3,) * 2, **fields})


def test_every_cell_is_on_the_board_even_where_it_has_one_row() -> None:
    for rows in (1, 2):
        corners = ((0, 0), (rows - 1, 2))
        board = CellBoard(((EMPTY,) * 3,) * rows, {"x": corners})
        assert (board.rows, board.cols) == (rows, 3)


def test_a_game_without_a_board_has_none() -> None:
    game = make_game("gomoku")
    assert draw_board(game, game.start()) is None
