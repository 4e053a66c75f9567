"""What the fit of the evaluation reads off the engine's board: grades of points and candidates."""

import numpy as np
from numpy.typing import NDArray

from trireme.core.jit import njit
from trireme.gomoku.engine.board_kernels import as_int, grades_of, kind_of
from trireme.gomoku.engine.memory_kernels import EMPTY, QUIET, WIDTH, EngineBoard, Int32s

NEAR = 4
"""How far from a stone, in points, a candidate counts as near it."""


@njit
def count_sets(
    board: EngineBoard, me: int, numbers: Int32s, counts: Int32s, sets: Int32s, times: Int32s
) -> int:
    """List which sets of grades the empty points have for both sides, and how often; how many.

    `numbers: int32[2**16]` is the number of every set of four grades. A set of the side that waits
    counts from half of `counts: int32[2 * S]` on, which must be all 0 and is so again afterwards.
    `sets` and `times: int32[2 * points]` get the result, in no order.
    """
    size, half = 0, counts.size // 2
    for i in range(board.area):
        cell = as_int(board.points[i])
        if board.stones[cell] == EMPTY:
            for side in range(2):
                colour = me if side == 0 else 3 - me
                number = numbers[grades_of(as_int(board.grades[cell]), colour)] + side * half
                if counts[number] == 0:
                    sets[size] = number
                    size += 1
                counts[number] += 1
    for i in range(size):
        times[i] = counts[sets[i]]
        counts[sets[i]] = 0
    return size


@njit
def distance_class(a: int, b: int) -> int:
    """How two cells lie to each other, up to symmetry: 1 to 14, or 0 where they are not near."""
    down, right = abs(a // WIDTH - b // WIDTH), abs(a % WIDTH - b % WIDTH)
    high, low = max(down, right), min(down, right)
    return high * (high + 1) // 2 + low if high <= NEAR else 0


@njit
def list_candidates(
    board: EngineBoard,
    me: int,
    newest: NDArray[np.int64],
    numbers: Int32s,
    cells: Int32s,
    found: Int32s,
) -> int:
    """List the moves that the engine would order, those that build or prevent a shape; how many.

    `cells: int32[points]` gets their cells, `found: int32[points, 4]` the number of the set of
    grades for `me` and for the other side, and the distance class to each of the two `newest`
    stones: int64[2].
    """
    size = 0
    for i in range(board.area):
        cell = as_int(board.points[i])
        if board.stones[cell] != EMPTY:
            continue
        if kind_of(board, me, cell) == QUIET and kind_of(board, 3 - me, cell) == QUIET:
            continue
        both = as_int(board.grades[cell])
        cells[size] = cell
        found[size, 0] = numbers[grades_of(both, me)]
        found[size, 1] = numbers[grades_of(both, 3 - me)]
        for k in range(2):
            found[size, 2 + k] = distance_class(cell, newest[k])
        size += 1
    return size
