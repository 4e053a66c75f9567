"""The Q network of Gomoku: convolutions over the four planes, then dueling heads, in torch."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from trireme.core.errors import BadSpec

PLANES = 4
SHAPE = ("filters", "layers", "normalisation")
"""The arguments of `QNetwork`, which a file of weights holds too."""
NEVER = -1e9
"""The value of an illegal move: below every other, so that no maximum ever finds it."""


Normalisation = Literal["layer", "none"]


class PointNorm(nn.Module):
    """Layer normalisation over the channels of each point.

    It knows no batch, so that a position has the same value when it is played and when it is learnt
    from; batch normalisation would use other statistics in learning.
    """

    def __init__(self, filters: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(filters)

    def forward(self, x: Tensor) -> Tensor:
        """`float[B, filters, n, n]`, normalised."""
        normed: Tensor = self.norm(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        return normed


class QNetwork(nn.Module):
    """Values of all moves for the side to move, on boards of any size.

    Every layer is a convolution or a pooling, so one set of weights serves every size. The
    advantage head looks 13 points across: as far as a line that decides the game can reach.
    """

    def __init__(
        self, filters: int = 64, layers: int = 4, normalisation: Normalisation = "layer"
    ) -> None:
        super().__init__()
        self.filters, self.layers, self.normalisation = filters, layers, normalisation
        trunk: list[nn.Module] = []
        for layer in range(layers):
            width = PLANES if layer == 0 else filters
            trunk += [
                nn.Conv2d(width, filters, 3, padding=1),
                PointNorm(filters) if normalisation == "layer" else nn.Identity(),
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
    weights = {k: v.detach().cpu() for k, v in network.state_dict().items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    shape = {name: getattr(network, name) for name in SHAPE}
    torch.save({**shape, "weights": weights}, path)


def load(path: Path) -> QNetwork:
    """The network of a `.pt` file, ready to play; it gives exactly what the saved one gave.

    Its weights lie in memory as in training: another layout would round otherwise.
    """
    if not path.is_file():
        raise BadSpec(f"there is no network {str(path)!r}")
    found = torch.load(path, map_location="cpu", weights_only=True)
    if not found.keys() >= set(SHAPE):
        raise BadSpec(
            f"{str(path)!r} is from before networks had layer normalisation; train it again"
        )
    network = QNetwork(*(found[name] for name in SHAPE))
    network.load_state_dict(found["weights"])
    return network.eval().to(memory_format=torch.channels_last)  # type: ignore[call-overload,no-any-return]


@torch.no_grad()
def evaluate(network: QNetwork, planes: NDArray[np.int8]) -> NDArray[np.float32]:
    """Q values `float[B, n * n]` of `planes: int8[B, 4, n, n]`."""
    q: NDArray[np.float32] = network(torch.from_numpy(planes).float()).numpy()
    return q
