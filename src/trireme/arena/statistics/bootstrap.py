"""Bootstrap intervals: whole clusters of games are resampled, with a small-sample correction."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trireme.core.intervals import Z95, Interval

REPLICATES = 2000

Floats = NDArray[np.float64]


BATCH_BYTES = 16 << 20
"""Bytes of weights that are held at once: all of them would take gigabytes for a long match."""


def bootstrap_weights(clusters: int, replicates: int, seed: int = 0) -> Iterator[Floats]:
    """How often each bootstrap replicate draws each cluster: batches of float64[n, clusters] that
    together have `replicates` rows."""
    rng = np.random.default_rng(seed)
    even = np.full(clusters, 1 / clusters)
    batch = max(1, BATCH_BYTES // (8 * clusters))
    for done in range(0, replicates, batch):
        drawn = rng.multinomial(clusters, even, size=min(batch, replicates - done))
        yield drawn.astype(np.float64)


def bootstrap_sums(values: Floats, replicates: int, seed: int = 0) -> Floats:
    """Sums over the drawn clusters of `values`, float64[clusters, …]: float64[replicates, …]."""
    weights = bootstrap_weights(len(values), replicates, seed)
    return np.concatenate([batch @ values for batch in weights])


def small_sample(clusters: int) -> float:
    """The factor by which percentiles of a bootstrap over few clusters are too narrow.

    Resampling n clusters finds (n-1)/n of the variance, and gives normal quantiles in place of
    those of Student's t (their ratio is the Cornish–Fisher expansion used here).

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
    means = bootstrap_sums(values, replicates, seed) / count
    spread = (means - mean) * small_sample(count)
    low, high = np.quantile(spread, (0.025, 0.975))
    return mean + float(low), mean + float(high)
