"""Scoring on arrays: every movement of one ship against every movement of the other."""

from typing import Any

import numpy as np

from trireme.core.jit import njit

from .evaluation_kernels import TurnArrays, pose_value
from .response_kernels import simulate_movements


@njit
def contact_probabilities(
    turn: TurnArrays, own: Any, answers: Any, weights: Any, counts: Any, ends: Any
) -> None:
    """How often each movement of `own` could strike and be struck, over the other's movements.

    Movements and their entries [phase, m] are numbered as in `Simulations`. `answers:
    uint8[K, phases]` are the other's moves, actions being ignored, and `weights: float64[K]` their
    probabilities. `counts: float64[phases, M, 6]` gets the probabilities to grapple to port and to
    starboard, to hit to port and to starboard, to be hit, to be grappled; `ends: float64[M]` the
    mean bonus of the last poses to `own`.
    """
    phases, stride = turn.rules[1], np.int64(turn.rules[0])
    total = 4**phases
    contacts = np.zeros((phases, total), np.uint16)
    last = np.zeros((2, total, 5), np.int64)
    for j in range(answers.shape[0]):
        poses = last[simulate_movements(turn, own, answers[j], contacts, last)]
        weight = weights[j]
        count = 1
        for phase in range(phases):
            count *= 4
            for m in range(count):
                bits = contacts[phase, m]
                if bits & 255:
                    for bit in range(4):
                        if bits & (1 << bit):
                            counts[phase, m, bit] += weight
                    if bits & 192:
                        counts[phase, m, 4] += weight
                    if bits & 48:
                        counts[phase, m, 5] += weight
        for m in range(total):
            a, af, b, bf = poses[m, 0], poses[m, 1], poses[m, 2], poses[m, 3]
            if own == 0:
                ends[m] += weight * pose_value(turn.poses, turn.mobility, a, af, b, bf, stride)
            else:
                ends[m] -= weight * pose_value(turn.poses, turn.mobility, b, bf, a, af, stride)
