"""Hunt and target: the way most people play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from trireme.battleship.belief.determinization import sunk_cells
from trireme.battleship.board import Board, Cell

from .gunner import Gunner, Sight


@dataclass
class Hunt(Gunner):
    """Fires at random with parity until it hits, then at neighbours and along the line."""

    name: ClassVar[str] = "hunt"

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        board = sight.board
        fired = {shot.cell for shot in sight.shots}
        chosen: list[Cell] = []
        for _ in range(sight.salvo):
            cells = self._next(sight, fired | set(chosen))
            chosen.append(cells[int(rng.integers(len(cells)))])
        return [row * board.cols + col for row, col in chosen]

    def _next(self, sight: Sight, fired: set[Cell]) -> list[Cell]:
        """The cells that are equally good for the next shot."""
        board = sight.board
        hits = {shot.cell for shot in sight.shots if shot.result in ("hit", "sunk")}
        open_hits = hits - sunk_cells(board, sight.shots)
        for wanted in (_line_ends(open_hits), _neighbours(open_hits)):
            cells = sorted(cell for cell in wanted if board.holds(cell) and cell not in fired)
            if cells:
                return cells
        free = [cell for cell in board.cells() if cell not in fired]
        return [cell for cell in free if _parity(board, sight, cell)] or free


def _line_ends(hits: set[Cell]) -> set[Cell]:
    """The cells that continue a line of two hits or more."""
    ends = set()
    for row, col in hits:
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            if (row - down, col - right) in hits:
                ends.add((row + down, col + right))
    return ends - hits


def _neighbours(hits: set[Cell]) -> set[Cell]:
    return {
        (row + down, col + right)
        for row, col in hits
        for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0))
    }


def _parity(board: Board, sight: Sight, cell: Cell) -> bool:
    """Every ship afloat crosses one of these cells: one diagonal in as many as the smallest has."""
    sunk = {shot.ship for shot in sight.shots}
    afloat = [s for s, name in zip(board.sizes, board.names, strict=True) if name not in sunk]
    return sum(cell) % min(afloat, default=1) == 0
