"""Battleship's observation as planes: what the answers say, one 0 or 1 for each cell and fact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .battleship_setup import CHOSEN_CELL, BattleshipSetup


def planes_of_board(
    setup: BattleshipSetup,
    board: NDArray[np.int8],
    sunk: NDArray[np.int8],
    afloat: Sequence[int],
) -> NDArray[np.int8]:
    """int8, in the shape that the setup says: misses, hits, cells of sunk ships, unknown cells; for
    each ship all 1 while it is afloat; with salvos, the cells chosen.

    `board` int8[cells] holds 0 unknown, 1 miss, 2 hit, 3 chosen; `sunk` int8[cells] is 1 on sunk
    ships; `afloat` numbers the ships afloat. These are the planes of `BattleshipEncoder.observe`.
    """
    planes = np.zeros((setup.planes, setup.cells), np.int8)
    planes[0] = board == 1
    planes[1] = board == 2
    planes[2] = sunk
    planes[3] = (board == 0) | (board == CHOSEN_CELL)
    planes[[4 + ship for ship in afloat]] = 1
    if setup.game.salvo:
        planes[-1] = board == CHOSEN_CELL
    return planes.reshape(setup.planes_shape)


def sunk_cells_at(hits: Sequence[bool], cell: int, size: int, rows: int, cols: int) -> range:
    """The cells that are sure to belong to a ship of `size` whose last hit was `cell`.

    `hits` bool[cells] include it. Where ships may touch, several placements can explain the hits;
    then only what they share is sure, as in `constraints.sunk_cells`.
    """
    row, col = divmod(cell, cols)
    across = _shared(hits, cell, col, cols - 1 - col, 1, size)
    down = _shared(hits, cell, row, rows - 1 - row, cols, size)
    if across and down:
        return range(cell, cell + 1)
    return across or down


def _shared(
    hits: Sequence[bool], cell: int, before: int, after: int, step: int, size: int
) -> range:
    """What all placements along one line share: an empty range where there is none.

    `before` and `after` count the cells of the line to either side, `step` apart.
    """
    low = high = 0
    while low < before and low < size - 1 and hits[cell - (low + 1) * step]:
        low += 1
    while high < after and high < size - 1 and hits[cell + (high + 1) * step]:
        high += 1
    slack = low + high + 1 - size  # how far a placement can be moved along the hits
    if slack < 0:
        return range(0)
    first, last = max(0, low - slack), max(0, high - slack)
    return range(cell - first * step, cell + last * step + 1, step)
