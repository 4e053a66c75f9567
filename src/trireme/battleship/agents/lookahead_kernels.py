"""Rollouts over listed fleets: the expected misses of a first shot followed by the greedy policy.

The fleets are split by their answer to a shot (miss, hit, sunk by size), and every part fires at
its most probable cell, until each part holds one fleet, which then costs no miss. The rollout is
exact: it follows all answers of all fleets, not a sample of them.

Shapes: n fleets, S ships of K sizes, T cells of all ships, N cells; masks of cells are uint64[3].
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.battleship.belief.bitset_kernels import ONE, ZERO, lowest, mask_has, mask_with
from trireme.battleship.kernels import Ships
from trireme.core.jit import njit

U = np.uint64
SMALL = U(8)
"""Up to so many fleets only the cells that they cover are looked at, not the whole board."""


class FleetArrays(NamedTuple):
    """The listed fleets of a belief (its particles), unpacked for rollouts and tree search."""

    owner: Any
    """int8[n, N]: the ship in a cell, or -1."""
    cells: Any
    """uint8[n, T]: the cells of its ships that had not been shot at when it was unpacked."""
    left: Any
    """uint8[n]: how many these are."""
    masks: Any
    """uint64[n, S, 3]: the cells of every ship."""
    whole: Any
    """uint64[n, 3]: the cells of all ships."""
    weights: Any
    """float64[n]: probabilities."""
    kinds: Any
    """uint64[S]: which size a ship has; answers name sizes."""


class Scratch(NamedTuple):
    """Memory that rollouts over n fleets work in."""

    chances: Any
    """float64[N]: all 0 between two calls."""
    answers: Any
    """uint64[n]"""
    spare: Any
    """uint64[n]"""
    stack: Any
    """uint64[n + 8, 2]: parts of the fleets, by first and last."""
    seen: Any
    """uint64[n + 8, 3]: the shots of these parts."""


@njit
def make_scratch(n: int, cells: int) -> Scratch:
    """Memory for rollouts over `n` fleets on a board of so many cells."""
    return Scratch(
        np.zeros(cells),
        np.zeros(n, U),
        np.zeros(n, U),
        np.zeros((n + 8, 2), U),
        np.zeros((n + 8, 3), U),
    )


@njit
def unpack_layouts(layouts: Any, ships: Ships, shot: Any, fleets: FleetArrays) -> None:
    """Fill the arrays of `fleets` from `layouts` int16[n, S], the board's `kernels.Ships` and the
    cells shot at so far, uint64[3]."""
    for f in range(U(len(layouts))):
        fleets.owner[f, :] = -1
        fleets.whole[f, :] = ZERO
        t = ZERO
        for s in range(U(len(ships.kinds))):
            k, p = ships.kinds[s], U(layouts[f, s])
            for w in range(3):
                fleets.masks[f, s, w] = ships.masks[k, p, w]
                fleets.whole[f, w] |= ships.masks[k, p, w]
            for i in range(ships.sizes[s]):
                cell = ships.cells[k, p, i]
                fleets.owner[f, U(cell)] = s
                if not shot[U(cell) >> U(6)] >> (U(cell) & U(63)) & ONE:
                    fleets.cells[f, t] = cell
                    t += ONE
        fleets.left[f] = t


@njit(inline="always")
def answer(f: Any, cell: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays) -> Any:
    """What fleet `f` answers to `cell`, which the shot mask s0..s2 includes: 0 miss, 1 hit, else
    2 + the size of the ship that sank."""
    ship = fleets.owner[f, cell]
    if ship < 0:
        return U(0)
    s = U(ship)
    masks = fleets.masks
    if (masks[f, s, 0] & ~s0) | (masks[f, s, 1] & ~s1) | (masks[f, s, 2] & ~s2):
        return U(1)
    return U(2) + fleets.kinds[s]


@njit
def most_probable_cell(
    part: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays, chances: Any
) -> Any:
    """The open cell most likely to hold a ship of the fleets `part`, and the weight on it.

    `chances` is left with the weight on every cell.
    """
    chances[:] = 0.0
    cells, left, weights = fleets.cells, fleets.left, fleets.weights
    for i in range(U(len(part))):
        f = part[i]
        for t in range(U(left[f])):
            chances[U(cells[f, t])] += weights[f]
    best = 0.0
    at = ZERO
    for c in range(U(len(chances))):
        if chances[c] > best and not mask_has(s0, s1, s2, c):
            best = chances[c]
            at = U(c)
    return at, best


@njit
def most_probable_of_few(
    part: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays, chances: Any
) -> Any:
    """As `most_probable_cell`, faster for few fleets; wants `chances` all 0 and leaves them so."""
    cells, left, weights = fleets.cells, fleets.left, fleets.weights
    best = 0.0
    at = ZERO
    for i in range(U(len(part))):
        f = part[i]
        for t in range(U(left[f])):
            c = U(cells[f, t])
            weight = chances[c] + weights[f]
            chances[c] = weight
            better = weight > best or (weight == best and c < at)
            if better and not mask_has(s0, s1, s2, c):
                best = weight
                at = c
    for i in range(U(len(part))):
        f = part[i]
        for t in range(U(left[f])):
            chances[U(cells[f, t])] = 0.0
    return at, best


@njit
def misses_of_two(f: Any, g: Any, s0: Any, s1: Any, s2: Any, fleets: FleetArrays) -> Any:
    """The expected misses with two fleets left: the cells of both are sure hits, whose answers may
    tell the fleets apart; if not, a shot at the likelier fleet misses when it is the other."""
    whole, weights = fleets.whole, fleets.weights
    differ = ZERO
    for w in range(U(3)):
        differ |= whole[f, w] ^ whole[g, w]
        shared = whole[f, w] & whole[g, w] & ~(s0 if w == ZERO else s1 if w == ONE else s2)
        while shared:
            cell = (w << U(6)) + lowest(shared)
            shared &= shared - ONE
            s0, s1, s2 = mask_with(s0, s1, s2, cell)
            if answer(f, cell, s0, s1, s2, fleets) != answer(g, cell, s0, s1, s2, fleets):
                return 0.0
    return min(weights[f], weights[g]) if differ else 0.0


@njit
def expected_misses(
    first: Any, shot: Any, fleets: FleetArrays, part: Any, missed: Any, scratch: Scratch,
) -> float:  # fmt: skip
    """The expected number of misses (their weight) when `first` is fired, then the greedy policy.

    `shot` uint64[3]: cells shot at. `part` uint64[n]: the fleets, put in order as it goes. `missed`
    float64[n], indexed by fleet, gets the misses of each added; nothing where it has no entry.
    """
    chances, answers, spare = scratch.chances, scratch.answers, scratch.spare
    stack, seen = scratch.stack, scratch.seen
    misses = 0.0
    counts = np.zeros(len(fleets.kinds) + 3, U)
    stack[0, 0], stack[0, 1] = ZERO, U(len(part))
    seen[0, :] = shot
    height = ONE
    cell = U(first)
    fresh = True
    while height:
        height -= ONE
        low, high = stack[height, 0], stack[height, 1]
        s0, s1, s2 = seen[height, 0], seen[height, 1], seen[height, 2]
        if not fresh:
            if high - low == U(2) and not len(missed):
                misses += misses_of_two(part[low], part[low + ONE], s0, s1, s2, fleets)
                continue
            if high - low <= SMALL:
                cell, weight = most_probable_of_few(part[low:high], s0, s1, s2, fleets, chances)
            else:
                cell, weight = most_probable_cell(part[low:high], s0, s1, s2, fleets, chances)
                chances[:] = 0.0
            if weight <= 0.0:
                continue
        fresh = False
        s0, s1, s2 = mask_with(s0, s1, s2, cell)
        counts[:] = ZERO
        for i in range(low, high):
            f = part[i]
            said = answer(f, cell, s0, s1, s2, fleets)
            answers[i] = said
            counts[said + ONE] += ONE
            spare[i] = f
            if said == ZERO:
                misses += fleets.weights[f]
                if len(missed):
                    missed[f] += 1.0
        begin = low
        for a in range(U(len(counts) - 1)):
            here = counts[a + ONE]
            counts[a] = begin
            if here > ONE:
                stack[height, 0], stack[height, 1] = begin, begin + here
                seen[height, 0], seen[height, 1], seen[height, 2] = s0, s1, s2
                height += ONE
            begin += here
        for i in range(low, high):
            said = answers[i]
            part[counts[said]] = spare[i]
            counts[said] += ONE
    return misses


@njit
def rollout_misses(cells: Any, shot: Any, fleets: FleetArrays, n: int) -> Any:
    """Policy improvement by rollout: `expected_misses` of each of `cells` int64[C], float64[C].

    Over the first `n` fleets.
    """
    misses = np.zeros(len(cells))
    part = np.zeros(n, U)
    nothing = np.zeros(0)
    scratch = make_scratch(n, fleets.owner.shape[1])
    for i in range(len(cells)):
        for f in range(n):
            part[f] = f
        misses[i] = expected_misses(cells[i], shot, fleets, part, nothing, scratch)
    return misses


@njit
def misses_by_fleet(cell: Any, shot: Any, fleets: FleetArrays) -> Any:
    """float64[n]: the misses of `cell`, then the greedy policy, where each fleet is true."""
    n = len(fleets.weights)
    missed = np.zeros(n)
    part = np.arange(n).astype(U)
    expected_misses(cell, shot, fleets, part, missed, make_scratch(n, fleets.owner.shape[1]))
    return missed


@njit
def two_shot_misses(cells: Any, shot: Any, fleets: FleetArrays, reach: int) -> Any:
    """As `rollout_misses` over all fleets, but the second shot too is the best of `reach` cells."""
    n = len(fleets.weights)
    misses = np.zeros(len(cells))
    part, again = np.zeros(n, U), np.zeros(n, U)
    odds, nothing = np.zeros(fleets.owner.shape[1]), np.zeros(0)
    scratch = make_scratch(n, fleets.owner.shape[1])
    after = np.zeros(3, U)
    for i in range(len(cells)):
        cell = U(cells[i])
        after[:] = shot
        after[cell >> U(6)] |= ONE << (cell & U(63))
        for said in range(U(len(fleets.kinds) + 2)):
            size = 0
            for f in range(U(n)):
                if answer(f, cell, after[0], after[1], after[2], fleets) == said:
                    part[size] = f
                    size += 1
                    if said == ZERO:
                        misses[i] += fleets.weights[f]
            if size < 2:
                continue
            most_probable_cell(part[:size], after[0], after[1], after[2], fleets, odds)
            least = 1e18
            for _ in range(reach):
                second, most = -1, 0.0
                for c in range(len(odds)):
                    if odds[c] > most and not after[c >> 6] >> U(c & 63) & ONE:
                        second, most = c, odds[c]
                if second < 0:
                    break
                odds[second] = 0.0
                again[:size] = part[:size]
                found = expected_misses(second, after, fleets, again[:size], nothing, scratch)
                least = min(least, found)
            if least < 1e18:
                misses[i] += least
    return misses
