"""A view as a grid of cells, for the browser's generic page and the generic encoder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .game import AnyGame
from .registry import find, load


@dataclass(frozen=True)
class Cell:
    """One cell of a board."""

    piece: int | None = None
    """The seat whose piece lies here; drawn as a disc in that seat's colour."""
    symbol: str = ""
    """A letter, number or sign in the cell, on top of the piece if there is one."""
    marked: bool = False
    """Whether the cell stands out, as the last move or a winning line."""
    label: str = ""
    """What a screen reader says of the cell's content, such as `red`."""


EMPTY = Cell()


@dataclass(frozen=True)
class CellBoard:
    """A grid of cells, row 0 at the top, and where on it actions are made."""

    cells: tuple[tuple[Cell, ...], ...]
    """By row and column; all rows have the same length."""
    actions: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """The cells `(row, col)` that a player clicks for an action, by the action's text: one cell,
    or a whole column. Every action of the game in every position, legal or not, always in one
    order; those that have no place on the board are left out, and get a button."""
    row_labels: tuple[str, ...] = ()
    """Names of the rows from the top, beside the board; none where rows have no names."""
    col_labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.cells or not self.cols or any(len(row) != self.cols for row in self.cells):
            raise ValueError("a board has one row or more, all of the same length")
        rows, cols = self.rows, self.cols
        for labels, count in ((self.row_labels, rows), (self.col_labels, cols)):
            if labels and len(labels) != count:
                raise ValueError(f"expected {count} labels, not {labels!r}")
        for action, places in self.actions.items():
            if not all(0 <= row < rows and 0 <= col < cols for row, col in places):
                raise ValueError(f"action {action!r} lies outside the board: {places!r}")

    @property
    def rows(self) -> int:
        return len(self.cells)

    @property
    def cols(self) -> int:
        return len(self.cells[0])


def draw_board(game: AnyGame, view: Any) -> CellBoard | None:
    """The view on a board, where the game has one."""
    place = find(game.name).board
    if place is None:
        return None
    made: CellBoard = load(place)(game, view)
    return made
