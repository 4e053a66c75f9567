"""The 8 symmetries of a square board as tables of points."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from trireme.gomoku.encode import symmetric


def tables(size: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """`sources, targets: int64[8, size * size]`.

    Under symmetry k the point p of the new board is point `sources[k, p]` of the old one, and the
    old point p lands on `targets[k, p]`.
    """
    points = np.arange(size * size).reshape(size, size)
    sources = np.stack([symmetric(points, k).ravel() for k in range(8)])
    targets = np.argsort(sources, axis=1)
    return torch.as_tensor(sources, device=device), torch.as_tensor(targets, device=device)
