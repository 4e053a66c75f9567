"""Probability density: the placements over every cell, counted for each ship on its own.

Shapes: S ships, K different sizes, P placements at most, N cells; masks of cells are uint64[3].
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .bitset_kernels import ZERO, popcount
from .evidence_kernels import PlacementTables
from .exact_kernels import add_weight

U = np.uint64


@njit
def density(
    tables: PlacementTables, afloat: Any, blocked: Any, hits: Any, weights: Any,
    exclude_impossible: bool, cells: Any,
) -> None:  # fmt: skip
    """Add up, for every cell, the weights of all placements of ships afloat over it.

    `afloat` bool[S]; `blocked` uint64[3]: cells where no ship afloat lies; `hits` uint64[3]: hits
    on ships afloat; `weights` float64[n]: of a placement by how many hits it covers.
    `exclude_impossible`: leave out placements that touch a hit which they don't cover, or are
    wholly hit. Out: `cells` float64[192].
    """
    masks, closed = tables.masks, tables.closed
    cells[:] = 0.0
    for s in range(U(len(tables.kinds))):
        k = tables.kinds[s]
        for p in range(tables.counts[k] if afloat[s] else ZERO):
            away = beside = ZERO
            covered = size = 0
            for w in range(U(3)):
                mask = masks[k, p, w]
                away |= mask & blocked[w]
                beside |= closed[k, p, w] & hits[w] & ~mask
                covered += popcount(mask & hits[w])
                size += popcount(mask)
            if away or (exclude_impossible and (beside or covered == size)):
                continue
            for w in range(U(3)):
                add_weight(w, masks[k, p, w], weights[covered], cells)
