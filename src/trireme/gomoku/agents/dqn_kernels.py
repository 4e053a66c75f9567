"""Winning points of a board: where a stone makes five."""

import numpy as np
from numpy.typing import NDArray

from trireme.core.jit import njit
from trireme.gomoku.kernels import place, take_back


@njit
def fives(board: NDArray[np.int8], colour: int, exact: bool, out: NDArray[np.int64]) -> int:
    """Write the points where a stone of `colour` wins into `out: int64[n * n]`; how many.

    `board: int8[n, n]` is given back as it came.
    """
    n = board.shape[0]
    found = 0
    for row in range(n):
        for col in range(n):
            if board[row, col] == 0:
                if place(board, row, col, colour, exact):
                    out[found] = row * n + col
                    found += 1
                take_back(board, row, col)
    return found
