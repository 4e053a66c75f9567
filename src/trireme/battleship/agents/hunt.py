"""Hunt and target with parity: the way most people play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from numpy.random import Generator

from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.board import Cell

from .shooting_agent import ShootingAgent, TargetView


@dataclass
class Hunt(ShootingAgent):
    """Fires at random with parity until it hits, then at neighbours and along the line."""

    name: ClassVar[str] = "hunt"

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        board = target.board
        fired = {shot.cell for shot in target.shots}
        chosen: list[Cell] = []
        for _ in range(target.salvo):
            cells = self._next(target, fired | set(chosen))
            chosen.append(cells[int(rng.integers(len(cells)))])
        return [row * board.cols + col for row, col in chosen]

    def _next(self, target: TargetView, fired: set[Cell]) -> list[Cell]:
        """The cells that are equally good for the next shot."""
        board = target.board
        hits = {shot.cell for shot in target.shots if shot.result in ("hit", "sunk")}
        open_hits = hits - sunk_cells(board, target.shots)
        for wanted in (_line_ends(open_hits), _neighbours(open_hits)):
            cells = sorted(cell for cell in wanted if board.holds(cell) and cell not in fired)
            if cells:
                return cells
        free = [cell for cell in board.cells() if cell not in fired]
        smallest = min(target.afloat.values(), default=1)
        # parity: every ship afloat crosses one diagonal in as many as the smallest has cells
        return [cell for cell in free if sum(cell) % smallest == 0] or free


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
