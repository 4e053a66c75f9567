"""What the vector environment of Battleship keeps beside the rules: rewards, limits, ships afloat.

Shapes: B boards, S ships, F entries of `remaining` (S or more).
"""

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)
def begin(which: Any, sizes: Any, steps: Any, remaining: Any, ships: Any) -> None:
    """Counters of a new episode on the boards where `which: bool[B]` is set.

    `sizes: int64[S]`; `steps: int32[B]` taken; `remaining: int8[B, F]` sizes of the ships afloat,
    then zeros; `ships: int8[B]` how many they are.
    """
    for b in range(which.shape[0]):
        if which[b]:
            steps[b] = 0
            ships[b] = sizes.shape[0]
            for s in range(sizes.shape[0]):
                remaining[b, s] = sizes[s]


@njit(cache=True)
def settle(
    outcome: Any,
    sunk: Any,
    afloat: Any,
    worth: Any,
    won: int,
    limit: int,
    steps: Any,
    remaining: Any,
    ships: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> bool:
    """Turn the outcomes of one step, `int8[B]`, into what the environment tells.

    `sunk: int8[B]` ship sunk or -1; `afloat: int8[B, S]` sizes, 0 once sunk; `worth: float64[...]`
    the reward of each outcome; `won` the outcome that ends the game; `limit` steps in an episode.
    Out: `rewards: float64[B]`, `terminated`, `truncated: bool[B]`, and the counters of `begin`.
    Returns whether any episode has ended.
    """
    some = False
    for b in range(outcome.shape[0]):
        steps[b] += 1
        rewards[b] = worth[outcome[b]]
        over = outcome[b] == won
        late = not over and steps[b] >= limit
        terminated[b] = over
        truncated[b] = late
        some |= over | late
        if sunk[b] >= 0:
            left = 0
            for s in range(afloat.shape[1]):
                if afloat[b, s] > 0:
                    remaining[b, left] = afloat[b, s]
                    left += 1
            remaining[b, left] = np.int8(0)
            ships[b] = left
    return some
