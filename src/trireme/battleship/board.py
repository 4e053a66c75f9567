"""A board of Battleship: its cells, its ships by name, and all placements of a ship."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from trireme.core.errors import BadText

Cell = tuple[int, int]
"""(row, col), both from 0."""
Ends = tuple[Cell, Cell]
"""The first and the last cell of a ship, the first nearer to the top left."""

SMALLEST, LARGEST = 5, 12
"""The shortest and the longest side that a board may have."""

NAMES: dict[int, tuple[str, ...]] = {
    1: ("boat",),
    2: ("destroyer",),
    3: ("cruiser", "submarine"),
    4: ("battleship",),
    5: ("carrier",),
}
_CELL = re.compile(r"([a-l])\s*(\d{1,2})", re.IGNORECASE)
_PAIR = re.compile(r"(\d{1,2})(?:\s*,\s*|\s+)(\d{1,2})")


@dataclass(frozen=True)
class ShipPlacement:
    """One way that a ship can lie; masks have bit `row * cols + col` set."""

    ends: Ends
    mask: int
    """The ship's cells."""
    halo: int
    """The ship's cells and all that touch them."""
    chance: float
    """The prior probability: orientation, then position, drawn uniformly on an empty board."""


@dataclass(frozen=True)
class Board:
    """The size of a board, and the sizes of its ships, largest first."""

    rows: int
    cols: int
    sizes: tuple[int, ...]
    touching: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The ships' names, in the order of `sizes`."""
        return ship_names(self.sizes)

    def placements(self, size: int) -> tuple[ShipPlacement, ...]:
        """All placements of a ship of this size, horizontal ones first."""
        return placements(self.rows, self.cols, size)

    def closed(self, place: ShipPlacement) -> int:
        """The cells that a ship lying there takes from all others."""
        return place.mask if self.touching else place.halo

    def holds(self, cell: Cell) -> bool:
        return 0 <= cell[0] < self.rows and 0 <= cell[1] < self.cols

    def bit(self, cell: Cell) -> int:
        return 1 << cell[0] * self.cols + cell[1]

    def cells(self) -> tuple[Cell, ...]:
        """All cells, row by row."""
        return tuple((row, col) for row in range(self.rows) for col in range(self.cols))


@lru_cache(maxsize=256)
def standard_sizes(rows: int, cols: int) -> tuple[int, ...]:
    """The fleet of a board that names no other: it goes by the smaller side."""
    side = min(rows, cols)
    return (3, 2) if side < 8 else (3, 3, 2) if side < 10 else (5, 4, 3, 3, 2)


@lru_cache(maxsize=256)
def ship_names(sizes: tuple[int, ...]) -> tuple[str, ...]:
    """A name for every ship, no name twice.

    >>> ship_names((5, 3, 3, 3, 2))
    ('carrier', 'cruiser', 'submarine', 'cruiser 2', 'destroyer')
    """
    names: list[str] = []
    for index, size in enumerate(sizes):
        known = NAMES.get(size, (f"ship of {size}",))
        turn, which = divmod(sizes[:index].count(size), len(known))
        names.append(known[which] + (f" {turn + 1}" if turn else ""))
    return tuple(names)


def cells_between(ends: Ends) -> tuple[Cell, ...]:
    """The cells of a straight ship, first to last."""
    (row, col), (last_row, last_col) = ends
    if row == last_row:
        return tuple((row, c) for c in range(col, last_col + 1))
    return tuple((r, col) for r in range(row, last_row + 1))


def neighbourhood(cell: Cell, rows: int, cols: int) -> tuple[Cell, ...]:
    """The cell and the up to eight that touch it."""
    row, col = cell
    return tuple(
        (r, c)
        for r in range(max(0, row - 1), min(rows, row + 2))
        for c in range(max(0, col - 1), min(cols, col + 2))
    )


@lru_cache(maxsize=1024)
def placements(rows: int, cols: int, size: int) -> tuple[ShipPlacement, ...]:
    """All placements of a ship of `size` on an empty board, horizontal ones first."""
    across = [((r, c), (r, c + size - 1)) for r in range(rows) for c in range(cols - size + 1)]
    down = [((r, c), (r + size - 1, c)) for r in range(rows - size + 1) for c in range(cols)]
    if size == 1:
        down = []
    orientations = bool(across) + bool(down)
    return tuple(
        _placement(ends, rows, cols, 1 / (orientations * len(group)))
        for group in (across, down)
        for ends in group
    )


def _placement(ends: Ends, rows: int, cols: int, chance: float) -> ShipPlacement:
    cells = cells_between(ends)
    mask = sum(1 << row * cols + col for row, col in cells)
    near = {n for cell in cells for n in neighbourhood(cell, rows, cols)}
    halo = sum(1 << row * cols + col for row, col in near)
    return ShipPlacement(ends, mask, halo, chance)


def write_cell(cell: Cell) -> str:
    """The cell as row letter and column number: (1, 6) is `B7`."""
    return f"{chr(ord('A') + cell[0])}{cell[1] + 1}"


def read_cell(text: str) -> Cell:
    """The cell that `B7`, `b 7` or the 0-based `1 6` names."""
    if match := _CELL.fullmatch(text.strip()):
        row, col = ord(match[1].upper()) - ord("A"), int(match[2]) - 1
    elif match := _PAIR.fullmatch(text.strip()):
        row, col = int(match[1]), int(match[2])
    else:
        raise BadText(f"expected a cell such as B7 (row letter, column number), not {text!r}")
    if not (0 <= row < LARGEST and 0 <= col < LARGEST):
        raise BadText(f"no board has a cell {text!r}: rows are A to L, columns 1 to 12")
    return row, col
