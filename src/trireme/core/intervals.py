"""95 % confidence intervals: Wilson's for a proportion, the normal one for a mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Half the width, in standard deviations, of a 95 % interval of the normal distribution."""

Interval = tuple[float, float]


def wilson(points: float, games: float, z: float = Z95) -> Interval:
    """The Wilson score interval of the proportion `points / games`; a draw counts half a point.

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


def mean_half_width(values: Sequence[float] | NDArray[Any]) -> float:
    """Half the width of the normal 95 % interval of a mean; 0 where there is one value.

    >>> round(mean_half_width([1, 2, 3]), 4)
    1.1316
    """
    if len(values) < 2:
        return 0.0
    return float(Z95 * np.std(values, ddof=1) / math.sqrt(len(values)))
