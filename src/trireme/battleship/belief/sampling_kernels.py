"""Importance sampling of the posterior, where there are too many fleets to enumerate.

The proposal distribution lays ships one by one at random among the placements that the answers
allow; a fleet's importance weight is its prior probability over that of being proposed.
Shapes are those of `exact_kernels`.
"""

from typing import Any

import numpy as np

from trireme.battleship.kernels import below
from trireme.core.jit import njit
from trireme.core.splitmix_kernels import GOLDEN_GAMMA, mix64

from .bitset_kernels import ONE, ZERO, count, has, nth, popcount
from .evidence_kernels import Evidence, PlacementTables
from .exact_kernels import add_weight, chance_of, free_at_start, free_chance, keep_exact_cover

U = np.uint64


@njit
def propose(bits: Any, covering: Any, rest: Any, must: Any, state: Any, tries: Any) -> Any:
    """A random placement of the bitset `bits`, and 1 / its probability; 0 if there is none.

    While hits are open, every second choice is one that explains a hit. `tries` is scratch.
    """
    total = count(bits)
    if rest == 0 or total == 0:
        if total == 0:
            return ZERO, 0.0
        return nth(bits, np.int64(below(mix64(state), U(total)))), float(total)
    for w in range(U(len(bits))):
        tries[w] = bits[w] & covering[w]
    some = count(tries)
    if must or some == total:
        if some == 0:
            return ZERO, 0.0
        return nth(tries, np.int64(below(mix64(state), U(some)))), float(some)
    if some == 0:
        return nth(bits, np.int64(below(mix64(state), U(total)))), float(total)
    explains = mix64(state) >> U(63)
    if not explains:
        some = total - some
        for w in range(U(len(bits))):
            tries[w] = bits[w] & ~covering[w]
    return nth(tries, np.int64(below(mix64(state), U(some)))), 2.0 * some


@njit
def propose_fleet(
    tables: PlacementTables,
    evidence: Evidence,
    state: Any,
    free: Any,
    found: Any,
    tries: Any,
    at: Any,
) -> Any:
    """Lay all ships but the last; returns the importance weight (0: stuck) and the random state.

    `found` uint64[W] gets the placements of the last ship that agree; the weight is that of the
    fleet for each of them, but for the last ship's own chance.
    """
    kinds = tables.kinds
    ships, words = U(len(kinds)), U(free.shape[1])
    last = ships - ONE
    rest = evidence.open_hits[0]
    weight = 1.0
    for s in range(last):
        k = kinds[s]
        if evidence.fixed[s]:
            p = evidence.fixed_at[s]
            if not has(free[s], p):
                return 0.0, state
        else:
            for w in range(words):
                found[w] = free[s, w] & evidence.options[s, w]
            state += GOLDEN_GAMMA
            must = popcount(U(rest)) > evidence.most_explained[s + ONE]
            p, times = propose(found, evidence.covering[s], rest, must, state, tries)
            if times == 0.0:
                return 0.0, state
            weight *= times
            rest &= ~evidence.covers[s, p]
        at[s] = p
        if tables.weighted:
            weight *= chance_of(tables, k, p) / free_chance(tables, k, free[s])
        for t in range(s + ONE, ships):
            for w in range(words):
                free[t, w] &= tables.compatible[k, p, kinds[t], w]
    for w in range(words):
        found[w] = free[last, w] & evidence.options[last, w]
    if rest:
        keep_exact_cover(last, rest, found, evidence)
    if tables.weighted:
        room = free_chance(tables, kinds[last], free[last])
        weight = weight / room if room > 0.0 else 0.0
    return weight, state


@njit
def importance_sample(
    tables: PlacementTables, evidence: Evidence, state: Any, tries: int, marginals: Any,
    totals: Any, out: Any, weights: Any,
) -> int:  # fmt: skip
    """Draw `tries` fleets; returns how many agreed with the answers.

    `marginals` float64[S, P] and `totals` float64[2] (weight; weight × log2 weight of a fleet) are
    sums over the draws. `out` int16[n, S] and `weights` float64[n] get the first n fleets that
    agreed.
    """
    kinds = tables.kinds
    ships, words = U(len(kinds)), U(evidence.options.shape[1])
    last = ships - ONE
    begin = np.zeros((ships, words), U)
    free_at_start(tables, evidence, begin)
    free = np.zeros((ships, words), U)
    found, scratch = np.zeros(words, U), np.zeros(words, U)
    at = np.zeros(ships, U)
    marginals[:] = 0.0
    totals[:] = 0.0
    agreed = 0
    if evidence.contradiction[0]:
        return 0
    for _ in range(tries):
        free[:] = begin
        weight, state = propose_fleet(tables, evidence, state, free, found, scratch, at)
        some = count(found)
        if weight == 0.0 or some == 0:
            continue
        gained = weight * free_chance(tables, kinds[last], found)
        for s in range(last):
            marginals[s, at[s]] += gained
        for w in range(words):
            add_weight(w, found[w], gained / some, marginals[last])
        totals[0] += gained
        totals[1] += gained * np.log2(prior_probability(tables, at, found, begin, free))
        if agreed < len(out):
            state += GOLDEN_GAMMA
            out[agreed, :] = at
            out[agreed, last] = nth(found, np.int64(below(mix64(state), U(some))))
            weights[agreed] = gained
        agreed += 1
    return agreed


@njit
def prior_probability(tables: PlacementTables, at: Any, found: Any, begin: Any, free: Any) -> Any:
    """The prior probability of the fleet `at` with a typical last ship of `found`."""
    kinds = tables.kinds
    ships = U(len(kinds))
    weight = 1.0
    free[:] = begin
    for s in range(ships):
        k = kinds[s]
        p = at[s]
        if s == ships - ONE:
            p = nth(found, 0)
        if tables.weighted:
            weight *= chance_of(tables, k, p) / free_chance(tables, k, free[s])
        for t in range(s + ONE, ships):
            for w in range(U(free.shape[1])):
                free[t, w] &= tables.compatible[k, p, kinds[t], w]
    return weight
