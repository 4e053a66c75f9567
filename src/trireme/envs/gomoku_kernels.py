"""Kernels of Gomoku's vector environment beyond the rules: rewards, move limit, observations."""

from typing import Any, NamedTuple

import numpy as np

from trireme.core.jit import njit

from .outcome_kernels import NOTHING


class Games(NamedTuple):
    """A batch of games in play."""

    boards: Any
    """int8[B, n, n]: 0 empty, 1 black, -1 white."""
    counts: Any
    """int32[B]: the stones on each board."""
    lasts: Any
    """int64[B]: the point of the newest stone, or -1."""
    results: Any
    """int8[B]: what the last move led to, or NOTHING."""


@njit
def begin(which: Any, opening: Any, stones: int, last: int, games: Any) -> None:
    """New games on the boards where `which: bool[B]` is set.

    They begin with the `stones` of `opening: int8[n, n]`, the newest on point `last` or -1.
    """
    for b in range(which.shape[0]):
        if which[b]:
            games.boards[b] = opening
            games.counts[b] = stones
            games.lasts[b] = last
            games.results[b] = NOTHING


@njit
def score_step(
    actions: Any,
    resetting: Any,
    games: Any,
    reward_table: Any,
    going_on: int,
    illegal: int,
    limit: int,
    rewards: Any,
    terminated: Any,
    truncated: Any,
) -> bool:
    """Turn the results of one move on every board into rewards, terminations and truncations.

    `actions: int64[B]` are the points just played; `reward_table: float64[...]` the reward of each
    result. A game whose result is not `going_on` is over, one with `limit` stones is truncated,
    and where `resetting: bool[B]` is set nothing counts. Out: `rewards: float64[B]`, `terminated`,
    `truncated: bool[B]`. Returns whether any game has ended.
    """
    any_ended = False
    for b in range(actions.shape[0]):
        result = games.results[b]
        over = result != going_on and not resetting[b]
        late = not over and games.counts[b] >= limit and not resetting[b]
        rewards[b] = 0.0 if resetting[b] else reward_table[result]
        if result != illegal:
            games.lasts[b] = actions[b]
        terminated[b] = over
        truncated[b] = late
        any_ended |= over | late
    return any_ended


@njit
def show(games: Any, board: Any, black: Any, last: Any, mask: Any) -> None:
    """Write what the sides to move see, and `mask: int8[B, n * n]`, 1 where a point is empty.

    `board: int8[B, n, n]`, 1 the mover's own stones, -1 the other's; `black: int8[B, 1]`, 1 when
    black is to move; `last: int32[B, 1]`, the newest stone's point or -1.
    """
    size = games.boards.shape[0]
    area = games.boards.shape[1] * games.boards.shape[2]
    flat, seen = games.boards.reshape(size, area), board.reshape(size, area)
    for b in range(size):
        own = np.int8(1 - 2 * (games.counts[b] & 1))
        stones, shown, empty = flat[b], seen[b], mask[b]
        for a in range(area):
            shown[a] = stones[a] * own
            empty[a] = stones[a] == 0
        black[b, 0] = 1 - (games.counts[b] & 1)
        last[b, 0] = games.lasts[b]
