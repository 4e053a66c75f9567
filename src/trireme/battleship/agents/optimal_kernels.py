"""The fewest expected misses of optimal play, exactly, by branch and bound over listed fleets.

The fleets are split by their answer to a shot. With optimal play to come, the misses after a shot
are those of the fleets that it misses, and the least of every part. A cell that all fleets of a
part cover is fired at first: it costs nothing, and its answer can only help. Shots are tried by
their probability, so the greedy line gives the first bound; a table of values avoids repeating a
part that other orders of the same shots reach.

Shapes: n fleets, N cells, M table rows.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.battleship.belief.bitset_kernels import ZERO, mask_has, mask_with
from trireme.core.jit import njit

from .lookahead_kernels import FleetArrays, answer, misses_of_two, most_probable_cell

U = np.uint64
CERTAIN = 1 - 1e-9
TINY = 1e-12
EXACT, AT_LEAST = 1, 2


class OptimalTable(NamedTuple):
    """Values of parts that were searched, by hash."""

    fleet_keys: Any
    """uint64[n]"""
    cell_keys: Any
    """uint64[N]"""
    keys: Any
    """uint64[M], M a power of two"""
    values: Any
    """float64[M]"""
    kinds: Any
    """int8[M]: EXACT, or AT_LEAST for a lower bound."""
    left: Any
    """int64[1]: parts that may still be searched; below 0 the search was cut."""


@njit
def part_key(part: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays, table: Any) -> Any:
    """The hash of a part: its fleets, and the cells of theirs that were shot at."""
    key = ZERO
    u0, u1, u2 = ZERO, ZERO, ZERO
    for i in range(U(len(part))):
        f = part[i]
        key ^= table.fleet_keys[f]
        u0 |= fleets.whole[f, 0]
        u1 |= fleets.whole[f, 1]
        u2 |= fleets.whole[f, 2]
    for c in range(U(len(table.cell_keys))):
        if mask_has(u0 & s0, u1 & s1, u2 & s2, c):
            key ^= table.cell_keys[c]
    return key


@njit
def split_part(
    cell: Any, part: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays, ordered: Any, ends: Any
) -> float:
    """Sort the fleets of a part by their answer to a shot that s0..s2 include.

    `ordered` uint64[k] gets the fleets, `ends` int64[answers] where each answer's fleets end.
    Returns the weight of those that it misses.
    """
    missed = 0.0
    size = 0
    for said in range(U(len(ends))):
        for i in range(U(len(part))):
            if answer(part[i], cell, s0, s1, s2, fleets) == said:
                ordered[size] = part[i]
                size += 1
                if said == ZERO:
                    missed += fleets.weights[part[i]]
        ends[said] = size
    return missed


@njit
def least_misses(
    part: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays, bound: float, table: OptimalTable
) -> Any:
    """The misses of optimal play times their probability; `bound` where they are no fewer.

    `part` uint64[k] are the fleets that are possible, s0..s2 the cells shot at. Without meaning
    where the table's budget ran out.
    """
    if len(part) < 2:
        return 0.0
    if len(part) == 2:
        return min(bound, misses_of_two(part[0], part[1], s0, s1, s2, fleets))
    table.left[0] -= 1
    if table.left[0] < 0:
        return bound
    key = part_key(part, s0, s1, s2, fleets, table)
    slot = key & U(len(table.keys) - 1)
    if table.keys[slot] == key and table.kinds[slot] > 0:
        if table.kinds[slot] == EXACT:
            return min(bound, table.values[slot])
        if table.values[slot] >= bound:
            return bound
    odds = np.zeros(len(table.cell_keys))
    at, most = most_probable_cell(part, s0, s1, s2, fleets, odds)
    if most <= 0.0:
        return 0.0
    total = 0.0
    for i in range(U(len(part))):
        total += fleets.weights[part[i]]
    sure = most >= CERTAIN * total
    ordered, ends = np.zeros(len(part), U), np.zeros(len(fleets.kinds) + 2, np.int64)
    best = bound
    while True:
        t0, t1, t2 = mask_with(s0, s1, s2, at)
        cost = split_part(at, part, t0, t1, t2, fleets, ordered, ends)
        begin = 0
        for a in range(len(ends)):
            if ends[a] - begin > 1 and cost < best:
                some = ordered[begin : ends[a]]
                cost += least_misses(some, t0, t1, t2, fleets, best - cost, table)
            begin = ends[a]
        best = min(best, cost)
        odds[at] = 0.0
        if sure or table.left[0] < 0:
            break
        most = 0.0
        for c in range(U(len(odds))):
            if odds[c] > most and not mask_has(s0, s1, s2, c):
                most = odds[c]
                at = U(c)
        if most <= 0.0 or total - most >= best - TINY:
            break
    if table.left[0] >= 0:
        table.keys[slot] = key
        table.values[slot] = best
        table.kinds[slot] = EXACT if best < bound else AT_LEAST
    return best


@njit
def optimal_misses(
    cells: Any, shot: Any, fleets: FleetArrays, bound: float, table: OptimalTable
) -> Any:
    """float64[C]: for each of `cells` int64[C], the expected misses if it is fired at and all later
    shots are optimal; at least `bound` where they are no fewer.

    `shot` uint64[3] are the cells shot at. Exact if `table.left` is not negative afterwards.
    """
    part = np.arange(len(fleets.weights)).astype(U)
    ordered, ends = np.zeros(len(part), U), np.zeros(len(fleets.kinds) + 2, np.int64)
    found = np.zeros(len(cells))
    for i in range(len(cells)):
        s0, s1, s2 = mask_with(shot[0], shot[1], shot[2], U(cells[i]))
        cost = split_part(U(cells[i]), part, s0, s1, s2, fleets, ordered, ends)
        begin = 0
        for a in range(len(ends)):
            if cost < bound:
                some = ordered[begin : ends[a]]
                cost += least_misses(some, s0, s1, s2, fleets, bound - cost, table)
            begin = ends[a]
        found[i] = cost
    return found


@njit
def optimal_value(shot: Any, fleets: FleetArrays, table: OptimalTable) -> float:
    """The expected misses of optimal play; exact if `table.left` is not negative afterwards."""
    part = np.arange(len(fleets.weights)).astype(U)
    return float(least_misses(part, shot[0], shot[1], shot[2], fleets, np.inf, table))
