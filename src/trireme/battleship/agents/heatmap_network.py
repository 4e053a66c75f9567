"""The heatmap network of Battleship, a residual network (ResNet) in torch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .network_planes import PLANES, SUNK, UNKNOWN


def with_halo(planes: Tensor) -> Tensor:
    """`float[B, 10, rows, cols]`: the planes and one more, the unknown cells around sunk ships.

    These are water where ships can't touch. Any convolution could compute the plane; given, it need
    not be learnt.
    """
    around = nn.functional.max_pool2d(planes[:, SUNK : SUNK + 1], 3, stride=1, padding=1)
    return torch.cat([planes, around * planes[:, UNKNOWN : UNKNOWN + 1]], 1)


class ResidualBlock(nn.Module):
    """Two convolutions with a skip connection."""

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(filters, filters, 3, padding=1, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(),
            nn.Conv2d(filters, filters, 3, padding=1, bias=False),
            nn.BatchNorm2d(filters),
        )
        self.relu = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.relu(x + self.body(x))
        return out


class HeatmapNetwork(nn.Module):
    """The log-odds of a ship in every cell, on boards of any size."""

    def __init__(self, filters: int = 64, blocks: int = 6) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(PLANES + 1, filters, 5, padding=2, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(),
            *(ResidualBlock(filters) for _ in range(blocks)),
            nn.Conv2d(filters, 1, 1),
        )

    def forward(self, planes: Tensor) -> Tensor:
        """`float[B, rows, cols]` of `planes: float[B, 9, rows, cols]` (see `network_planes`)."""
        odds: Tensor = self.layers(with_halo(planes)).squeeze(1).float()
        return odds
