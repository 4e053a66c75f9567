"""The evidence of a game's answers: the placements that they leave to each ship, as bitsets.

The likelihood of answers given a fleet is 1 or 0, so all that they do to a prior is to rule
placements out and to leave hits that some ship must explain.

Shapes: S ships in placing order, K different sizes, P placements at most, W words of 64 placements
(at least 3), N cells, H hits to explain (at most 60).
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

from .bitset_kernels import ONE, ZERO, add, count, has, list_bits, lowest, nth, popcount

U = np.uint64
MOST_HITS = 60
"""As many hits as the bits of an int64 can stand for."""


class PlacementTables(NamedTuple):
    """A board's placements and their prior, as `posterior.placement_tables` makes them."""

    kinds: Any
    """uint64[S]: which size each ship has, as an index below K."""
    masks: Any
    """uint64[K, P, 3]: the cells of a placement."""
    closed: Any
    """uint64[K, P, 3]: the cells that a ship lying there takes from all others."""
    counts: Any
    """uint64[K]: how many placements a size has."""
    compatible: Any
    """uint64[K, P, K, W]: the placements of another size that this one leaves free."""
    across: Any
    """uint64[K, W]: the horizontal placements."""
    chance: Any
    """float64[K, 2]: the prior probability of each vertical and each horizontal placement on an
    empty board; all 1 under a uniform prior."""
    weighted: Any
    """bool: whether the prior is that of placing ship by ship; else uniform over fleets."""


class Evidence(NamedTuple):
    """What the answers leave open; arrays that kernels fill in place."""

    options: Any
    """uint64[S, W]: the placements where each ship may lie."""
    covers: Any
    """int64[S, P]: which of the H hits a placement would explain, as bits."""
    covering: Any
    """uint64[S, W]: the options that explain any hit."""
    single: Any
    """uint64[60, W]: the options of the last ship that explain this hit and no other."""
    most_explained: Any
    """int64[S + 2]: how many hits the ships from this one on can explain at most."""
    twin: Any
    """bool[S]: this ship and the next have equal size and options, so their order is symmetric."""
    fixed: Any
    """bool[S]: the ship has one option, and is not enumerated."""
    fixed_at: Any
    """uint64[S]: the placement of a fixed ship."""
    order: Any
    """uint64[S]: the ships to enumerate, `walked` of them, then the last."""
    open_hits: Any
    """int64[1]: the hits that no fixed ship explains, as bits."""
    walked: Any
    """int64[1]: how many ships are enumerated."""
    contradiction: Any
    """int64[1]: 1 where the answers contradict each other."""


@njit
def read_answers(
    tables: PlacementTables, water: Any, hits: Any, sunk_at: Any, hits_then: Any, evidence: Evidence
) -> bool:
    """Fill `evidence` from the answers; False when there are too many hits to explain.

    `water`, `hits` uint64[3]: cells answered miss or hit. `sunk_at` int64[S]: the cell of the shot
    that sank the ship, -1 while afloat; `hits_then` uint64[S, 3]: all hits up to that shot.
    """
    masks, closed = tables.masks, tables.closed
    cells = np.zeros(192, U)
    n = list_bits(hits, cells)
    if n > U(MOST_HITS):
        return False
    evidence.options[:] = ZERO
    evidence.covers[:] = 0
    for s in range(U(len(tables.kinds))):
        k = tables.kinds[s]
        for p in range(tables.counts[k]):
            m0, m1, m2 = masks[k, p, 0], masks[k, p, 1], masks[k, p, 2]
            near = (closed[k, p, 0] & hits[0] & ~m0) | (closed[k, p, 1] & hits[1] & ~m1)
            if near | (closed[k, p, 2] & hits[2] & ~m2):
                continue
            if sunk_at[s] >= 0:
                then = hits_then[s]
                if (m0 & ~then[0]) | (m1 & ~then[1]) | (m2 & ~then[2]):
                    continue
                if not has(masks[k, p], U(sunk_at[s])):
                    continue
            elif m0 | m1 | m2:
                if (m0 & water[0]) | (m1 & water[1]) | (m2 & water[2]):
                    continue
                if not (m0 & ~hits[0]) | (m1 & ~hits[1]) | (m2 & ~hits[2]):
                    continue
            add(evidence.options[s], p)
            for j in range(n):
                if has(masks[k, p], cells[j]):
                    evidence.covers[s, p] |= 1 << np.int64(j)
    evidence.open_hits[0] = (1 << np.int64(n)) - 1
    return True


@njit
def propagate(tables: PlacementTables, evidence: Evidence) -> None:
    """Constraint propagation: fixed ships, the order of enumeration, twins, bounds."""
    kinds, options = tables.kinds, evidence.options
    ships, words = U(len(kinds)), U(evidence.options.shape[1])
    last = ships - ONE
    walked = U(0)
    evidence.contradiction[0] = 0
    for s in range(ships):
        evidence.fixed[s] = s < last and count(options[s]) == 1
        if evidence.fixed[s]:
            p = nth(options[s], 0)
            evidence.fixed_at[s] = p
            if evidence.covers[s, p] & ~evidence.open_hits[0]:
                evidence.contradiction[0] = 1
            evidence.open_hits[0] &= ~evidence.covers[s, p]
        elif s < last:
            evidence.order[walked] = s
            walked += ONE
    if walked == ZERO:
        evidence.fixed[last - ONE] = False
        evidence.open_hits[0] |= evidence.covers[last - ONE, evidence.fixed_at[last - ONE]]
        evidence.order[0] = last - ONE
        walked = ONE
    evidence.order[walked] = last
    evidence.walked[0] = walked
    for s in range(ships):
        for f in range(ships):
            if evidence.fixed[f] and f != s:
                for w in range(words):
                    free = tables.compatible[kinds[f], evidence.fixed_at[f], kinds[s], w]
                    options[s, w] &= free
        if count(options[s]) == 0:
            evidence.contradiction[0] = 1
    bound_explained_hits(kinds, evidence)


@njit
def bound_explained_hits(kinds: Any, evidence: Evidence) -> None:
    """Which options explain open hits, upper bounds on how many, and which ships are twins."""
    ships, words = len(kinds), U(evidence.options.shape[1])
    open_hits = evidence.open_hits[0]
    evidence.covering[:] = ZERO
    evidence.single[:] = ZERO
    evidence.most_explained[:] = 0
    evidence.twin[:] = False
    for s in range(ships - 1, -1, -1):
        most = 0
        for p in range(evidence.covers.shape[1]):
            covers = evidence.covers[s, p] & open_hits
            if covers and not evidence.fixed[s] and has(evidence.options[s], U(p)):
                add(evidence.covering[s], U(p))
                most = max(most, popcount(U(covers)))
                if s == ships - 1 and covers & (covers - 1) == 0:
                    add(evidence.single[lowest(U(covers))], U(p))
        evidence.most_explained[s] = evidence.most_explained[s + 1] + most
        if s < ships - 2 and not evidence.fixed[s]:
            same = kinds[s] == kinds[s + 1] and not evidence.twin[s + 1]
            for w in range(words):
                same = same and evidence.options[s, w] == evidence.options[s + 1, w]
            evidence.twin[s] = same
