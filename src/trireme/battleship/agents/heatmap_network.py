"""The heatmap network of Battleship, a residual network (ResNet) in torch."""

from __future__ import annotations

from torch import Tensor, nn

PLANES = 3
"""Known water, hits, unknown cells."""


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
            nn.Conv2d(PLANES, filters, 5, padding=2, bias=False),
            nn.BatchNorm2d(filters),
            nn.ReLU(),
            *(ResidualBlock(filters) for _ in range(blocks)),
            nn.Conv2d(filters, 1, 1),
        )

    def forward(self, planes: Tensor) -> Tensor:
        """`float[B, rows, cols]` of `planes: float[B, 3, rows, cols]`."""
        odds: Tensor = self.layers(planes).squeeze(1).float()
        return odds
