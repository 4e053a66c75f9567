"""Kernels that make puzzles: what every course of a turn is worth, and which are safe.

A course is the moves of a plan without its actions, as a number: phase `k`, from 0, has the bits
`2k` and `2k + 1`, in the order of `plans.MOVES`. Arrays are those of `kernels`; turns that the map
half blocks end where they began.
"""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .kernels import act, drift, move, reaches


@njit
def _could_hit(
    sea: Any, tile: Any, facing: Any, enemy: Any, stats: Any, seat: Any, stride: Any, boards: bool
) -> bool:
    """Whether a shot of `seat` to either side would hit; with `boards`, or a grapple."""
    reach = max(stats[seat, 0], stats[seat, 3]) if boards else stats[seat, 0]
    port, starboard = (facing + 3) & 3, (facing + 1) & 3
    return reaches(sea, tile, port, enemy, reach, stride) or reaches(
        sea, tile, starboard, enemy, reach, stride
    )


@njit
def course_damage(sea: Any, stats: Any, stride: Any, ships: Any, plan: Any, dealt: Any) -> None:
    """Fill `dealt: int32[4 ** phases]`: the most hit points that seat 0 can take on each course
    from an enemy who sails `plan: uint8[phases]`; -1 where the enemy hits or grapples it first."""
    volley = stats[0, 1] * stats[0, 2]
    for course in range(dealt.shape[0]):
        a, af = np.int64(ships[0, 0]), np.int64(ships[0, 1])
        b, bf = np.int64(ships[1, 0]), np.int64(ships[1, 1])
        total, hp = np.int64(0), np.int64(ships[1, 2])
        for phase in range(plan.shape[0]):
            ours, theirs = (course >> (2 * phase)) & 3, np.int64(plan[phase])
            a, af, _, b, bf, _ = move(sea, a, af, ours, b, bf, theirs & 3, stride, False)
            a, af, b, bf = drift(sea, a, af, b, bf)
            hits, boards = act(sea, b, bf, theirs, a, stats, 1, stride)
            if hits > 0 or boards:
                total = np.int64(-1)
                break
            if _could_hit(sea, a, af, b, stats, 0, stride, False):
                total = min(hp, total + volley)
                if total == hp:
                    break
        dealt[course] = total


@njit
def safe_courses(sea: Any, stats: Any, stride: Any, ships: Any, phases: Any, safe: Any) -> None:
    """Fill `safe: bool[4 ** phases]`: whether no plan of seat 1 could hit or grapple seat 0."""
    for course in range(safe.shape[0]):
        safe[course] = True
        for other in range(safe.shape[0]):
            a, af = np.int64(ships[0, 0]), np.int64(ships[0, 1])
            b, bf = np.int64(ships[1, 0]), np.int64(ships[1, 1])
            for phase in range(phases):
                ours, theirs = (course >> (2 * phase)) & 3, (other >> (2 * phase)) & 3
                a, af, _, b, bf, _ = move(sea, a, af, ours, b, bf, theirs, stride, False)
                a, af, b, bf = drift(sea, a, af, b, bf)
                if _could_hit(sea, b, bf, a, stats, 1, stride, True):
                    safe[course] = False
                    break
            if not safe[course]:
                break
