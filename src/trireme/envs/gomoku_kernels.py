"""Gomoku boards as the side to move sees them, written for whole batches.

Boards are `int8[B, n, n]`, 0 empty, 1 black, -1 white; `counts: int32[B]` are the stones on them.
"""

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True)
def look(boards: Any, counts: Any, out: Any) -> None:
    """Write `boards` into `out: int8[B, n, n]`: 1 the mover's own stones, -1 the other's."""
    area = boards.shape[1] * boards.shape[2]
    flat, seen = boards.reshape(boards.shape[0], area), out.reshape(boards.shape[0], area)
    for b in range(boards.shape[0]):
        own = np.int8(1 - 2 * (counts[b] & 1))
        one, other = flat[b], seen[b]
        for a in range(area):
            other[a] = one[a] * own


@njit(cache=True)
def settle(
    results: Any,
    actions: Any,
    worth: Any,
    going_on: int,
    illegal: int,
    limit: int,
    counts: Any,
    lasts: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> bool:
    """Turn the results of one move, `int8[B]`, into what the environment tells.

    `worth: float64[...]` the reward of each result; a game whose result is not `going_on` is over;
    one with `limit` stones is truncated. `lasts: int64[B]` takes the point just played, unless the
    result is `illegal`. Out: `rewards: float64[B]`, `terminated`, `truncated: bool[B]`. Returns
    whether any game has ended.
    """
    some = False
    for b in range(results.shape[0]):
        over = results[b] != going_on
        late = not over and counts[b] >= limit
        rewards[b] = worth[results[b]]
        if results[b] != illegal:
            lasts[b] = actions[b]
        terminated[b] = over
        truncated[b] = late
        some |= over | late
    return some
