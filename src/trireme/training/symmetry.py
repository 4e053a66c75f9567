"""The 8 symmetries of a square board as tables of points."""

from __future__ import annotations

import torch
from torch import Tensor


def tables(size: int, device: torch.device) -> tuple[Tensor, Tensor]:
    """`sources, targets: int64[8, size * size]`, numbered as by `symmetric` of `gomoku/encode.py`.

    Under symmetry k the point p of the new board is point `sources[k, p]` of the old one, and the
    old point p lands on `targets[k, p]`.
    """
    points = torch.arange(size * size, device=device).view(size, size)
    turns = [torch.rot90(points, k, (0, 1)) for k in range(4)]
    sources = torch.stack([*turns, *(turn.flip(1) for turn in turns)]).flatten(1)
    return sources, sources.argsort(1)
