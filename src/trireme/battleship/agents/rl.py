"""Reinforcement learning: a policy network trained by maskable PPO from rewards alone."""

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

from .shooting_agent import Floats, ShootingAgent, TargetView, top_cells

MODEL = Path(__file__).parent.parent / "models" / "rl" / "network.onnx"
SHIPS = 5
"""Entries of the network's input of ship sizes."""


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
    """The policy's logit of each cell, `float[rows, cols]`, from the observation alone.

    The network sees what the Gymnasium environment shows. It was trained on 10×10 with five ships;
    on other boards it plays on, with more ships than five counted as five.
    """
    board = target.board
    seen = np.zeros((1, board.rows, board.cols), np.float32)
    for shot in target.shots:
        seen[0][shot.cell] = 2 if shot.result in ("hit", "sunk") else 1
    afloat = list(target.afloat.values())[:SHIPS]
    ships = np.zeros((1, SHIPS), np.float32)
    ships[0, : len(afloat)] = afloat
    count = np.array([[len(target.shots)]], np.float32)
    answer = load_network(path)(attack_board=seen, remaining_ships=ships, move_count=count)
    return np.asarray(answer[0].reshape(board.rows, board.cols), np.float64)
