"""The Q network of Gomoku: convolutions over the four planes, then dueling heads, in torch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

PLANES = 4
NEVER = -1e9
"""The value of an illegal move: below every other, so that no maximum ever finds it."""


class QNetwork(nn.Module):
    """Values of all moves for the side to move, on boards of any size.

    Every layer is a convolution or a pooling, so one set of weights serves every size. The
    advantage head looks 13 points across: as far as a line that decides the game can reach.
    """

    def __init__(self, filters: int = 64, layers: int = 4) -> None:
        super().__init__()
        trunk: list[nn.Module] = []
        for layer in range(layers):
            width = PLANES if layer == 0 else filters
            trunk += [
                nn.Conv2d(width, filters, 3, padding=1, bias=False),
                nn.BatchNorm2d(filters),
                nn.ReLU(),
            ]
        half = filters // 2
        self.trunk = nn.Sequential(*trunk)
        self.advantage = nn.Sequential(
            nn.Conv2d(filters, half, 5, padding=2), nn.ReLU(), nn.Conv2d(half, 1, 1)
        )
        self.value = nn.Sequential(
            nn.Linear(2 * filters, filters), nn.ReLU(), nn.Linear(filters, 1)
        )

    def forward(self, planes: Tensor) -> Tensor:
        """Masked Q values `float[B, n * n]` of `planes: float[B, 4, n, n]`.

        `Q = V + (A - mean of A over legal moves)`; a point with a stone on it gets `NEVER`.
        """
        seen = self.trunk(planes)
        legal = (planes[:, 0] + planes[:, 1] == 0).flatten(1)
        free = legal.to(planes.dtype)
        advantage = self.advantage(seen).flatten(1).float()
        mean = (advantage * free).sum(1, keepdim=True) / free.sum(1, keepdim=True).clamp(min=1)
        pooled = torch.cat([seen.mean((2, 3)), seen.amax((2, 3))], 1)
        q: Tensor = self.value(pooled).float() + advantage - mean
        return q.masked_fill(~legal, NEVER)


def save(network: QNetwork, path: Path) -> None:
    """Write weights with the network's shape to a `.pt` file."""
    filters = network.trunk[0].out_channels
    layers = len(network.trunk) // 3
    weights = {k: v.detach().cpu() for k, v in network.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"filters": filters, "layers": layers, "weights": weights}, path)


def load(path: Path) -> QNetwork:
    """The network of a `.pt` file, ready to play; it gives exactly what the saved one gave.

    Its weights lie in memory as in training: another layout would round otherwise.
    """
    found = torch.load(path, map_location="cpu", weights_only=True)
    network = QNetwork(found["filters"], found["layers"])
    network.load_state_dict(found["weights"])
    return network.eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


@torch.no_grad()
def evaluate(network: QNetwork, planes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Q values `float[B, n * n]` of `planes: int8[B, 4, n, n]`."""
    q: NDArray[np.float32] = network(torch.from_numpy(planes).float()).numpy()
    return q
