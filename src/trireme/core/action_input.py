"""Action coercion: text, cell indices and `(row, col)` pairs as the game's own actions."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from operator import index
from typing import Any

import numpy as np

from .errors import BadText, IllegalAction, TriremeError
from .game import Actions, AnyGame, Seat
from .stop_signals import is_stop

_INTEGERS = (int, np.integer)
_PAIRS = (tuple, list, np.ndarray)


def as_action(
    game: AnyGame,
    seat: Seat,
    legal: Callable[[], Actions[Any]],
    view: Callable[[], Any],
    value: Any,
) -> Any:
    """The action that `value` stands for: one of the game's own, its text, or what
    `game.convert` knows, such as the index of a cell.

    What stands for nothing comes back as it is: the check that follows says what is wrong with it.
    """
    try:
        if isinstance(value, str):
            return value if value in legal() else game.read(str.__str__(value))
        if isinstance(value, bool) or not isinstance(value, (*_INTEGERS, *_PAIRS)):
            return value
        if isinstance(value, _INTEGERS) and index(value) in legal():
            return index(value)
        found = game.convert(value, seat)
        return _clicked(game, legal, view, value) if found is None else found
    except BaseException as error:  # the value's methods may be the agent's own
        if is_stop(error):
            raise
        return value


def cell_of(value: object, rows: int, cols: int) -> tuple[int, int] | None:
    """The cell that an index (row × cols + column) or a pair `(row, col)` names; None for others.

    >>> cell_of(17, 15, 15), cell_of([1, 2], 15, 15), cell_of("b2", 15, 15)
    ((1, 2), (1, 2), None)
    """
    if isinstance(value, _INTEGERS) and not isinstance(value, bool):
        if not 0 <= value < rows * cols:
            raise IllegalAction(f"expected an index from 0 to {rows * cols - 1}, not {value}")
        return divmod(int(value), cols)
    if isinstance(value, _PAIRS) and len(value) == 2:
        with suppress(TypeError):
            return index(value[0]), index(value[1])
    return None


def why_unread(game: AnyGame, seat: Seat, value: Any) -> str | None:
    """Why text or an index stands for no action of the game; None where that is not the reason."""
    try:
        if isinstance(value, str):
            game.read(str.__str__(value))
        elif isinstance(value, _INTEGERS) and not isinstance(value, bool):
            game.convert(value, seat)
    except (BadText, IllegalAction) as error:
        return str(error)
    except BaseException as error:
        if is_stop(error):
            raise
    return None


def _clicked(
    game: AnyGame, legal: Callable[[], Actions[Any]], view: Callable[[], Any], value: Any
) -> Any:
    """The one legal action that is made by a click on the cell `(row, col)` of the game's board;
    `value` itself where there is no board, none or several."""
    from .board import draw_board

    if isinstance(value, _INTEGERS) or len(value) != 2:
        return value
    try:
        board = draw_board(game, view())
    except TriremeError:  # a game that is not registered
        return value
    cell = None if board is None else cell_of(value, board.rows, board.cols)
    if board is None or cell is None:
        return value
    actions = [game.read(text) for text, places in board.actions.items() if cell in places]
    open_ = [action for action in actions if action in legal()]
    return open_[0] if len(open_) == 1 else value
