"""The value of hit points against a captain that plays at random, by backward induction.

The fight is simplified to a Markov decision process: a state is the turn and both hit points, and
in each turn the captain chooses how near to the enemy it sails. Where the ships stand is left
to the search of the turn, which sees the dangers of its own plans. What this adds is what lies
behind the turn: whether a risk is worth taking now, or a better chance worth waiting for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trireme.navigation.ships import ShipType

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Approach(NamedTuple):
    """A way to sail for one turn, by the probabilities of what happens in it."""

    wins: float
    """The enemy is grappled."""
    draws: float
    """Both are grappled in the same phase."""
    loses: float
    """The own ship is grappled."""
    hits: float
    """A whole salvo hits the enemy."""
    is_hit: float
    """A whole salvo of the enemy hits."""


APPROACHES = (
    Approach(0.06, 0.004, 0.004, 0.25, 0.06),
    Approach(0.02, 0.0002, 0.0002, 0.10, 0.005),
    Approach(0.0, 0.0, 0.0, 0.0, 0.0005),
)
"""Into the fight; only where next to no answer is possible; and away from the enemy. Rounded from
what happened in some 4,000 turns of games against `random`."""


@lru_cache(maxsize=16)
def values_against_random(own: ShipType, other: ShipType, turn_limit: int) -> Floats:
    """`float64[turn_limit + 1, H, H']`: the value, from -1 (lost) to 1 (won), by turns played, own
    hit points and the enemy's."""
    hp, other_hp = np.arange(own.hp + 1), np.arange(other.hp + 1)
    left = np.maximum(hp - other.shots * other.damage, 0)
    other_left = np.maximum(other_hp - own.shots * own.damage, 0)
    value = np.sign(np.subtract.outer(hp * other.hp, other_hp * own.hp)).astype(np.float64)
    sunk, sinks = hp[:, None] == 0, other_hp[None] == 0
    over, result = sunk | sinks, 1.0 * sinks - 1.0 * sunk
    found = [np.where(over, result, value)]
    for _ in range(turn_limit):
        after = found[-1]
        value = np.max([_value(how, after, left, other_left) for how in APPROACHES], axis=0)
        found.append(np.where(over, result, value))
    return np.stack(found[::-1])


def _value(how: Approach, after: Floats, left: Ints, other_left: Ints) -> Floats:
    """The value of sailing so for a turn, given the values `after` it."""
    hit = how.hits * after[:, other_left] + (1 - how.hits) * after
    fought = how.is_hit * hit[left] + (1 - how.is_hit) * hit
    return how.wins - how.loses + (1 - how.wins - how.draws - how.loses) * fought
