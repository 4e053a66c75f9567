"""The rl agent: a policy that reinforcement learning found, with nothing told but rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.core.onnx import load_network
from trireme.core.options import option

from .gunner import Floats, Gunner, Sight, best

MODEL = Path(__file__).parent.parent / "models" / "rl" / "network.onnx"
SHIPS = 5


@dataclass
class Reinforced(Gunner):
    """Fires by a policy that MaskablePPO learnt by playing."""

    name: ClassVar[str] = "rl"

    model: str = option("", "an ONNX file with other weights; empty: those that ship")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        return best(logits(sight, Path(self.model) if self.model else MODEL).ravel(), sight, None)


def logits(sight: Sight, path: Path = MODEL) -> Floats:
    """What the policy thinks of each cell, `float[rows, cols]`, from the observation alone.

    The network sees what the Gymnasium environment shows. It was trained on 10×10 with five ships;
    on other boards it plays on, with more ships than five counted as five.
    """
    board = sight.board
    seen = np.zeros((1, board.rows, board.cols), np.float32)
    for shot in sight.shots:
        seen[0][shot.cell] = 2 if shot.result in ("hit", "sunk") else 1
    gone = {shot.ship for shot in sight.shots}
    pairs = zip(board.names, board.sizes, strict=True)
    afloat = [size for name, size in pairs if name not in gone][:SHIPS]
    ships = np.zeros((1, SHIPS), np.float32)
    ships[0, : len(afloat)] = afloat
    count = np.array([[len(sight.shots)]], np.float32)
    answer = load_network(path)(attack_board=seen, remaining_ships=ships, move_count=count)
    return np.asarray(answer[0].reshape(board.rows, board.cols), np.float64)
