"""Normalised Elo: the difference in strength in units of the noise of a game pair.

It is the t-value of the score, (mean - ½) / (standard deviation of a game), times 800 / ln 10, so
that near even games without draws it equals ordinary Elo. The number of games that a test needs
depends only on it, while ordinary Elo shrinks with every draw (Van den Bergh, "Normalized Elo").
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .bootstrap import Floats

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The mean score of a pair's two games, for each of the five results."""
ELO_PER_T = 800 / math.log(10)
_MOST_STEPS = 100


def normalized_elo(shares: Sequence[float] | Floats) -> float:
    """Normalised Elo of frequencies of the five results; a game's variance is twice a pair's.

    >>> round(normalized_elo([0.1, 0.2, 0.3, 0.25, 0.15]), 1)
    30.8
    """
    return _t_value(np.asarray(shares, np.float64)) / math.sqrt(2) * ELO_PER_T


def _t_value(shares: Floats) -> float:
    mean = float(shares @ SCORES)
    return (mean - 0.5) / _deviation(shares, mean)


def _deviation(shares: Floats, mean: float) -> float:
    return math.sqrt(float(shares @ (np.array(SCORES) - mean) ** 2))


def constrained_to_mean(shares: Floats, values: Sequence[float], mean: float) -> Floats:
    """The maximum-likelihood frequencies, given observed `shares` of `values`, with this mean.

    They are shares / (1 + t·(value - mean)); t is found by bisection, as the mean falls with t.
    """
    # Plain floats: five of them are too few for arrays to be quicker.
    terms = [(share, value - mean) for share, value in zip(shares.tolist(), values, strict=True)]
    away = [term[1] for term in terms]
    low, high = -1 / max(away), -1 / min(away)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(share * away / (1 + middle * away) for share, away in terms) > 0:
            low = middle
        else:
            high = middle
    tilt = (low + high) / 2
    return np.array([share / (1 + tilt * away) for share, away in terms])


def constrained_to_normalized(shares: Floats, elo: float) -> Floats:
    """The maximum-likelihood frequencies, given observed `shares`, of this normalised Elo.

    The condition mean - ½ = t · deviation is not linear in the frequencies; it is replaced by its
    tangent at the last solution, which has a mean of 0 in shifted scores, until nothing changes.
    """
    wanted = elo / ELO_PER_T * math.sqrt(2)
    scores = np.array(SCORES)
    found = np.full(len(SCORES), 1 / len(SCORES))
    for _ in range(_MOST_STEPS):
        mean = float(found @ scores)
        deviation = _deviation(found, mean)
        shifted = scores - 0.5 - wanted * deviation * (1 + ((scores - mean) / deviation) ** 2) / 2
        before, found = found, constrained_to_mean(shares, shifted.tolist(), 0.0)
        if np.abs(found - before).max() < 1e-10:
            break
    return found
