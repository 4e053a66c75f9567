"""Evaluation on arrays: what a position after a turn is worth, by the network or by a formula.

A leaf of the search is a position between two turns. Its value to seat 0, from -1 (lost) to 1
(won), comes from the value network (`value_network`) or from a formula of hit points. The network
is stored as tables, and what it makes of two poses is remembered for as long as a game is searched
(`PosePairs`), so that a leaf costs a few dozen additions. A bonus for the relative poses is added
to either. A turn asks for the same leaves again and again: their values are cached (`LeafCache`).
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

from .contact_kernels import contact_rates, find_contacts

REACH = 25
"""As far apart as two ships on the largest map can be, along one axis."""
SPAN = 2 * REACH + 1
"""Places of another ship along one axis: the N of all shapes."""
RACE, SHARE, LIMIT = 1.6, 0.8, 12.0
"""Weights of the fight to the end, of hit points saved, and of the count at the turn limit."""


class NetworkTables(NamedTuple):
    """The value network for one game: see `value_network`; K units, then D, 0 without one."""

    relative: Any
    """float32[2, N × N × 4, K]: by seat, and by the other's relative pose as this seat sees it."""
    own: Any
    """float32[2, P × 4, K]: 1 for the mirrored sea, and own pose: the terrain round a ship."""
    other: Any
    """float32[2, P × 4, K]: the same for the terrain round the other ship."""
    contact: Any
    """float32[2 × RATES, K]: of the own contact rates, then of the other's."""
    second: Any
    """float32[K, D]: the second layer."""
    second_bias: Any
    """float32[D]"""
    conditions: Any
    """float32[H, H', 2, D + 1]: by hit points and seat: the output weights of the seat's units,
    and a constant term."""


class PosePairs(NamedTuple):
    """The hidden units of pairs of poses that were evaluated before: a hash table, and its rows.

    They depend on the poses alone, so that one table serves all turns and leaves of a game.
    """

    keys: Any
    """int32[C]: seat 0's pose × 4096 + seat 1's + 1, a pose being 4 × tile + facing; 0 is empty."""
    slots: Any
    """int32[C]: the row of each."""
    poses: Any
    """int32[N, 2]: by row, the poses of seat 0 and seat 1."""
    units: Any
    """float32[N, 2, D]: by row and seat."""
    count: Any
    """int64[1]: rows in use."""
    rates: Any
    """float32[2, 2 × RATES]: working memory, like the next."""
    hidden: Any
    """float32[K]"""
    summed: Any
    """float32[D]"""


class LeafCache(NamedTuple):
    """Values of leaves; a new one takes the place of the last one with the same hash."""

    keys: Any
    """int64[C]: the stamp of the evaluation, the row in `PosePairs`, both hit points; C is a power
    of 2."""
    values: Any
    """float64[C]: to seat 0."""
    stamps: Any
    """int64[1]: the last stamp that was given."""


class TurnArrays(NamedTuple):
    """A position to be searched: its game, its ships and the evaluation after the turn."""

    sea: Any
    """uint32[P]: see `kernels`, as for the next three."""
    stats: Any
    """int32[2, 5]"""
    rules: Any
    """int32[6]"""
    ships: Any
    """int32[2, 3]"""
    mobility: Any
    """float32[P, 4]: by tile and facing, what a lack of mobility costs a ship."""
    poses: Any
    """float32[N, N, 4]: by seat 1's place and facing as seat 0 sees it, its own bow up: the bonus
    of these relative poses to seat 0; N = SPAN."""
    unsure: Any
    """float: what is added to that bonus where the leaf was not searched itself."""
    hp_values: Any
    """float64[2, H, H']: by hit points of seat 0 and seat 1: their value to seat 0, and 1 where
    poses count beside them, 0 where the game is over."""
    network: Any
    """NetworkTables"""
    contacts: Any
    """ContactTables"""
    pairs: Any
    """PosePairs, of this game and network"""
    cache: Any
    """LeafCache"""
    stamp: Any
    """int: tells this evaluation from others in the cache; below 2³³."""
    searched: Any
    """int64[C]: hash table of leaves that were searched themselves, by `leaf_key`; 0 is empty."""
    searched_values: Any
    """float64[C]: their values to seat 0."""


