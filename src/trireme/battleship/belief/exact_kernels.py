"""The exact belief about a hidden fleet: every fleet that agrees with the answers, weighed.

A fleet's weight is its probability of being drawn: the product over ships, in placing order, of
chance / (sum of the chances of all places still free). Fleets are walked ship by ship over bitsets
of places. Ships whose place is known are not walked, and the last ship is counted instead.

Shapes: S ships in placing order, K different sizes, P places at most, W words of 64 places (at
least 3), H hits to explain (at most 60).
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .bitset_kernels import ONE, ZERO, above, add, count, has, lowest, popcount

U = np.uint64
COUNT, SAMPLE, LIST = 0, 1, 2
"""What a walk is for: marginals; fleets at given fractions of the weight; all fleets."""


@njit(inline="always")
def free_chance(places: Any, k: Any, free: Any) -> Any:
    """The sum of the chances of the places in the bitset `free` uint64[W] of size `k`."""
    total = 0
    for w in range(U(len(free))):
        total += popcount(free[w])
    chance = total * places.chance[k, 0]
    if places.chance[k, 0] != places.chance[k, 1]:
        across = 0
        for w in range(U(len(free))):
            across += popcount(free[w] & places.across[k, w])
        chance += across * (places.chance[k, 1] - places.chance[k, 0])
    return chance


@njit(inline="always")
def chance_of(places: Any, k: Any, p: Any) -> Any:
    """The chance of place `p` of size `k` on an empty board."""
    return places.chance[k, 1] if has(places.across[k], p) else places.chance[k, 0]


@njit(inline="always")
def candidates(s: Any, rest: Any, first: Any, free: Any, evidence: Any, out: Any) -> Any:
    """The places to try for ship `s`, into `out` uint64[W]; returns whether there are any.

    `rest` are the hits not yet explained. The second of a pair of twins (`first` is where the first
    one lies, else -1) takes no order of the pair twice: places that explain a hit come before those
    that don't, and places in each group by number.
    """
    later = evidence.most[s + U(2)] if evidence.twin[s] else evidence.most[s + ONE]
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
def exactly(s: Any, rest: Any, found: Any, evidence: Any) -> None:
    """Keep in the bitset `found` the places of the last ship that explain exactly `rest`."""
    for w in range(U(len(found))):
        word = found[w] & evidence.covering[s, w]
        found[w] = ZERO
        while word:
            p = (w << U(6)) + lowest(word)
            word &= word - ONE
            if evidence.covers[s, p] == rest:
                add(found, p)


@njit
def emit(
    found: Any, each: Any, before: Any, at: Any, places: Any, mode: int, fractions: Any, tally: Any,
    out: Any, weights: Any,
) -> None:  # fmt: skip
    """Write out fleets that share all ships but the last, whose places are the bitset `found`.

    `tally[2]` counts the fleets written. A fleet weighs `each` times its last ship's chance;
    sampling writes those at the running weights `fractions`, of which `before` have passed.
    """
    last = out.shape[1] - 1
    k = places.kinds[last]
    n = tally[2]
    for w in range(U(len(found))):
        word = found[w]
        while word:
            p = (w << U(6)) + lowest(word)
            word &= word - ONE
            weight = each * chance_of(places, k, p)
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
def enter(
    s: Any, after: Any, at: Any, rest: Any, free: Any, places: Any, evidence: Any,
    left: Any, out: Any, inverse: Any,
) -> Any:  # fmt: skip
    """Candidates of ship `s` into `out`; returns the weight of what is sure before it is placed.

    That is the chance of every fixed ship from `after` on, and 1 / the chance of a free place for
    `s`. For the first of twins, `inverse` float64[P] gets 1 / the chance of the second, by where
    the first lies; the second itself then costs nothing here.
    """
    kinds = places.kinds
    odds = 1.0
    for f in range(after, s):
        if evidence.fixed[f]:
            if not has(free[f], evidence.spot[f]):
                out[:] = ZERO
                return 0.0
            if places.weighted:
                k = kinds[f]
                odds *= chance_of(places, k, evidence.spot[f]) / free_chance(places, k, free[f])
    second = s > ZERO and evidence.twin[s - ONE]
    first = np.int64(at[s - ONE]) if second else np.int64(-1)
    if not candidates(s, rest, first, free[s], evidence, out):
        return 0.0
    k = kinds[s]
    if evidence.twin[s]:
        inverse[:] = 1.0
        if places.weighted:
            for w in range(U(len(out))):
                word = free[s, w] & evidence.options[s, w]
                while word:
                    p = (w << U(6)) + lowest(word)
                    word &= word - ONE
                    for v in range(U(len(out))):
                        left[v] = free[s, v] & places.compatible[k, p, k, v]
                    chance = free_chance(places, k, left)
                    inverse[p] = 1.0 / chance if chance > 0.0 else 0.0
    if places.weighted and not second:
        odds /= free_chance(places, k, free[s])
    return odds


@njit(inline="always")
def fixed_chance(f: Any, k: Any, p: Any, free: Any, left: Any, places: Any, evidence: Any) -> Any:
    """The chance that fixed ship `f` was drawn where it lies, after a ship of size `k` at `p`."""
    kf, spot = places.kinds[f], evidence.spot[f]
    if not has(places.compatible[k, p, kf], spot) or not has(free, spot):
        return 0.0
    if not places.weighted:
        return 1.0
    for w in range(U(len(left))):
        left[w] = free[w] & places.compatible[k, p, kf, w]
    return chance_of(places, kf, spot) / free_chance(places, kf, left)


@njit(inline="always")
def give(w: Any, word: Any, weight: Any, shares: Any) -> None:
    """Add `weight` to the shares of all places in word `w` of a bitset."""
    base = w << U(6)
    while word:
        shares[base + lowest(word)] += weight
        word &= word - ONE


@njit
def start(places: Any, evidence: Any, free: Any) -> None:
    """The places that fixed ships leave to those placed after them, into `free` uint64[S, W]."""
    kinds = places.kinds
    for s in range(U(len(kinds))):
        for p in range(places.counts[kinds[s]]):
            add(free[s], p)
        for f in range(s):
            if evidence.fixed[f]:
                for w in range(U(free.shape[1])):
                    free[s, w] &= places.compatible[kinds[f], evidence.spot[f], kinds[s], w]


@njit(inline="always")
def last_two(
    s: Any, rest: Any, weight: Any, pair: Any, tries: Any, free: Any, left: Any, found: Any,
    at: Any, inverse: Any, places: Any, evidence: Any, mode: int, entropy: bool,
    fractions: Any, shares: Any, totals: Any, tally: Any, out: Any, weights: Any,
) -> Any:  # fmt: skip
    """Walk ship `s`, the last but one that is open, over `tries`; count the last.

    Returns the weight found. `pair` is negative, or the twin's inverse chance to be added for the
    pair's other order.
    """
    kinds, compatible, across = places.kinds, places.compatible, places.across
    words = U(len(tries))
    last = U(len(kinds) - 1)
    k, kl = kinds[s], kinds[last]
    plain = places.chance[kl, 0] == places.chance[kl, 1]
    unit, flat = places.chance[kl, 0], places.chance[kl, 1] - places.chance[kl, 0]
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
                    exactly(last, open_hits, found, evidence)
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
            each = weight * chance_of(places, k, p)
            if pair >= 0.0:
                each *= pair + inverse[p]
            if places.weighted:
                each /= chance
            for f in range(s + ONE, last):
                each *= fixed_chance(f, k, p, free[f], left, places, evidence)
            if each == 0.0:
                continue
            gained = each * portion
            tally[1] += some
            if mode == COUNT:
                shares[s, p] += gained
                if entropy:
                    totals[1] += gained * np.log2(each * unit)
                    if not plain:
                        level = gained - (some - (portion - some * unit) / flat) * each * unit
                        totals[1] += level * np.log2(1.0 + flat / unit)
                if open_hits or 2 * some <= field:
                    for w in range(words):
                        give(w, found[w], each, shares[last])
                else:
                    shared += each
                    for w in range(words):
                        out_of = free[last, w] & evidence.options[last, w] & ~found[w]
                        give(w, out_of, -each, shares[last])
            elif mode == LIST or (tally[2] < len(out) and fractions[tally[2]] < totals[0] + gained):
                at[s] = p
                emit(found, each, totals[0], at, places, mode, fractions, tally, out, weights)
            totals[0] += gained
            whole += gained
    if shared != 0.0:
        for w in range(words):
            give(w, free[last, w] & evidence.options[last, w], shared, shares[last])
    return whole


@njit
def walk(
    places: Any, evidence: Any, mode: int, entropy: bool, limit: int,
    fractions: Any, shares: Any, totals: Any, tally: Any, out: Any, weights: Any,
) -> bool:  # fmt: skip
    """Walk all fleets that agree with the answers; False when `limit` steps were not enough.

    `shares` float64[S, P]: the weight of the fleets with a ship at a place (mode COUNT; 0 for fixed
    ships). `totals` float64[2]: the weight of all, and with `entropy` the sum of weight × log2
    weight. `tally` int64[3]: steps, fleets found, fleets written. `out` int16[n, S], `weights`
    float64[n]: fleets, in modes LIST and SAMPLE (at ascending `fractions` float64[n] of weight).
    """
    kinds, order = places.kinds, evidence.order
    ships, words = U(len(kinds)), U(evidence.options.shape[1])
    final = U(evidence.rest[1]) - ONE
    last = ships - ONE
    free = np.zeros((ships, ships, words), U)
    start(places, evidence, free[0])
    tries = np.zeros((ships, words), U)
    inverse = np.zeros((ships, shares.shape[1]))
    left, found = np.zeros(words, U), np.zeros(words, U)
    at = evidence.spot.copy()
    rest = np.zeros(ships, np.int64)
    weight, odds, gained = np.ones(ships), np.ones(ships), np.zeros(ships)
    shares[:] = 0.0
    totals[:] = 0.0
    tally[:] = 0
    if evidence.rest[2]:
        return True
    rest[0] = evidence.rest[0]
    d = ZERO
    going_down = True
    while True:
        s = order[d]
        if going_down:
            after = order[d - ONE] + ONE if d > ZERO else ZERO
            gained[d] = 0.0
            odds[d] = enter(
                s, after, at, rest[d], free[d], places, evidence, left, tries[d], inverse[s]
            )
            tally[0] += 4
            if tally[0] > limit:
                return False
        second = s > ZERO and evidence.twin[s - ONE]
        more = False
        if odds[d] == 0.0:
            pass
        elif d == final:
            pair = inverse[s - ONE, at[s - ONE]] if second else -1.0
            gained[d] = last_two(
                s, rest[d], weight[d] * odds[d], pair, tries[d], free[d], left, found,
                at, inverse[s - ONE if second else s], places, evidence, mode, entropy,
                fractions, shares, totals, tally, out, weights,
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
            shares[order[d], at[order[d]]] += gained[d + ONE]
            gained[d] += gained[d + ONE]
            going_down = False
            continue
        p, k = at[s], kinds[s]
        rest[d + ONE] = rest[d] & ~evidence.covers[s, p]
        weight[d + ONE] = weight[d] * odds[d] * chance_of(places, k, p)
        if second:
            weight[d + ONE] *= inverse[s - ONE, at[s - ONE]] + inverse[s - ONE, p]
        for t in range(s + ONE, ships):
            for w in range(words):
                free[d + ONE, t, w] = free[d, t, w] & places.compatible[k, p, kinds[t], w]
        d += ONE
        going_down = True
    for p in range(places.counts[kinds[last]]):
        shares[last, p] *= chance_of(places, kinds[last], p)
    return True


@njit
def spread(places: Any, shares: Any, weight: float, cells: Any) -> None:
    """The probability of each cell, into `cells` float64[N], from the shares of all places."""
    for s in range(U(len(places.kinds))):
        k = places.kinds[s]
        for p in range(places.counts[k]):
            share = shares[s, p]
            if share != 0.0:
                for w in range(U(3)):
                    give(w, places.masks[k, p, w], share / weight, cells)
