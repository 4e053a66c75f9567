"""Connect Four positions as text and as a board of cells."""

from __future__ import annotations

from trireme.core.board import EMPTY, Cell, CellBoard
from trireme.core.game import AnyGame

from .rules import ConnectFour, State

NAMES = ("red", "yellow")
MARKS = ("X", "O")
_COLOURS = ("\x1b[31m", "\x1b[33m")
_PLAIN = "\x1b[0m"


def text(game: AnyGame, view: State, colour: bool = False) -> str:
    """The grid with `X` for red and `O` for yellow, and a line that says what is going on."""
    assert isinstance(game, ConnectFour)
    header = "  ".join(game.write(col) for col in range(game.cols))
    won = game.winning_cells(view)
    lines = [f" {header}"]
    for row in reversed(range(game.rows)):
        cells = [_mark(view, row, col, (row, col) in won, colour) for col in range(game.cols)]
        lines.append("".join(cells))
    return "\n".join([*lines, status(game, view)])


def status(game: ConnectFour, view: State) -> str:
    """One line: whose turn it is, or how the game ended."""
    if view.winner is not None:
        return f"{NAMES[view.winner]} wins"
    if not game.to_move(view):
        return "drawn: the grid is full"
    return f"{NAMES[view.turn]} ({MARKS[view.turn]}) to move"


def _mark(view: State, row: int, col: int, won: bool, colour: bool) -> str:
    disc = view.columns[col][row : row + 1]
    left, right = "()" if won else "  "
    mark = MARKS[int(disc)] if disc else "·"
    if colour and disc:
        mark = f"{_COLOURS[int(disc)]}{mark}{_PLAIN}"
    return f"{left}{mark}{right}"


def board(game: AnyGame, view: State) -> CellBoard:
    """The grid as cells; a disc is dropped by a click anywhere in its column."""
    assert isinstance(game, ConnectFour)
    rows, cols = range(game.rows), range(game.cols)
    names = tuple(game.write(col) for col in cols)
    return CellBoard(
        cells=tuple(tuple(_cell(game, view, row, col) for col in cols) for row in reversed(rows)),
        actions={names[col]: tuple((row, col) for row in rows) for col in cols},
        row_labels=tuple(str(row + 1) for row in reversed(rows)),
        col_labels=names,
    )


def _cell(game: ConnectFour, view: State, row: int, col: int) -> Cell:
    disc = view.columns[col][row : row + 1]
    if not disc:
        return EMPTY
    marks = game.winning_cells(view) or {(len(view.columns[view.last or 0]) - 1, view.last)}
    return Cell(piece=int(disc), marked=(row, col) in marks, label=NAMES[int(disc)])
