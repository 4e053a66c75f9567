"""The bonus of relative poses: small values that make the searching seat seek the fight."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .evaluation_kernels import REACH

CHASE, CHASE_BEYOND = 0.006, 8
"""The cost to the searching seat of each tile of distance beyond so many: it seeks the enemy."""
URGENCY = 0.006
"""The cost of each tile of distance at the turn limit; less before, in proportion."""
LEARNED_CHASE, LEARNED_CHASE_BEYOND = 0.001, 16
"""The same with the value network, which knows what distance is worth: nearer than that a bonus is
a bias, and a best response profits from it."""
APPROACH = 0.0001
"""The cost of any tile with the network: of plans of equal value those that come closer."""

FOLLOW, FOLLOW_BEYOND = 0.006, 4
"""The same against a captain that plays at random, in proportion to what a win would add."""
BESIDE = 0.015
"""What a turn that ends beside such a captain costs: its next grapple may come before an answer."""


def distance_table(tile: float, beyond: int = 0) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: `tile` for each tile of distance between the ships beyond `beyond`."""
    along = np.abs(np.arange(-REACH, REACH + 1))
    away = np.maximum(along[:, None] + along - beyond, 0).astype(np.float32) * np.float32(tile)
    return np.repeat(away[:, :, None], 4, axis=2)


def pose_values(
    seat: int, spent: float, confidence: float, *, learned: bool
) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: the bonus of relative poses to seat 0, as the searching seat sees it.

    `spent` is the share of turns gone, `learned` whether the value network evaluates. Distance
    costs the searching seat a little, so that of plans of equal value it chooses those that seek
    the fight.
    """
    value = np.float32(confidence * (1 - spent)) - (
        distance_table(LEARNED_CHASE, LEARNED_CHASE_BEYOND) + distance_table(APPROACH)
        if learned
        else distance_table(CHASE, CHASE_BEYOND) + distance_table(URGENCY * spent)
    )
    return value if seat == 0 else -value


def pose_values_against_random(seat: int, expected: float) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: the bonus to seat 0 where the searching seat's enemy plays at random.

    `expected` is the value of the position to the searching seat: the less, the more it has to
    seek the fight.
    """
    value = -distance_table(FOLLOW * (1 - expected), FOLLOW_BEYOND)
    for right, down in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        value[REACH + right, REACH + down] -= np.float32(BESIDE)
    return value if seat == 0 else -value
