"""Connect Four.

Two players, red (seat 0, who begins) and yellow (seat 1), take turns to drop a disc of their
colour into a column of an upright grid, where it falls to the lowest free cell. Whoever first has
`connect` or more discs in an unbroken line, horizontal, vertical or diagonal, wins. A full grid
without such a line is a draw. Columns are written `a`, `b`, … from the left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from trireme import BadSettings, BadText, Game, IllegalAction, Listed, Seat, option

DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four kinds of lines, as steps (rows up, columns right)."""


@dataclass(frozen=True)
class State:
    """A position."""

    columns: tuple[str, ...]
    """The seats of the discs in every column, from the bottom: `"01"` is yellow on red."""
    turn: Seat = 0
    last: int | None = None
    """The column of the last disc."""
    winner: Seat | None = None


@dataclass(frozen=True)
class ConnectFour(Game[State, int, State]):
    """The rules; an action is the number of a column, from 0."""

    name: ClassVar[str] = "connect_four"
    undoable: ClassVar[bool] = True

    rows: int = option(6, "rows of the grid; more make longer games")
    cols: int = option(7, "columns of the grid; more give more choices")
    connect: int = option(4, "discs in a line that win; more make winning harder")

    def __post_init__(self) -> None:
        for name, least, most in (("rows", 1, 20), ("cols", 1, 20), ("connect", 2, 20)):
            value = getattr(self, name)
            if not least <= value <= most:
                raise BadSettings(f"{name} must be from {least} to {most}, not {value}")
        if self.connect > max(self.rows, self.cols):
            raise BadSettings(
                f"nobody can connect {self.connect} on {self.rows} rows and {self.cols} columns"
            )

    @property
    def seats(self) -> int:
        return 2

    def start(self) -> State:
        return State(("",) * self.cols)

    def to_move(self, state: State) -> tuple[Seat, ...]:
        full = all(len(column) == self.rows for column in state.columns)
        return () if full or state.winner is not None else (state.turn,)

    def legal(self, state: State, seat: Seat) -> Listed[int]:
        return Listed(c for c, column in enumerate(state.columns) if len(column) < self.rows)

    def check(self, state: State, seat: Seat, action: int) -> None:
        if seat not in self.to_move(state):
            raise IllegalAction(f"it is not the turn of seat {seat}")
        if not isinstance(action, int) or not 0 <= action < self.cols:
            raise IllegalAction(f"there is no column {action!r} of {self.cols}")
        if len(state.columns[action]) == self.rows:
            raise IllegalAction(f"column {self.write(action)} is full")

    def apply(self, state: State, actions: Mapping[Seat, int]) -> State:
        ((seat, col),) = actions.items()
        columns = list(state.columns)
        columns[col] += str(seat)
        dropped = State(tuple(columns), 1 - seat, col)
        won = any(self._lines(dropped, col))
        return State(dropped.columns, 1 - seat, col, seat if won else None)

    def view(self, state: State, seat: Seat | None) -> State:
        return state

    def returns(self, state: State) -> tuple[float, ...]:
        if state.winner is None:
            return (0.0, 0.0)
        return (1.0, -1.0) if state.winner == 0 else (-1.0, 1.0)

    def write(self, action: int) -> str:
        return chr(ord("a") + action)

    def read(self, text: str) -> int:
        word = text.strip().lower()
        if len(word) == 1 and "a" <= word < chr(ord("a") + self.cols):
            return ord(word) - ord("a")
        if word.isascii() and word.isdecimal() and 1 <= int(word[:4]) <= self.cols:
            return int(word[:4]) - 1
        last = self.write(self.cols - 1)
        raise BadText(f"expected a column, a to {last} or 1 to {self.cols}, not {text!r}")

    def winning_cells(self, state: State) -> frozenset[tuple[int, int]]:
        """The cells (row from the bottom, column) of the lines that won; none before the end."""
        if state.winner is None or state.last is None:
            return frozenset()
        return frozenset(cell for line in self._lines(state, state.last) for cell in line)

    def _lines(self, state: State, col: int) -> Iterator[list[tuple[int, int]]]:
        """Lines that are long enough through the topmost disc of a column."""
        row = len(state.columns[col]) - 1
        for up, right in DIRECTIONS:
            line = [(row, col)]
            for sign in (1, -1):
                line.extend(self._run(state, (row, col), (sign * up, sign * right)))
            if len(line) >= self.connect:
                yield line

    def _run(
        self, state: State, cell: tuple[int, int], step: tuple[int, int]
    ) -> Iterator[tuple[int, int]]:
        """Cells after `cell` in one direction, as long as they hold discs of its colour."""
        row, col = cell
        seat = state.columns[col][row]
        while True:
            row, col = row + step[0], col + step[1]
            if row < 0 or not 0 <= col < self.cols:
                return
            if state.columns[col][row : row + 1] != seat:
                return
            yield row, col
