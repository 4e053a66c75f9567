"""Probability density: count the placements over every cell, and fire where they are most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from trireme.battleship.batch import words
from trireme.battleship.belief.density_kernels import density
from trireme.battleship.belief.determinization import sunk_cells
from trireme.battleship.belief.posterior import places_of
from trireme.battleship.board import neighbourhood
from trireme.core.options import option

from .gunner import Floats, Gunner, Sight, best

Ties = Literal["first", "random"]
_MOST = 200


@dataclass
class Density(Gunner):
    """Counts every placement of the ships afloat; those over hits count a hundredfold."""

    name: ClassVar[str] = "density"

    ties: Ties = option("first", "among equal cells, fire at the first from the top left or any")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        return best(densities(sight), sight, rng if self.ties == "random" else None)


def densities(sight: Sight) -> Floats:
    """The published density: a placement over n open hits counts 100 n, over none 1."""
    worth = np.array([1.0, *(100.0 * n for n in range(1, _MOST))])
    return counted(sight, worth, apart=False)


def counted(sight: Sight, worth: Floats, *, apart: bool) -> Floats:
    """The worth of all placements over every cell; `density_kernels.density` says of what."""
    board = sight.board
    sunk = sunk_cells(board, sight.shots)
    blocked, hits = 0, 0
    for shot in sight.shots:
        if shot.result in ("hit", "sunk") and shot.cell not in sunk:
            hits |= board.bit(shot.cell)
        else:
            blocked |= board.bit(shot.cell)
    if apart and not board.touching:
        for cell in sunk:
            for near in neighbourhood(cell, board.rows, board.cols):
                blocked |= board.bit(near)
    gone = {shot.ship for shot in sight.shots}
    places = places_of(board)
    afloat = np.array([name not in gone for name in board.names])
    if len(places.kinds) > len(afloat):
        afloat = np.concatenate([[False], afloat])
    cells = np.zeros(192)
    density(
        places,
        afloat,
        np.array(words(blocked), np.uint64),
        np.array(words(hits), np.uint64),
        worth,
        apart,
        cells,
    )
    return cells[: board.rows * board.cols]
