"""What Battleship's networks see: the planes of one board, and averaging over its symmetries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.board import Board
from trireme.battleship.shots import Shot
from trireme.core.onnx import load_network

SLOTS = (5, 4, 3, 3, 2)
"""The sizes that have a plane: the fleet of the default rules."""
MISSES, HITS, SUNK, UNKNOWN = range(4)
"""The planes before those of the ships."""
CHANNELS = ("miss", "hit", "sunk", "unknown", *(f"{size} afloat" for size in SLOTS))
PLANES = len(CHANNELS)


def network_planes(board: Board, shots: Sequence[Shot]) -> NDArray[np.int8]:
    """int8[9, rows, cols] of 0 and 1: misses, hits, cells of sunk ships, unknown cells, then for
    each size of `SLOTS` all 1 while such a ship is afloat.

    By the default rules these are the planes of the encoder and of `observation="planes"`. Of other
    fleets, ships beyond these slots are not shown.
    """
    planes = np.zeros((PLANES, board.rows, board.cols), np.int8)
    planes[UNKNOWN] = 1
    for shot in shots:
        planes[HITS if shot.result in ("hit", "sunk") else MISSES][shot.cell] = 1
        planes[UNKNOWN][shot.cell] = 0
    for cell in sunk_cells(board, shots):
        planes[SUNK][cell] = 1
    sunk = {shot.ship for shot in shots}
    for name, slot in zip(board.names, ship_slots(board.sizes), strict=True):
        if slot is not None and name not in sunk:
            planes[4 + slot] = 1
    return planes


def ship_slots(sizes: Sequence[int]) -> list[int | None]:
    """Which of `SLOTS` shows each ship of a fleet; None where all slots of its size are taken."""
    free = list(enumerate(SLOTS))
    slots: list[int | None] = []
    for size in sizes:
        found = next((slot for slot in free if slot[1] == size), None)
        if found is not None:
            free.remove(found)
        slots.append(None if found is None else found[0])
    return slots


def symmetric_mean(planes: NDArray[np.int8], path: Path) -> NDArray[np.float64]:
    """A network's output for each cell, float64[rows, cols], averaged over the board's symmetries.

    A network is only nearly equivariant; averaging over symmetries makes it exactly so. The network
    is an ONNX file with the input `planes: float[B, 9, rows, cols]` and one number a cell.
    """
    rows, cols = planes.shape[1:]
    square = rows == cols
    count, turn, back = (8, _turned, _turned_back) if square else (4, _flipped, _flipped)
    views = np.stack([turn(planes, k) for k in range(count)])
    answers = load_network(path)(planes=views).reshape(count, rows, cols)
    turned = [back(answer, k) for k, answer in enumerate(answers)]
    return np.asarray(np.mean(turned, axis=0), np.float64)


def _turned(array: NDArray[Any], k: int) -> NDArray[Any]:
    turned = np.rot90(array, k % 4, (-2, -1))
    return turned if k < 4 else turned[..., ::-1]


def _turned_back(array: NDArray[Any], k: int) -> NDArray[Any]:
    return np.rot90(array if k < 4 else array[..., ::-1], -(k % 4), (-2, -1))


def _flipped(array: NDArray[Any], k: int) -> NDArray[Any]:
    return array[..., :: -1 if k & 1 else 1, :: -1 if k & 2 else 1]
