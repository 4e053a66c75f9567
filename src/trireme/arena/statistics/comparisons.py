"""Paired comparisons: the sign-flip permutation test, Holm's correction, and cycles of wins."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from .bootstrap import Floats

_EXACT = 50_000_000
"""Additions that the exact distribution may cost before the normal approximation replaces it."""


def sign_flip_p(differences: Sequence[float] | Floats) -> float:
    """The two-sided p-value of the sign-flip permutation test on paired differences.

    Under the null hypothesis each difference could as well have the other sign: the p-value is the
    share of all choices of signs whose sum is as far from 0 as the observed one. Exact for
    differences on a grid (quarters of a point, shots), by convolution; normal for very many.

    >>> sign_flip_p([1, 1, 1, 1, 1])
    0.0625
    """
    values = np.asarray(differences, np.float64)
    steps = np.rint(np.abs(values) * 4).astype(np.int64)
    steps = steps[steps > 0]
    if not len(steps):
        return 1.0
    seen = abs(float(values.sum()))
    unit = int(np.gcd.reduce(steps))
    steps //= unit
    reach = int(steps.sum())
    if reach * len(steps) > _EXACT or not np.allclose(np.abs(values) * 4 % 1, 0):
        return math.erfc(seen / math.sqrt(2 * float((values**2).sum())))
    # chances[k]: the signed sum is 2k - reach units.
    chances = np.zeros(reach + 1)
    chances[0] = 1.0
    for step in steps:
        moved = np.zeros_like(chances)
        moved[step:] = chances[:-step]
        chances = (chances + moved) / 2
    sums = np.abs(2 * np.arange(reach + 1) - reach)
    return float(min(1.0, chances[sums >= round(seen * 4 / unit)].sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction: p-values that control the family-wise error rate.

    >>> [round(p, 6) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected = [0.0] * len(p_values)
    reached = 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, p_values[i] * (len(p_values) - rank)))
        corrected[i] = reached
    return corrected


def find_cycle(beats: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The shortest cycle of agents in which each beats the next and the last beats the first.

    >>> find_cycle({"rock": ["scissors"], "scissors": ["paper"], "paper": ["rock"]})
    ['rock', 'scissors', 'paper']
    >>> find_cycle({"a": ["b", "c"], "b": ["c"]}) is None
    True
    """
    best: list[str] | None = None
    for start in beats:
        path = _shortest_way_back(beats, start)
        if path is not None and (best is None or len(path) < len(best)):
            best = path
    return best


def _shortest_way_back(beats: Mapping[str, Sequence[str]], start: str) -> list[str] | None:
    ways: list[list[str]] = [[start]]
    seen: set[str] = set()
    for way in ways:
        for beaten in beats.get(way[-1], ()):
            if beaten == start:
                return way
            if beaten not in seen:
                seen.add(beaten)
                ways.append([*way, beaten])
    return None
