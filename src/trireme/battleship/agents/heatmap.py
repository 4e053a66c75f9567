"""The heatmap agent: a network that has learnt where ships lie fires at the likeliest cell."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.belief.determinization import Shot, sunk_cells
from trireme.battleship.board import Board, neighbourhood
from trireme.core.onnx import load_network
from trireme.core.options import option

from .gunner import Floats, Gunner, Sight, best

MODEL = Path(__file__).parent.parent / "models" / "heatmap" / "network.onnx"
UNKNOWN, WATER, SHIP = 0, 1, 2


@dataclass
class Heatmap(Gunner):
    """Fires where a network that has seen millions of fleets sees ships most likely."""

    name: ClassVar[str] = "heatmap"

    model: str = option("", "an ONNX file with other weights; empty: those that ship")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        path = Path(self.model) if self.model else MODEL
        return best(odds(known(sight.board, sight.shots), path).ravel(), sight, None)


def available() -> bool:
    """Whether the weights that ship, and onnxruntime to run them, are here."""
    return MODEL.is_file() and importlib.util.find_spec("onnxruntime") is not None


def known(board: Board, shots: Sequence[Shot]) -> NDArray[np.int8]:
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


def probabilities(board: Board, shots: Sequence[Shot]) -> Floats | None:
    """The chance of a ship in each cell, `float[rows, cols]`; known cells have none left.

    None where the weights or onnxruntime are missing.
    """
    if not available():
        return None
    facts = known(board, shots)
    return np.where(facts == UNKNOWN, 1 / (1 + np.exp(-odds(facts))), 0.0)


def odds(facts: NDArray[np.int8], path: Path = MODEL) -> Floats:
    """Log-odds of a ship in each cell, `float[rows, cols]`, averaged over the board's symmetries.

    A network is only nearly even-handed: looking at the board from all sides makes it so. Cells
    known to be water or ship get the least of all.
    """
    network = load_network(path)
    square = facts.shape[0] == facts.shape[1]
    views = (
        [_turned(facts, k) for k in range(8)] if square else [_flipped(facts, k) for k in range(4)]
    )
    seen = np.stack([np.stack([v == WATER, v == SHIP, v == UNKNOWN]) for v in views])
    answers = network(planes=seen)
    back = _turned_back if square else _flipped
    mean = np.mean([back(answer, k) for k, answer in enumerate(answers)], axis=0)
    return np.where(facts == UNKNOWN, mean, -np.inf).astype(np.float64)


def _turned(array: NDArray[Any], k: int) -> NDArray[Any]:
    turned = np.rot90(array, k % 4)
    return turned if k < 4 else turned[:, ::-1]


def _turned_back(array: NDArray[Any], k: int) -> NDArray[Any]:
    return np.rot90(array if k < 4 else array[:, ::-1], -(k % 4))


def _flipped(array: NDArray[Any], k: int) -> NDArray[Any]:
    return array[:: -1 if k & 1 else 1, :: -1 if k & 2 else 1]
