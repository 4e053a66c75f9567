"""Kernels of Battleship's vector environment beyond the rules: rewards, time limit, ships afloat.

Shapes: B boards, S ships, F entries of `remaining` (S or more). The environment keeps of every
board `steps: int32[B]`, taken in this episode, invalid ones included; `remaining: int8[B, F]`, the
sizes of the ships afloat, largest first, then zeros; `ships: int8[B]`, how many they are. Other
arrays are those of the rules' kernels.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .outcome_kernels import NOTHING


@njit
def begin(
    which: Any, sizes: Any, outcome: Any, sunk: Any, steps: Any, remaining: Any, ships: Any
) -> None:
    """New episodes on the boards where `which: bool[B]` is set; `sizes: uint64[S]`."""
    for b in range(which.shape[0]):
        if which[b]:
            outcome[b] = NOTHING
            sunk[b] = -1
            steps[b] = 0
            ships[b] = sizes.shape[0]
            for s in range(sizes.shape[0]):
                remaining[b, s] = sizes[s]


@njit
def score_step(
    resetting: Any,
    outcome: Any,
    sunk: Any,
    afloat: Any,
    reward_table: Any,
    won: int,
    limit: int,
    steps: Any,
    remaining: Any,
    ships: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> bool:
    """Turn the outcomes of one step into rewards, terminations and truncations.

    `reward_table: float64[...]` is the reward of each outcome, `won` the outcome that ends a game,
    `limit` the steps of an episode; where `resetting: bool[B]` is set nothing counts. Out:
    `rewards: float64[B]`, `terminated`, `truncated: bool[B]`. Returns whether any episode ended.
    """
    any_ended = False
    for b in range(outcome.shape[0]):
        counts = not resetting[b]
        steps[b] += 1
        over = counts and outcome[b] == won
        late = counts and not over and steps[b] >= limit
        rewards[b] = reward_table[outcome[b]] if counts else 0.0
        terminated[b] = over
        truncated[b] = late
        any_ended |= over | late
        if sunk[b] >= 0:
            left = 0
            for s in range(afloat.shape[1]):
                if afloat[b, s] > 0:
                    remaining[b, left] = afloat[b, s]
                    left += 1
            remaining[b, left] = np.int8(0)
            ships[b] = left
    return any_ended
