"""Evaluation on arrays: what a position after a turn is worth, by the network or by a formula.

A leaf of the search is a position between two turns. Its value to seat 0, from -1 (lost) to 1
(won), comes from the value network (`value_network`), which is stored as tables so that a leaf
costs a few dozen additions, or from a formula of hit points. A bonus for the relative poses is
added to either.
"""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

REACH = 25
"""As far apart as two ships on the largest map can be, along one axis."""
SPAN = 2 * REACH + 1
"""Places of another ship along one axis: the N of all shapes."""
RACE, SHARE, LIMIT = 1.6, 0.8, 12.0
"""Weights of the fight to the end, of hit points saved, and of the count at the turn limit."""


class NetworkTables(NamedTuple):
    """The value network for one game: see `value_network`; K hidden units, 0 without a network."""

    relative: Any
    """float32[2, N × N × 4, K]: by seat, and by the other's relative pose as this seat sees it."""
    own: Any
    """float32[2, P × 4, K]: 1 for the mirrored sea, and own pose: the terrain round a ship."""
    other: Any
    """float32[2, P × 4, K]: the same for the terrain round the other ship."""
    conditions: Any
    """float32[H, H', 2, K + 1]: by hit points and seat: the output weights of the seat's units,
    and a constant term."""


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


@njit
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


@njit
def pose_value(
    poses: Any, mobility: Any, first: Any, bow: Any, other: Any, other_bow: Any, stride: Any
) -> Any:
    """The bonus to seat 0 of the poses alone, `first` being its tile; tables of `TurnArrays`."""
    right, down, facing = relative_pose(first, bow, other, other_bow, stride)
    value = poses[right + REACH, down + REACH, facing]
    return value + mobility[other, other_bow] - mobility[first, bow]


@njit
def hidden_units(
    relative: Any, own: Any, theirs: Any, first: Any, bow: Any, other: Any, other_bow: Any,
    stride: Any, features: Any, e: Any, m: Any,
) -> None:  # fmt: skip
    """`features[e, m]: float32[2, K]`: the hidden units as seat 0 sees the poses, and seat 1.

    They are summed over the position and its mirror image, so mirroring changes nothing. The tables
    are those of `NetworkTables`; whole arrays are passed: views would cost more than the sums.
    """
    zero = np.float32(0.0)
    for seat in range(2):
        if seat == 0:
            a, af, b, bf = first, bow, other, other_bow
        else:
            a, af, b, bf = other, other_bow, first, bow
        right, down, facing = relative_pose(a, af, b, bf, stride)
        row = ((right + REACH) * SPAN + down + REACH) * 4 + facing
        mirrored = ((REACH - right) * SPAN + down + REACH) * 4 + ((4 - facing) & 3)
        mine, yours = 4 * a + af, 4 * b + bf
        for k in range(own.shape[2]):
            x = relative[seat, row, k] + own[0, mine, k] + theirs[0, yours, k]
            y = relative[seat, mirrored, k] + own[1, mine, k] + theirs[1, yours, k]
            features[e, m, seat, k] = max(x, zero) + max(y, zero)


@njit
def blend(base: Any, poses: Any) -> Any:
    """Base value and poses together: `poses` is the share of the way from `base` to the end."""
    return base + poses * (1.0 - base if poses > 0.0 else 1.0 + base)


@njit
def network_value(conditions: Any, hp: Any, other_hp: Any, features: Any, e: Any, m: Any) -> Any:
    """The network's value to seat 0 of hit points and of `features[e, m]`.

    Four sums at a time: one alone would wait for each addition.
    """
    units = features.shape[3]
    a = b = c = d = np.float32(0.0)
    for seat in range(2):
        for k in range(0, units, 4):
            a += conditions[hp, other_hp, seat, k] * features[e, m, seat, k]
            b += conditions[hp, other_hp, seat, k + 1] * features[e, m, seat, k + 1]
            c += conditions[hp, other_hp, seat, k + 2] * features[e, m, seat, k + 2]
            d += conditions[hp, other_hp, seat, k + 3] * features[e, m, seat, k + 3]
        a += conditions[hp, other_hp, seat, units]
    total = np.float64((a + b) + (c + d))
    return total / (1.0 + abs(total))


@njit
def leaf_key(first: Any, second: Any, hp: Any, other_hp: Any) -> Any:
    """A leaf as one number above 0: poses (4 × tile + facing) and hit points of both seats."""
    return ((np.int64(first) << 24) | (np.int64(second) << 12) | (np.int64(hp) << 6) | other_hp) + 1


@njit
def searched_slot(searched: Any, key: Any) -> Any:
    """Where a leaf is or would be in the hash table, whose size is a power of 2."""
    mask = searched.shape[0] - 1
    at = (key * 0x9E3779B97F4A7C1 >> 20) & mask
    while searched[at] != 0 and searched[at] != key:
        at = (at + 1) & mask
    return at


@njit
def leaf_value(
    hp_values: Any,
    conditions: Any,
    searched: Any,
    searched_values: Any,
    features: Any,
    bonus: Any,
    unsure: Any,
    poses: Any,
    e: Any,
    m: Any,
    hp: Any,
    other_hp: Any,
) -> Any:
    """The value to seat 0 of a leaf with hit points above 0, at [e, m] of `Simulations`.

    Whole arrays are passed, and loose ones: a view costs more than the sum.
    """
    base = hp_values[0, hp, other_hp]
    if hp_values[1, hp, other_hp] == 0.0:
        return base
    if features.shape[3] > 0:
        base = network_value(conditions, hp, other_hp, features, e, m)
    if searched.shape[0] > 1:
        key = leaf_key(poses[e, m, 0], poses[e, m, 1], hp, other_hp)
        at = searched_slot(searched, key)
        if searched[at] == key:
            return blend(searched_values[at], np.float64(bonus[e, m]))
    return blend(base, np.float64(bonus[e, m]) + unsure)
