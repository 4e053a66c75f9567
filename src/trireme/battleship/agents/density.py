"""Probability density: count the placements over every cell, and fire where there are most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.random import Generator

from trireme.battleship.batch import words
from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.belief.density_kernels import density
from trireme.battleship.belief.posterior import placement_tables
from trireme.battleship.board import neighbourhood
from trireme.core.options import option

from .shooting_agent import Floats, ShootingAgent, TargetView, top_cells

Ties = Literal["first", "random"]
_MOST_HITS = 200


@dataclass
class Density(ShootingAgent):
    """Counts every placement of the ships afloat; those over hits count a hundredfold."""

    name: ClassVar[str] = "density"

    ties: Ties = option(
        "first", "which of equal cells to fire at: the first from the top left, or a random one"
    )

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        scores = hit_weighted_density(target)
        return top_cells(scores, target, rng if self.ties == "random" else None)


def hit_weighted_density(target: TargetView) -> Floats:
    """The published density: a placement over n open hits counts 100 n, over none 1."""
    weights = np.array([1.0, *(100.0 * n for n in range(1, _MOST_HITS))])
    return placement_density(target, weights, exclude_impossible=False)


def placement_density(target: TargetView, weights: Floats, *, exclude_impossible: bool) -> Floats:
    """float64[rows × cols]: the summed weight of the placements over each cell.

    `weights` float64[n] are by the open hits that a placement covers; see `density_kernels`.
    """
    board = target.board
    sunk = sunk_cells(board, target.shots)
    blocked, hits = 0, 0
    for shot in target.shots:
        if shot.result in ("hit", "sunk") and shot.cell not in sunk:
            hits |= board.bit(shot.cell)
        else:
            blocked |= board.bit(shot.cell)
    if exclude_impossible and not board.touching:
        for cell in sunk:
            for near in neighbourhood(cell, board.rows, board.cols):
                blocked |= board.bit(near)
    tables = placement_tables(board)
    afloat = np.array([name in target.afloat for name in board.names])
    if len(tables.kinds) > len(afloat):
        afloat = np.concatenate([[False], afloat])
    cells = np.zeros(192)
    density(
        tables,
        afloat,
        np.array(words(blocked), np.uint64),
        np.array(words(hits), np.uint64),
        weights,
        exclude_impossible,
        cells,
    )
    return cells[: board.rows * board.cols]
