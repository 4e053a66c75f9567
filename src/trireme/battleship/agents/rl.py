"""Reinforcement learning: a policy network trained by maskable PPO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.core.game import AnyGame
from trireme.core.onnx import load_network
from trireme.core.options import option

from .heatmap import WATER, known_cells
from .network_planes import network_planes, symmetric_mean
from .shooting_agent import Floats, ShootingAgent, TargetView, top_cells

MODEL = Path(__file__).parent.parent / "models" / "rl" / "network.onnx"
KNOWN_WATER = -1e9


@dataclass
class RLPolicy(ShootingAgent):
    """Fires at the open cell with the highest logit of a policy trained by maskable PPO."""

    name: ClassVar[str] = "rl"
    extra: ClassVar[str] = "nets"

    model: str = option("", "path of an ONNX file to use instead of the network that ships")

    def fits(self, game: AnyGame) -> None:
        load_network(self._path)

    @property
    def _path(self) -> Path:
        return Path(self.model) if self.model else MODEL

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        return top_cells(logits(target, self._path).ravel(), target, None)


def logits(target: TargetView, path: Path = MODEL) -> Floats:
    """The policy's logit of each cell, `float[rows, cols]`, averaged over the board's symmetries.

    The network sees what the Gymnasium environment shows with `observation="planes"`. It was
    trained by the default rules; on other boards it plays on. Water that is known without a shot
    gets `KNOWN_WATER`, below all others: in training it was masked.
    """
    mean = symmetric_mean(network_planes(target.board, target.shots), path)
    return np.where(known_cells(target.board, target.shots) == WATER, KNOWN_WATER, mean)
