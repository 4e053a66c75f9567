"""The policy-value network of gomoku-zero: residual blocks with global pooling, two heads.

Input: four planes `float[B, 4, n, n]` of 0 and 1, those of `gomoku/encode.py`: own stones, the
opponent's stones, all 1 when black is to move, the last stone. Output: logits `float[B, n * n]` of
the moves, `NEVER` on taken points, and values `float[B]` in [-1, 1] for the side to move. Boards of
any size fit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

PLANES = 4
NEVER = -1e9
"""The logit of an illegal move."""


def planes_of(board: Tensor, last: Tensor, size: int) -> Tensor:
    """The network's input, in channels-last layout.

    `board: int8[B, n * n]` as the side to move sees it, `last: int64[B]`, `n * n` without a stone.
    """
    points = torch.arange(size * size, device=board.device)
    black = (board.sum(1, keepdim=True) == 0).expand_as(board)
    planes = torch.stack([board > 0, board < 0, black, points == last.unsqueeze(1)], 2)
    return planes.view(-1, size, size, PLANES).permute(0, 3, 1, 2)


def _pooled(features: Tensor) -> Tensor:
    """Mean and maximum over the board, `[B, 2 * C]`."""
    return torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1)


class NormedConv(nn.Module):
    """A 3×3 convolution with batch normalisation, or with the normalisation folded into it."""

    def __init__(self, channels: int, folded: bool) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1, bias=folded)
        self.norm = nn.Identity() if folded else nn.BatchNorm2d(channels)

    def forward(self, features: Tensor) -> Tensor:
        out: Tensor = self.norm(self.conv(features))
        return out


class PooledBlock(nn.Module):
    """A residual block whose second half also sees the whole board, pooled."""

    def __init__(self, channels: int, folded: bool) -> None:
        super().__init__()
        self.first = NormedConv(channels, folded)
        self.second = NormedConv(channels, folded)
        self.whole = nn.Linear(2 * channels, channels)

    def forward(self, features: Tensor) -> Tensor:
        inner = relu(self.first(features))
        inner = inner + self.whole(_pooled(inner))[:, :, None, None]
        return relu(features + self.second(inner))


class ZeroNetwork(nn.Module):
    """Policy and value of positions; `folded` is the form for playing, see `fold`."""

    def __init__(self, blocks: int = 6, channels: int = 96, *, folded: bool = False) -> None:
        super().__init__()
        self.blocks, self.channels = blocks, channels
        head = 32
        self.stem = nn.Conv2d(PLANES, channels, 5, padding=2)
        self.trunk = nn.Sequential(*(PooledBlock(channels, folded) for _ in range(blocks)))
        self.policy = nn.Conv2d(channels, head, 1)
        self.policy_whole = nn.Linear(2 * channels, head)
        self.policy_out = nn.Conv2d(head, 1, 1)
        self.value = nn.Sequential(nn.Linear(2 * channels, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, planes: Tensor) -> tuple[Tensor, Tensor]:
        """Logits `float[B, n * n]` and values `float[B]` of `planes: [B, 4, n, n]`."""
        taken = (planes[:, 0] + planes[:, 1]).flatten(1) > 0
        features = self.trunk(relu(self.stem(planes)))
        pooled = _pooled(features)
        policy = relu(self.policy(features) + self.policy_whole(pooled)[:, :, None, None])
        logits = self.policy_out(policy).flatten(1).float()
        value = torch.tanh(self.value(pooled).squeeze(1).float())
        return logits.masked_fill(taken, NEVER), value


@torch.no_grad()
def fold(network: ZeroNetwork, into: ZeroNetwork) -> None:
    """Copy `network` into a folded one: batch normalisation becomes part of the convolutions.

    In evaluation mode both give the same, up to rounding; the folded one may have another dtype.
    """
    weights = network.state_dict()
    for name, module in network.named_modules():
        if isinstance(module, NormedConv) and isinstance(norm := module.norm, nn.BatchNorm2d):
            assert norm.running_mean is not None
            assert norm.running_var is not None
            scale = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            weights[f"{name}.conv.weight"] = module.conv.weight * scale[:, None, None, None]
            weights[f"{name}.conv.bias"] = norm.bias - norm.running_mean * scale
            for key in [k for k in weights if k.startswith(f"{name}.norm.")]:
                del weights[key]
    into.load_state_dict(weights)


def folded_copy(network: ZeroNetwork) -> ZeroNetwork:
    """The network in the form for playing, on the CPU."""
    copy = ZeroNetwork(network.blocks, network.channels, folded=True).eval()
    fold(network, copy)
    return copy


def save(network: ZeroNetwork, path: Path) -> None:
    """Write weights with the network's shape to a `.pt` file."""
    torch.save(packed(network), path)


def load(path: Path) -> ZeroNetwork:
    """The network of a `.pt` file, in evaluation mode."""
    return unpacked(torch.load(path, map_location="cpu", weights_only=True))


def packed(network: ZeroNetwork, *, half: bool = False) -> dict[str, Any]:
    """Shape and a copy of the weights; with `half`, all but vectors in half precision."""
    weights = {k: v.detach().cpu().clone() for k, v in network.state_dict().items()}
    if half:
        weights = {k: v.half() if v.ndim >= 2 else v for k, v in weights.items()}
    return {"blocks": network.blocks, "channels": network.channels, "weights": weights}


def unpacked(found: dict[str, Any]) -> ZeroNetwork:
    """The network of what `packed` gave, in evaluation mode."""
    network = ZeroNetwork(found["blocks"], found["channels"])
    network.load_state_dict(found["weights"])
    return network.eval()
