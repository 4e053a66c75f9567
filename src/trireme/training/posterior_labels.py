"""Labels for the heatmap: the posterior probability of a ship in every cell of many boards.

The posterior is what a network would learn from the fleets themselves, without their noise: far
fewer positions are needed.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.batch import BattleshipBatch
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.board import Board
from trireme.battleship.kernels import Seas
from trireme.battleship.shots import Shot

LIMIT = 100_000
"""Steps of exact enumeration before a label is estimated: a few milliseconds."""
SAMPLES = 4_000
"""Fleets sampled for an estimate."""


def posterior_labels(
    batch: BattleshipBatch, inference: FleetInference, rng: Generator
) -> NDArray[np.float32]:
    """float32[B, N]: the probability of a ship in each unknown cell; 0 in cells shot at.

    Exact where enumeration is fast, else estimated by importance sampling.
    """
    board = batch.game.boards[0]
    labels = np.empty(batch.seas.board.shape, np.float32)
    for row in range(batch.num):
        shots = shots_of(board, batch.seas, row)
        labels[row] = inference.posterior(shots, rng, limit=LIMIT, samples=SAMPLES).cells
    return labels


def shots_of(board: Board, seas: Seas, row: int) -> tuple[Shot, ...]:
    """The answers on one board of a batch where ships can't touch; their order means nothing there,
    but for a sinking, which comes after the hits on its ship."""
    seen, owner = seas.board[row], seas.owner[row]
    shots = [Shot(divmod(int(c), board.cols), "miss") for c in np.flatnonzero(seen == 1)]
    for ship, name in enumerate(board.names):
        cells = [divmod(int(c), board.cols) for c in np.flatnonzero((seen == 2) & (owner == ship))]
        sunk = seas.left[row, ship] == 0
        shots += [Shot(cell, "hit") for cell in (cells[:-1] if sunk else cells)]
        if sunk:
            shots.append(Shot(cells[-1], "sunk", name))
    return tuple(shots)
