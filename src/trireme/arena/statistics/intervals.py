"""Intervals: Wilson's for a score, the bootstrap over clusters for means and medians."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Half of the width, in standard deviations, of a 95 % interval of the normal distribution."""
REPLICATES = 2000

Interval = tuple[float, float]
Floats = NDArray[np.float64]


def wilson(points: float, games: float, z: float = Z95) -> Interval:
    """Wilson's interval for the share `points / games`; a draw counts half a point.

    >>> low, high = wilson(5, 10)
    >>> round(low, 4), round(high, 4)
    (0.2366, 0.7634)
    """
    if games <= 0:
        return 0.0, 1.0
    share = points / games
    scale = 1 + z * z / games
    middle = (share + z * z / (2 * games)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    return max(0.0, middle - half), min(1.0, middle + half)


def bootstrap_weights(clusters: int, replicates: int, seed: int = 0) -> Floats:
    """How often each replicate draws each cluster: float64[replicates, clusters]."""
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(clusters, np.full(clusters, 1 / clusters), size=replicates)
    return drawn.astype(np.float64)


def small_sample(clusters: int) -> float:
    """By how much the percentiles of a bootstrap over few clusters are too narrow.

    Resampling n clusters finds (n-1)/n of the variance, and its quantiles are the normal ones
    where Student's are due (their quotient is Cornish and Fisher's series).

    >>> [round(small_sample(n), 3) for n in (5, 10, 100)]
    [1.557, 1.215, 1.017]
    """
    if clusters < 2:
        return math.inf
    z, v = Z95, clusters - 1
    t = z + (z**3 + z) / (4 * v) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
    return math.sqrt(clusters / v) * t / z


def bootstrap_mean(values: Floats, seed: int = 0, replicates: int = REPLICATES) -> Interval:
    """The 95 % interval of the mean of independent values, by resampling them."""
    count = len(values)
    if count < 2:
        return float("-inf"), float("inf")
    mean = float(values.mean())
    means = bootstrap_weights(count, replicates, seed) @ values / count
    spread = (means - mean) * small_sample(count)
    low, high = np.quantile(spread, (0.025, 0.975))
    return mean + float(low), mean + float(high)
