"""What the table network is compared with on held-out games: a constant and the pattern evaluation.

The pattern evaluation's scores, passed through a fitted sigmoid, predict results, too; a network is
worth its time only if it predicts them better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from trireme.gomoku.engine.memory_kernels import FIVE, SHAPE_SETS
from trireme.gomoku.engine.patterns import KIND_BONUS, SHAPE_VALUES
from trireme.gomoku.engine.shape_tables import kind_table

from .table_model import Lines

Floats = NDArray[np.float64]


def score_table() -> NDArray[np.int32]:
    """int32[2**16], by the four shapes that a stone would make: the pattern score of the move."""
    sets = np.arange(SHAPE_SETS)
    values = np.array(SHAPE_VALUES, np.int32)
    lines = sum(values[np.minimum(sets >> (4 * d) & 15, FIVE)] for d in range(4))
    return np.asarray(lines + np.array(KIND_BONUS, np.int32)[kind_table()], np.int32)


def pattern_evaluation(lines: Lines, scores: Tensor) -> Tensor:
    """float[B]: the side to move's pattern scores less the other's, summed over empty points."""
    own, other = scores[lines.shapes] * lines.empty
    difference: Tensor = own.sum(1) - other.sum(1)
    return difference.float()


def log_loss(logits: Floats, wanted: Floats) -> float:
    """The mean binary cross-entropy of `logits` against probabilities `wanted`."""
    return float(np.mean(np.logaddexp(0, logits) - wanted * logits))


def fit_sigmoid(scores: Floats, wanted: Floats, rounds: int = 30) -> tuple[float, float]:
    """The `(slope, offset)` of the sigmoid of scores that fits `wanted` best (Newton's method)."""
    scale = max(float(np.std(scores)), 1e-9)
    x = np.stack([scores / scale, np.ones(len(scores))], 1)
    weights = np.zeros(2)
    for _ in range(rounds):
        likely = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (likely - wanted)
        curvature = (x * (likely * (1 - likely))[:, None]).T @ x + 1e-6 * np.eye(2)
        weights -= np.linalg.solve(curvature, slope)
    return float(weights[0] / scale), float(weights[1])


def reference_losses(scores: Floats, wanted: Floats) -> dict[str, float]:
    """The value loss of the best constant and of the pattern evaluation through a sigmoid."""
    mean = float(np.clip(np.mean(wanted), 1e-6, 1 - 1e-6))
    slope, offset = fit_sigmoid(scores, wanted)
    return {
        "constant_loss": log_loss(np.full(len(wanted), np.log(mean / (1 - mean))), wanted),
        "pattern_loss": log_loss(slope * scores + offset, wanted),
    }


def typical_size(values: Floats) -> float:
    """The median absolute deviation: how far values typically are from the middle one."""
    return float(np.median(np.abs(values - np.median(values))))
