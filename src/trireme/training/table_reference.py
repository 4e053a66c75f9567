"""What the table network is compared with on held-out games: a constant and the engine's patterns.

The engine's static evaluation, passed through a fitted sigmoid, predicts results, too; a network is
worth its time only if it predicts them better.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trireme.gomoku.engine.evaluation_weights import THREAT_DIGITS, evaluation_weights
from trireme.gomoku.engine.memory_kernels import LIKELY_WIN

from .table_model import Lines

Floats = NDArray[np.float64]


class PatternEvaluation(nn.Module):
    """The engine's static evaluation (`alphabeta_kernels.evaluate`) of many boards at once."""

    mover: Tensor
    waiter: Tensor
    threats: Tensor

    def __init__(self) -> None:
        super().__init__()
        weights = evaluation_weights()
        for name in ("mover", "waiter", "threats"):
            self.register_buffer(name, torch.from_numpy(getattr(weights, name)))

    def forward(self, lines: Lines) -> Tensor:
        """float[B]: pattern points for the side to move."""
        own, other = _rising(lines.grades)
        points = ((self.mover[own] - self.waiter[other]) * lines.empty).sum(1)
        index = torch.zeros_like(points)
        for side, kind, most in THREAT_DIGITS:
            count = (lines.kinds[side] == kind).sum(1).clamp(max=most)
            index = index * (most + 1) + count
        limit = LIKELY_WIN - 1
        return (points + self.threats[index]).clamp(-limit, limit).float()


def _rising(grades: Tensor) -> Tensor:
    """Four grades of four bits each, in rising order."""
    digits = torch.stack([grades >> (4 * d) & 15 for d in range(4)]).sort(0).values
    return digits[0] | digits[1] << 4 | digits[2] << 8 | digits[3] << 12


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
