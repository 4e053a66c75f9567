"""The exact posterior over hidden fleets: every fleet that agrees with the answers, enumerated.

A fleet's weight is its prior probability: the product over ships, in placing order, of chance /
(sum of the chances of all placements still free). Fleets are enumerated depth first, ship by ship,
over bitsets of placements. Ships whose placement is known are skipped, and the last ship is counted
by popcount instead of enumerated.

Shapes: S ships in placing order, K different sizes, P placements at most, W words of 64 placements
(at least 3), H hits to explain (at most 60).
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .bitset_kernels import ONE, ZERO, above, add, count, has, lowest, popcount
from .evidence_kernels import Evidence, PlacementTables

U = np.uint64
COUNT, SAMPLE, LIST = 0, 1, 2
"""What an enumeration gives: marginals; fleets at given fractions of the weight; all fleets."""


@njit(inline="always")
def free_chance(tables: PlacementTables, k: Any, free: Any) -> Any:
    """The sum of the chances of the placements in the bitset `free` uint64[W] of size `k`."""
    total = 0
    for w in range(U(len(free))):
        total += popcount(free[w])
    chance = total * tables.chance[k, 0]
    if tables.chance[k, 0] != tables.chance[k, 1]:
        across = 0
        for w in range(U(len(free))):
            across += popcount(free[w] & tables.across[k, w])
        chance += across * (tables.chance[k, 1] - tables.chance[k, 0])
    return chance


@njit(inline="always")
def chance_of(tables: PlacementTables, k: Any, p: Any) -> Any:
    """The prior probability of placement `p` of size `k` on an empty board."""
    return tables.chance[k, 1] if has(tables.across[k], p) else tables.chance[k, 0]


@njit(inline="always")
def candidates(s: Any, rest: Any, first: Any, free: Any, evidence: Evidence, out: Any) -> Any:
    """The placements to try for ship `s`, into `out` uint64[W]; returns whether there are any.

    `rest` are the hits not yet explained. Symmetry breaking: the second of a pair of twins (`first`
    is where the first one lies, else -1) takes no order of the pair twice: placements that explain
    a hit come before those that don't, and within each group they are ordered by number.
    """
    later = (
        evidence.most_explained[s + U(2)] if evidence.twin[s] else evidence.most_explained[s + ONE]
    )
    must = popcount(U(rest)) > later
    some = ZERO
    for w in range(U(len(out))):
        word = free[w] & evidence.options[s, w]
        if first >= 0:
            if has(evidence.covering[s], U(first)):
                word &= above(U(first), w) | ~evidence.covering[s, w]
            else:
                word &= above(U(first), w) & ~evidence.covering[s, w]
        if must:
            word &= evidence.covering[s, w]
        out[w] = word
        some |= word
    return some


@njit
def keep_exact_cover(s: Any, rest: Any, found: Any, evidence: Evidence) -> None:
    """Keep in the bitset `found` the placements of the last ship that explain exactly `rest`."""
    for w in range(U(len(found))):
        word = found[w] & evidence.covering[s, w]
        found[w] = ZERO
        while word:
            p = (w << U(6)) + lowest(word)
            word &= word - ONE
            if evidence.covers[s, p] == rest:
                add(found, p)


@njit
def write_fleets(
    found: Any, each: Any, before: Any, at: Any, tables: PlacementTables, mode: int,
    fractions: Any, tally: Any, out: Any, weights: Any,
) -> None:  # fmt: skip
    """Write out fleets that share all ships but the last, whose placements are `found`.

    `tally[2]` counts the fleets written. A fleet weighs `each` times its last ship's chance;
    sampling writes those at the running weights `fractions`, of which `before` have passed.
    """
    last = out.shape[1] - 1
    k = tables.kinds[last]
    n = tally[2]
    for w in range(U(len(found))):
        word = found[w]
        while word:
            p = (w << U(6)) + lowest(word)
            word &= word - ONE
            weight = each * chance_of(tables, k, p)
            before += weight
            while n < len(out) and (mode == LIST or fractions[n] < before):
                out[n, :last] = at[:last]
                out[n, last] = p
                weights[n] = weight
                n += 1
                if mode == LIST:
                    break
    tally[2] = n


@njit(inline="always")
def enter_ship(
    s: Any, after: Any, at: Any, rest: Any, free: Any, tables: PlacementTables, evidence: Evidence,
    left: Any, out: Any, inverse: Any,
) -> Any:  # fmt: skip
    """Candidates of ship `s` into `out`; returns the factor of the weight that is sure by now.

    That is the chance of every fixed ship from `after` on, and 1 / the chance of a free placement
    for `s`. For the first of twins, `inverse` float64[P] gets 1 / the chance of the second, by
    where the first lies; the second itself then costs nothing here.
    """
    kinds = tables.kinds
    factor = 1.0
    for f in range(after, s):
        if evidence.fixed[f]:
            if not has(free[f], evidence.fixed_at[f]):
                out[:] = ZERO
                return 0.0
            if tables.weighted:
                k = kinds[f]
                factor *= chance_of(tables, k, evidence.fixed_at[f]) / free_chance(
                    tables, k, free[f]
                )
    second = s > ZERO and evidence.twin[s - ONE]
    first = np.int64(at[s - ONE]) if second else np.int64(-1)
    if not candidates(s, rest, first, free[s], evidence, out):
        return 0.0
    k = kinds[s]
    if evidence.twin[s]:
        inverse[:] = 1.0
        if tables.weighted:
            for w in range(U(len(out))):
                word = free[s, w] & evidence.options[s, w]
                while word:
                    p = (w << U(6)) + lowest(word)
                    word &= word - ONE
                    for v in range(U(len(out))):
                        left[v] = free[s, v] & tables.compatible[k, p, k, v]
                    chance = free_chance(tables, k, left)
                    inverse[p] = 1.0 / chance if chance > 0.0 else 0.0
    if tables.weighted and not second:
        factor /= free_chance(tables, k, free[s])
    return factor


@njit(inline="always")
def fixed_chance(
    f: Any, k: Any, p: Any, free: Any, left: Any, tables: PlacementTables, evidence: Evidence
) -> Any:
    """The chance that fixed ship `f` was drawn where it lies, after a ship of size `k` at `p`."""
    kf, spot = tables.kinds[f], evidence.fixed_at[f]
    if not has(tables.compatible[k, p, kf], spot) or not has(free, spot):
        return 0.0
    if not tables.weighted:
        return 1.0
    for w in range(U(len(left))):
        left[w] = free[w] & tables.compatible[k, p, kf, w]
    return chance_of(tables, kf, spot) / free_chance(tables, kf, left)


@njit(inline="always")
def add_weight(w: Any, word: Any, weight: Any, sums: Any) -> None:
    """Add `weight` to the entries of `sums` for all bits of word `w` of a bitset."""
    base = w << U(6)
    while word:
        sums[base + lowest(word)] += weight
        word &= word - ONE


@njit
def free_at_start(tables: PlacementTables, evidence: Evidence, free: Any) -> None:
    """The placements that fixed ships leave to later ones, into `free` uint64[S, W]."""
    kinds = tables.kinds
    for s in range(U(len(kinds))):
        for p in range(tables.counts[kinds[s]]):
            add(free[s], p)
        for f in range(s):
            if evidence.fixed[f]:
                for w in range(U(free.shape[1])):
                    free[s, w] &= tables.compatible[kinds[f], evidence.fixed_at[f], kinds[s], w]


@njit(inline="always")
def count_last_two(
    s: Any, rest: Any, weight: Any, pair: Any, tries: Any, free: Any, left: Any, found: Any,
    at: Any, inverse: Any, tables: PlacementTables, evidence: Evidence, mode: int, entropy: bool,
    fractions: Any, marginals: Any, totals: Any, tally: Any, out: Any, weights: Any,
) -> Any:  # fmt: skip
    """Enumerate ship `s`, the last but one that is open, over `tries`; count the last.

    Returns the weight found. `pair` is negative, or the twin's inverse chance to be added for the
    pair's other order.
    """
    kinds, compatible, across = tables.kinds, tables.compatible, tables.across
    words = U(len(tries))
    last = U(len(kinds) - 1)
    k, kl = kinds[s], kinds[last]
    plain = tables.chance[kl, 0] == tables.chance[kl, 1]
    unit, flat = tables.chance[kl, 0], tables.chance[kl, 1] - tables.chance[kl, 0]
    field = 0
    for w in range(words):
        field += popcount(free[last, w] & evidence.options[last, w])
    whole = 0.0
    shared = 0.0
    for tw in range(words):
        word = tries[tw]
        while word:
            p = (tw << U(6)) + lowest(word)
            word &= word - ONE
            tally[0] += 1
            open_hits = rest & ~evidence.covers[s, p]
            room = some = 0
            for w in range(words):
                x = free[last, w] & compatible[k, p, kl, w]
                y = x & evidence.options[last, w]
                left[w] = x
                found[w] = y
                room += popcount(x)
                some += popcount(y)
            if open_hits:
                if open_hits & (open_hits - 1):
                    keep_exact_cover(last, open_hits, found, evidence)
                else:
                    for w in range(words):
                        found[w] &= evidence.single[lowest(U(open_hits)), w]
                some = count(found)
            if some == 0:
                continue
            chance, portion = room * unit, some * unit
            if not plain:
                for w in range(words):
                    chance += popcount(left[w] & across[kl, w]) * flat
                    portion += popcount(found[w] & across[kl, w]) * flat
            each = weight * chance_of(tables, k, p)
            if pair >= 0.0:
                each *= pair + inverse[p]
            if tables.weighted:
                each /= chance
            for f in range(s + ONE, last):
                each *= fixed_chance(f, k, p, free[f], left, tables, evidence)
            if each == 0.0:
                continue
            gained = each * portion
            tally[1] += some
            if mode == COUNT:
                marginals[s, p] += gained
                if entropy:
                    totals[1] += gained * np.log2(each * unit)
                    if not plain:
                        level = gained - (some - (portion - some * unit) / flat) * each * unit
                        totals[1] += level * np.log2(1.0 + flat / unit)
                if open_hits or 2 * some <= field:
                    for w in range(words):
                        add_weight(w, found[w], each, marginals[last])
                else:
                    shared += each
                    for w in range(words):
                        out_of = free[last, w] & evidence.options[last, w] & ~found[w]
                        add_weight(w, out_of, -each, marginals[last])
            elif mode == LIST or (tally[2] < len(out) and fractions[tally[2]] < totals[0] + gained):
                at[s] = p
                write_fleets(
                    found, each, totals[0], at, tables, mode, fractions, tally, out, weights
                )
            totals[0] += gained
            whole += gained
    if shared != 0.0:
        for w in range(words):
            add_weight(w, free[last, w] & evidence.options[last, w], shared, marginals[last])
    return whole


@njit
def enumerate_fleets(
    tables: PlacementTables, evidence: Evidence, mode: int, entropy: bool, limit: int,
    fractions: Any, marginals: Any, totals: Any, tally: Any, out: Any, weights: Any,
) -> bool:  # fmt: skip
    """Enumerate all fleets that agree with the answers; False when `limit` steps don't suffice.

    `marginals` float64[S, P]: the weight of the fleets with a ship at a placement (mode COUNT; 0
    for fixed ships). `totals` float64[2]: the weight of all, and with `entropy` the sum of weight ×
    log2 weight. `tally` int64[3]: steps, fleets found, fleets written. `out` int16[n, S], `weights`
    float64[n]: fleets, in modes LIST and SAMPLE (at ascending `fractions` float64[n] of weight).
    """
    kinds, order = tables.kinds, evidence.order
    ships, words = U(len(kinds)), U(evidence.options.shape[1])
    final = U(evidence.walked[0]) - ONE
    last = ships - ONE
    free = np.zeros((ships, ships, words), U)
    free_at_start(tables, evidence, free[0])
    tries = np.zeros((ships, words), U)
    inverse = np.zeros((ships, marginals.shape[1]))
    left, found = np.zeros(words, U), np.zeros(words, U)
    at = evidence.fixed_at.copy()
    rest = np.zeros(ships, np.int64)
    weight, factor, gained = np.ones(ships), np.ones(ships), np.zeros(ships)
    marginals[:] = 0.0
    totals[:] = 0.0
    tally[:] = 0
    if evidence.contradiction[0]:
        return True
    rest[0] = evidence.open_hits[0]
    d = ZERO
    going_down = True
    while True:
        s = order[d]
        if going_down:
            after = order[d - ONE] + ONE if d > ZERO else ZERO
            gained[d] = 0.0
            factor[d] = enter_ship(
                s, after, at, rest[d], free[d], tables, evidence, left, tries[d], inverse[s]
            )
            tally[0] += 4
            if tally[0] > limit:
                return False
        second = s > ZERO and evidence.twin[s - ONE]
        more = False
        if factor[d] == 0.0:
            pass
        elif d == final:
            pair = inverse[s - ONE, at[s - ONE]] if second else -1.0
            gained[d] = count_last_two(
                s, rest[d], weight[d] * factor[d], pair, tries[d], free[d], left, found,
                at, inverse[s - ONE if second else s], tables, evidence, mode, entropy,
                fractions, marginals, totals, tally, out, weights,
            )  # fmt: skip
        else:
            for w in range(words):
                if tries[d, w]:
                    at[s] = (w << U(6)) + lowest(tries[d, w])
                    tries[d, w] &= tries[d, w] - ONE
                    more = True
                    break
        if not more:
            if d == ZERO:
                break
            d -= ONE
            marginals[order[d], at[order[d]]] += gained[d + ONE]
            gained[d] += gained[d + ONE]
            going_down = False
            continue
        p, k = at[s], kinds[s]
        rest[d + ONE] = rest[d] & ~evidence.covers[s, p]
        weight[d + ONE] = weight[d] * factor[d] * chance_of(tables, k, p)
        if second:
            weight[d + ONE] *= inverse[s - ONE, at[s - ONE]] + inverse[s - ONE, p]
        for t in range(s + ONE, ships):
            for w in range(words):
                free[d + ONE, t, w] = free[d, t, w] & tables.compatible[k, p, kinds[t], w]
        d += ONE
        going_down = True
    for p in range(tables.counts[kinds[last]]):
        marginals[last, p] *= chance_of(tables, kinds[last], p)
    return True


@njit
def cell_marginals(tables: PlacementTables, marginals: Any, weight: float, cells: Any) -> None:
    """The marginal probability of each cell, into `cells` float64[N], from those of placements."""
    for s in range(U(len(tables.kinds))):
        k = tables.kinds[s]
        for p in range(tables.counts[k]):
            share = marginals[s, p]
            if share != 0.0:
                for w in range(U(3)):
                    add_weight(w, tables.masks[k, p, w], share / weight, cells)
