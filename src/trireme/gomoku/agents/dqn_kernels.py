"""Fives at one glance: which points would win at once."""

from pathlib import Path
from typing import Any

from numba import njit

from trireme.core.kernel_cache import forget_stale_kernels
from trireme.gomoku.kernels import place, take_back

_HERE = Path(__file__).parent
forget_stale_kernels([Path(__file__), _HERE.parent / "kernels.py"], folder=_HERE)


@njit(cache=True)
def fives(board: Any, colour: int, exact: bool, out: Any) -> int:
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