@njit
def hit_point_values(stats: Any, rules: Any, turn: Any) -> Any:
    """`TurnArrays.hp_values` after `turn` turns: the evaluation of both ships' hit points.

    They count as a fight to the end and as shares.
    """
    most, other_most = stats[0, 4], stats[1, 4]
    salvo, other_salvo = stats[0, 1] * stats[0, 2], stats[1, 1] * stats[1, 2]
    hp_values = np.zeros((2, most + 1, other_most + 1))
    urgency = (turn / rules[4]) ** 6
    for hp in range(1, most + 1):
        for other in range(1, other_most + 1):
            share = hp / most - other / other_most
            if turn >= rules[4]:
                hp_values[0, hp, other] = np.sign(hp * other_most - other * most)
                continue
            lasts, other_lasts = hp / other_salvo, other / salvo
            race = (lasts - other_lasts) / (lasts + other_lasts)
            fight = np.tanh(RACE * race + SHARE * share)
            base = (1.0 - urgency) * fight + urgency * np.tanh(LIMIT * share)
            hp_values[0, hp, other] = base
            hp_values[1, hp, other] = 1.0
    return hp_values


@njit(makes_arrays=False)
def relative_pose(tile: Any, bow: Any, other: Any, other_bow: Any, stride: Any) -> Any:
    """The other ship as seen with the own bow up: (tiles to the right, tiles down, facing)."""
    right = other % stride - tile % stride
    down = other // stride - tile // stride
    if bow == 1:
        right, down = down, -right
    elif bow == 2:
        right, down = -right, -down
    elif bow == 3:
        right, down = -down, right
    return right, down, (other_bow - bow) & 3


@njit(makes_arrays=False)
def pose_value(
    poses: Any, mobility: Any, first: Any, bow: Any, other: Any, other_bow: Any, stride: Any
) -> Any:
    """The bonus to seat 0 of the poses alone, `first` being its tile; tables of `TurnArrays`."""
    right, down, facing = relative_pose(first, bow, other, other_bow, stride)
    value = poses[right + REACH, down + REACH, facing]
    return value + mobility[other, other_bow] - mobility[first, bow]


@njit(makes_arrays=False)
def hidden_units(
    network: NetworkTables, pairs: PosePairs, first: Any, second: Any, stride: Any, slot: Any
) -> None:
    """Write the hidden units as seat 0 sees the poses, and seat 1, into row `slot`.

    The units of the first layer are summed over the position and its mirror image, so mirroring
    changes nothing; the contact rates, `pairs.rates`, are the same in both. Four rows of a layer at
    a time: a sum is written less often.
    """
    zero = np.float32(0.0)
    relative, own, theirs = network.relative, network.own, network.other
    contact, layer, bias = network.contact, network.second, network.second_bias
    units, rates, hidden, summed = pairs.units, pairs.rates, pairs.hidden, pairs.summed
    for seat in range(2):
        mine, yours = (first, second) if seat == 0 else (second, first)
        right, down, facing = relative_pose(mine >> 2, mine & 3, yours >> 2, yours & 3, stride)
        row = ((right + REACH) * SPAN + down + REACH) * 4 + facing
        mirrored = ((REACH - right) * SPAN + down + REACH) * 4 + ((4 - facing) & 3)
        for k in range(hidden.shape[0]):
            hidden[k] = zero
        for i in range(0, contact.shape[0], 4):
            a, b, c, d = rates[seat, i], rates[seat, i + 1], rates[seat, i + 2], rates[seat, i + 3]
            if a + b + c + d == zero:
                continue
            for k in range(hidden.shape[0]):
                hidden[k] += (a * contact[i, k] + b * contact[i + 1, k]) + (
                    c * contact[i + 2, k] + d * contact[i + 3, k]
                )
        for k in range(hidden.shape[0]):
            x = relative[seat, row, k] + own[0, mine, k] + theirs[0, yours, k] + hidden[k]
            y = relative[seat, mirrored, k] + own[1, mine, k] + theirs[1, yours, k] + hidden[k]
            hidden[k] = max(x, zero) + max(y, zero)
        for k in range(summed.shape[0]):
            summed[k] = bias[k]
        for i in range(0, layer.shape[0], 4):
            a, b, c, d = hidden[i], hidden[i + 1], hidden[i + 2], hidden[i + 3]
            for k in range(summed.shape[0]):
                summed[k] += (a * layer[i, k] + b * layer[i + 1, k]) + (
                    c * layer[i + 2, k] + d * layer[i + 3, k]
                )
        for k in range(summed.shape[0]):
            units[slot, seat, k] = max(summed[k], zero)


@njit(makes_arrays=False)
def pair_place(keys: Any, key: Any) -> Any:
    """Where a pair of poses is or would be in the hash table of `PosePairs`."""
    mask = keys.shape[0] - 1
    at = (np.int64(key) * 0x9E3779B97F4A7C1 >> 36) & mask
    while keys[at] != 0 and keys[at] != key:
        at = (at + 1) & mask
    return at


@njit(makes_arrays=False)
def add_pair(
    keys: Any, slots: Any, poses: Any, count: Any, at: Any, first: Any, second: Any
) -> Any:
    """Give two poses a row of `PosePairs`, to be evaluated, in the place `at` of the hash table."""
    slot = count[0]
    if slot == poses.shape[0]:
        raise MemoryError("no room for another pair of poses")
    count[0] += 1
    keys[at], slots[at] = (first << 12 | second) + 1, slot
    poses[slot, 0], poses[slot, 1] = first, second
    return slot


