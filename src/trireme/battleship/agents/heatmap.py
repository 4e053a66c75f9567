"""Heatmap: a convolutional network that approximates the posterior of every cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.board import Board, neighbourhood
from trireme.battleship.shots import Shot
from trireme.core.extras import missing_package
from trireme.core.game import AnyGame
from trireme.core.onnx import load_network
from trireme.core.options import option

from .network_planes import network_planes, symmetric_mean
from .shooting_agent import Floats, ShootingAgent, TargetView, top_cells

MODEL = Path(__file__).parent.parent / "models" / "heatmap" / "network.onnx"
UNKNOWN, WATER, SHIP = 0, 1, 2


@dataclass
class Heatmap(ShootingAgent):
    """Fires at the cell that a network, trained on millions of fleets, finds most probable."""

    name: ClassVar[str] = "heatmap"
    extra: ClassVar[str] = "nets"

    model: str = option("", "path of an ONNX file to use instead of the network that ships")

    def fits(self, game: AnyGame) -> None:
        load_network(self._path)

    @property
    def _path(self) -> Path:
        return Path(self.model) if self.model else MODEL

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        return top_cells(log_odds(target.board, target.shots, self._path).ravel(), target, None)


def available() -> bool:
    """Whether the network that ships, and onnxruntime to run it, are installed."""
    return MODEL.is_file() and missing_package("nets") is None


def known_cells(board: Board, shots: Sequence[Shot]) -> NDArray[np.int8]:
    """What the answers say of each cell, `int8[rows, cols]`: 0 unknown, 1 water, 2 ship.

    Where ships can't touch, the cells around a sunk one are water too.
    """
    facts = np.zeros((board.rows, board.cols), np.int8)
    for shot in shots:
        facts[shot.cell] = SHIP if shot.result in ("hit", "sunk") else WATER
    if not board.touching:
        for cell in sunk_cells(board, shots):
            for near in neighbourhood(cell, board.rows, board.cols):
                if facts[near] == UNKNOWN:
                    facts[near] = WATER
    return facts


def probabilities(board: Board, shots: Sequence[Shot]) -> Floats:
    """The probability of a ship in each cell, `float[rows, cols]`; 0 in known cells."""
    return np.asarray(1 / (1 + np.exp(-log_odds(board, shots))))


def log_odds(board: Board, shots: Sequence[Shot], path: Path = MODEL) -> Floats:
    """Log-odds of a ship in each cell, `float[rows, cols]`; -inf where water or a ship is known."""
    mean = symmetric_mean(network_planes(board, shots), path)
    return np.where(known_cells(board, shots) == UNKNOWN, mean, -np.inf)
