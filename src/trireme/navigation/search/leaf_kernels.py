"""Leaves of a turn on arrays: the positions that two mixed strategies lead to."""

from typing import Any

import numpy as np

from trireme.core.jit import njit
from trireme.navigation.kernels import GOING_ON, play_turn

from .double_oracle_kernels import OracleArrays
from .evaluation_kernels import TurnArrays, leaf_key, searched_slot


@njit(nogil=True)
def reached_leaves(turn: TurnArrays, oracle: OracleArrays, number: Any) -> Any:
    """The leaves reached with plans of both supports that are not searched yet.

    `number` is that of the turn, from 1. Returns their keys `int64[N]`, their ships `int32[N, 2,
    3]` and the probabilities `float64[N]` to reach them.
    """
    n, m = oracle.solved[0], oracle.solved[1]
    size = 0
    for i in range(n):
        for j in range(m):
            size += oracle.weights[0, i] > 0.0 and oracle.weights[1, j] > 0.0
    keys, ships = np.zeros(size, np.int64), np.zeros((size, 2, 3), np.int32)
    reach = np.zeros(size)
    count = 0
    after = np.empty((2, 3), np.int32)
    for i in range(n):
        if oracle.weights[0, i] <= 0.0:
            continue
        for j in range(m):
            chance = oracle.weights[0, i] * oracle.weights[1, j]
            if chance <= 0.0:
                continue
            after[:] = turn.ships
            outcome = play_turn(
                turn.sea,
                turn.stats,
                turn.rules,
                after,
                number,
                oracle.plans[0, i],
                oracle.plans[1, j],
            )
            if outcome != GOING_ON:
                continue
            first, second = 4 * after[0, 0] + after[0, 1], 4 * after[1, 0] + after[1, 1]
            key = leaf_key(first, second, after[0, 2], after[1, 2])
            if turn.searched[searched_slot(turn.searched, key)] == key:
                continue
            at = 0
            while at < count and keys[at] != key:
                at += 1
            if at == count:
                keys[at] = key
                ships[at] = after
                count += 1
            reach[at] += chance
    return keys[:count], ships[:count], reach[:count]
