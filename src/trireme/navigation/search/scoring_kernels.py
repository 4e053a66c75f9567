"""Scoring on arrays: every movement of one ship against every movement of the other."""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .search_kernels import sail


@njit
def count_chances(
    sea: Any,
    stats: Any,
    rules: Any,
    ships: Any,
    own: Any,
    answers: Any,
    weights: Any,
    room: Any,
    table: Any,
    counts: Any,
    ends: Any,
) -> None:
    """How often each movement of `own` could strike and be struck, over the other's movements.

    Arrays are those of `search_kernels`; movements and their entries [phase, m] are numbered as
    by `sail`. `answers: uint8[K, phases]` are the other's moves, actions being ignored, and
    `weights: float64[K]` their chances. `counts: float64[phases, M, 6]` gets the chances to
    grapple to port and to starboard, to hit to port and to starboard, to be hit, to be grappled;
    `ends: float64[M]` the mean worth of the last poses to `own`.
    """
    phases = rules[1]
    total = 4**phases
    seen = np.zeros((phases, total), np.uint16)
    place = np.zeros(total)
    for j in range(answers.shape[0]):
        sail(sea, stats, rules, ships, own, answers[j], seen, room, table, place)
        weight = weights[j]
        count = 1
        for phase in range(phases):
            count *= 4
            for m in range(count):
                bits = seen[phase, m]
                if bits & 255:
                    for bit in range(4):
                        if bits & (1 << bit):
                            counts[phase, m, bit] += weight
                    if bits & 192:
                        counts[phase, m, 4] += weight
                    if bits & 48:
                        counts[phase, m, 5] += weight
        for m in range(total):
            ends[m] += weight * place[m]
