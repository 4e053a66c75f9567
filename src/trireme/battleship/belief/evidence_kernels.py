"""What the answers of a game of Battleship leave open, as bitsets of places.

Shapes: S ships in placing order, K different sizes, P places at most, W words of 64 places (at
least 3), N cells, H hits to explain (at most 60).
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

from .bitset_kernels import ONE, ZERO, add, count, has, listed, lowest, nth, popcount

U = np.uint64
MOST_HITS = 60
"""How many hits the bits of a number can tell apart."""


class Places(NamedTuple):
    """What is fixed for a board and its way of placing, as `belief.places_of` makes it."""

    kinds: Any
    """uint64[S]: which size each ship has, as an index below K."""
    masks: Any
    """uint64[K, P, 3]: the cells of a place."""
    closed: Any
    """uint64[K, P, 3]: the cells that a ship lying there takes from all others."""
    counts: Any
    """uint64[K]: how many places a size has."""
    compatible: Any
    """uint64[K, P, K, W]: the places of another size that a place leaves free."""
    across: Any
    """uint64[K, W]: the horizontal places."""
    chance: Any
    """float64[K, 2]: the chance of each vertical and each horizontal place on an empty board; all
    1 where every fleet is alike."""
    weighted: Any
    """bool: whether fleets weigh by the order of placing; else all alike."""


class Evidence(NamedTuple):
    """What the answers leave open."""

    options: Any
    """uint64[S, W]: the places where each ship may lie."""
    covers: Any
    """int64[S, P]: which of the H hits a place would explain, as bits."""
    covering: Any
    """uint64[S, W]: the options that explain any hit."""
    single: Any
    """uint64[60, W]: the options of the last ship that explain this hit and no other."""
    most: Any
    """int64[S + 2]: how many hits the ships from this one on can explain at most."""
    twin: Any
    """bool[S]: this ship and the next are alike in size and options, so pairs have no order."""
    fixed: Any
    """bool[S]: the ship has one option, and is not walked."""
    spot: Any
    """uint64[S]: where a fixed ship lies."""
    order: Any
    """uint64[S]: the ships to walk, then the last; `walked` of them are walked."""
    rest: Any
    """int64[3]: the hits that no fixed ship explains, as bits; how many ships are walked; whether
    the answers contradict each other."""


@njit
def gather(places: Any, water: Any, hits: Any, sunk_at: Any, hits_then: Any, evidence: Any) -> bool:
    """Fill `evidence` from the answers; False when there are too many hits to explain.

    `water`, `hits` uint64[3]: cells answered miss or hit. `sunk_at` int64[S]: the cell of the shot
    that sank the ship, -1 while afloat; `hits_then` uint64[S, 3]: all hits up to that shot.
    """
    masks, closed = places.masks, places.closed
    cells = np.zeros(192, U)
    n = listed(hits, cells)
    if n > U(MOST_HITS):
        return False
    evidence.options[:] = ZERO
    evidence.covers[:] = 0
    for s in range(U(len(places.kinds))):
        k = places.kinds[s]
        for p in range(places.counts[k]):
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
    evidence.rest[0] = (1 << np.int64(n)) - 1
    return True


@njit
def narrow(places: Any, evidence: Any) -> None:
    """Work out what follows from the options: fixed ships, the walk's order, twins, bounds."""
    kinds, options = places.kinds, evidence.options
    ships, words = U(len(kinds)), U(evidence.options.shape[1])
    last = ships - ONE
    walked = U(0)
    evidence.rest[2] = 0
    for s in range(ships):
        evidence.fixed[s] = s < last and count(options[s]) == 1
        if evidence.fixed[s]:
            p = nth(options[s], 0)
            evidence.spot[s] = p
            if evidence.covers[s, p] & ~evidence.rest[0]:
                evidence.rest[2] = 1
            evidence.rest[0] &= ~evidence.covers[s, p]
        elif s < last:
            evidence.order[walked] = s
            walked += ONE
    if walked == ZERO:
        evidence.fixed[last - ONE] = False
        evidence.rest[0] |= evidence.covers[last - ONE, evidence.spot[last - ONE]]
        evidence.order[0] = last - ONE
        walked = ONE
    evidence.order[walked] = last
    evidence.rest[1] = walked
    for s in range(ships):
        for f in range(ships):
            if evidence.fixed[f] and f != s:
                for w in range(words):
                    free = places.compatible[kinds[f], evidence.spot[f], kinds[s], w]
                    options[s, w] &= free
        if count(options[s]) == 0:
            evidence.rest[2] = 1
    bounds(kinds, evidence)


@njit
def bounds(kinds: Any, evidence: Any) -> None:
    """Which options explain hits, how many at most, and which ships are twins."""
    ships, words = len(kinds), U(evidence.options.shape[1])
    open_hits = evidence.rest[0]
    evidence.covering[:] = ZERO
    evidence.single[:] = ZERO
    evidence.most[:] = 0
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
        evidence.most[s] = evidence.most[s + 1] + most
        if s < ships - 2 and not evidence.fixed[s]:
            same = kinds[s] == kinds[s + 1] and not evidence.twin[s + 1]
            for w in range(words):
                same = same and evidence.options[s, w] == evidence.options[s + 1, w]
            evidence.twin[s] = same
