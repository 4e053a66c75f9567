"""Sequential halving: how simulations are shared out among the moves at the root of a search."""

from __future__ import annotations

import math


def visit_schedule(considered: int, simulations: int) -> list[int]:
    """How often the move of each simulation must have been visited before.

    Each round gives every remaining move as many visits, then the better half remains.

    >>> visit_schedule(4, 8)
    [0, 0, 0, 0, 1, 1, 2, 2]
    """
    if considered <= 1:
        return list(range(simulations))
    rounds = math.ceil(math.log2(considered))
    schedule: list[int] = []
    visits, remaining = 0, considered
    while len(schedule) < simulations:
        for _ in range(max(1, simulations // (rounds * remaining))):
            schedule += [visits] * remaining
            visits += 1
        remaining = max(2, remaining // 2)
    return schedule[:simulations]