@njit(makes_arrays=False)
def evaluate_pairs(turn: TurnArrays, begin: Any) -> None:
    """Evaluate the pairs of poses from row `begin` on."""
    contacts, pairs, stride = turn.contacts, turn.pairs, np.int64(turn.rules[0])
    if pairs.units.shape[2] == 0:
        return
    for slot in range(begin, pairs.count[0]):
        mine, yours = np.int64(pairs.poses[slot, 0]), np.int64(pairs.poses[slot, 1])
        for pose in (mine, yours):
            if contacts.counts[pose] == 0:
                find_contacts(contacts, turn.sea, turn.stats, turn.rules, pose)
        contact_rates(contacts, stride, mine, yours, pairs.rates)
        hidden_units(turn.network, pairs, mine, yours, stride, slot)


@njit(makes_arrays=False)
def blend(base: Any, poses: Any) -> Any:
    """Base value and poses together: `poses` is the share of the way from `base` to the end."""
    return base + poses * (1.0 - base if poses > 0.0 else 1.0 + base)


@njit(makes_arrays=False)
def network_value(conditions: Any, hp: Any, other_hp: Any, units: Any, slot: Any) -> Any:
    """The network's value to seat 0 of hit points and of `units[slot]`.

    Four sums at a time: one alone would wait for each addition.
    """
    count = units.shape[2]
    a = b = c = d = np.float32(0.0)
    for seat in range(2):
        for k in range(0, count, 4):
            a += conditions[hp, other_hp, seat, k] * units[slot, seat, k]
            b += conditions[hp, other_hp, seat, k + 1] * units[slot, seat, k + 1]
            c += conditions[hp, other_hp, seat, k + 2] * units[slot, seat, k + 2]
            d += conditions[hp, other_hp, seat, k + 3] * units[slot, seat, k + 3]
        a += conditions[hp, other_hp, seat, count]
    total = np.float64((a + b) + (c + d))
    return total / (1.0 + abs(total))


@njit(makes_arrays=False)
def leaf_key(first: Any, second: Any, hp: Any, other_hp: Any) -> Any:
    """A leaf as one number above 0: poses (4 × tile + facing) and hit points of both seats."""
    return ((np.int64(first) << 24) | (np.int64(second) << 12) | (np.int64(hp) << 6) | other_hp) + 1


@njit(makes_arrays=False)
def searched_slot(searched: Any, key: Any) -> Any:
    """Where a leaf is or would be in the hash table, whose size is a power of 2."""
    mask = searched.shape[0] - 1
    at = (key * 0x9E3779B97F4A7C1 >> 20) & mask
    while searched[at] != 0 and searched[at] != key:
        at = (at + 1) & mask
    return at


@njit(makes_arrays=False)
def cache_place(keys: Any, stamp: Any, slot: Any, hp: Any, other_hp: Any) -> Any:
    """(key, place in `LeafCache`) of a leaf with its poses in row `slot` of `PosePairs`.

    If the place holds another key, `cache_leaf` has to evaluate the leaf.
    """
    key = np.int64(stamp) << 30 | np.int64(slot) << 12 | np.int64(hp) << 6 | np.int64(other_hp)
    return key, (key * 0x9E3779B97F4A7C1 >> 36) & (keys.shape[0] - 1)


@njit(makes_arrays=False)
def cache_leaf(turn: TurnArrays, key: Any, at: Any, slot: Any, hp: Any, other_hp: Any) -> None:
    """Evaluate a leaf with hit points above 0, and put its value to seat 0 into the cache.

    Callers look it up themselves: to pass the turn costs more than that.
    """
    turn.cache.keys[at] = key
    base = turn.hp_values[0, hp, other_hp]
    if turn.hp_values[1, hp, other_hp] == 0.0:
        turn.cache.values[at] = base
        return
    first, second = np.int64(turn.pairs.poses[slot, 0]), np.int64(turn.pairs.poses[slot, 1])
    bonus = np.float64(
        pose_value(
            turn.poses, turn.mobility, first >> 2, first & 3, second >> 2, second & 3,
            np.int64(turn.rules[0]),
        )
    )  # fmt: skip
    if turn.pairs.units.shape[2] > 0:
        base = network_value(turn.network.conditions, hp, other_hp, turn.pairs.units, slot)
    if turn.searched.shape[0] > 1:
        leaf = leaf_key(first, second, hp, other_hp)
        found = searched_slot(turn.searched, leaf)
        if turn.searched[found] == leaf:
            turn.cache.values[at] = blend(turn.searched_values[found], bonus)
            return
    turn.cache.values[at] = blend(base, bonus + turn.unsure)
