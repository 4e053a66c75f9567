"""Placements counted: how often every cell lies under a ship, ship by ship on its own.

Shapes: S ships, K different sizes, P places at most, N cells; masks of cells are uint64[3].
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .bitset_kernels import ZERO, popcount
from .exact_kernels import give

U = np.uint64


@njit
def density(
    places: Any, afloat: Any, blocked: Any, hits: Any, worth: Any, apart: bool, cells: Any
) -> None:
    """Add up, for every cell, the worth of all places of ships afloat over it.

    `places` are `evidence_kernels.Places`; `afloat` bool[S]; `blocked` uint64[3]: cells where no
    ship afloat lies; `hits` uint64[3]: hits on ships afloat; `worth` float64[n]: of a place that
    covers so many of them. `apart`: leave out places that touch a hit which they don't cover, or
    are wholly hit. Out: `cells` float64[192].
    """
    masks, closed = places.masks, places.closed
    cells[:] = 0.0
    for s in range(U(len(places.kinds))):
        k = places.kinds[s]
        for p in range(places.counts[k] if afloat[s] else ZERO):
            away = beside = ZERO
            covered = size = 0
            for w in range(U(3)):
                mask = masks[k, p, w]
                away |= mask & blocked[w]
                beside |= closed[k, p, w] & hits[w] & ~mask
                covered += popcount(mask & hits[w])
                size += popcount(mask)
            if away or (apart and (beside or covered == size)):
                continue
            for w in range(U(3)):
                give(w, masks[k, p, w], worth[covered], cells)
