"""Line patterns: what a stone makes of the ten points around it in one line, for every case.

A key holds ten points in two bits each (0 empty, 1 own, 2 the other's, 3 off the board), the five
before the stone and the five after it. Five to either side is exactly what it takes to know that a
line of five is not a line of six.
"""

import numpy as np
from numpy.typing import NDArray

from trireme.core.jit import linked_njit as njit

from .board_kernels import as_int
from .memory_kernels import (
    FIRST_GRADE,
    FIVE,
    FOUR,
    LINE_KEYS,
    MANY_WAYS,
    NOTHING,
    OPEN_FOUR,
    Bytes,
    Int32s,
)

Stones = NDArray[np.int8]


@njit
def _run(key: int) -> int:
    """The length of the line of own stones through the stone in the middle."""
    run = 1
    for i in range(4, -1, -1):
        if (key >> (2 * i)) & 3 != 1:
            break
        run += 1
    for i in range(5, 10):
        if (key >> (2 * i)) & 3 != 1:
            break
        run += 1
    return run


@njit
def _shape(key: int, shapes: Bytes, exact: bool) -> tuple[int, int]:
    """The shape in one line, from those of all lines with one more own stone; and its ways on.

    The ways on are the points where one more own stone makes the best of its successors.
    """
    run = _run(key)
    if run == 5 or (run > 5 and not exact):
        return FIVE, 0
    if run > 5:
        return NOTHING, 0
    fives, best, ways = 0, 0, 0
    for i in range(10):
        if (key >> (2 * i)) & 3 == 0:
            then = shapes[key | (1 << (2 * i))]
            if then == FIVE:
                fives += 1
            elif then > best:
                best, ways = then, 1
            elif then == best:
                ways += 1
    if fives >= 2:
        return OPEN_FOUR, fives
    if fives == 1:
        return FOUR, fives
    return max(best - 2, NOTHING), ways  # an open four to come makes an open three, and so on down


@njit
def _both_colours(key: int, table: Bytes) -> int:
    """A table's value for a black stone in the low half of a byte, for a white one in the high."""
    odd, even = key & 0xAAAAA, key & 0x55555
    stones = (odd >> 1) ^ even  # 1 where one of two bits is set: a stone, not a wall or a gap
    return as_int(table[key] | (table[key ^ (stones | (stones << 1))] << 4))


@njit
def fill_shapes(
    exact: bool, order: Int32s, shapes: Bytes, grades: Bytes, both: Bytes, both_grades: Bytes
) -> None:
    """Fill the tables, `uint8[2**20]` each, by line key: shapes and grades of a black stone, then
    `both` and `both_grades` with a black stone's in the low half and a white one's in the high.

    A shape depends only on lines with more own stones: `order: int32[2**20]` has these keys first.
    """
    for at in range(LINE_KEYS):
        key = order[at]
        shape, ways = _shape(key, shapes, exact)
        shapes[key] = shape
        grades[key] = FIRST_GRADE[shape] + (ways >= MANY_WAYS[shape])
    for key in range(LINE_KEYS):
        both[key] = _both_colours(key, shapes)
        both_grades[key] = _both_colours(key, grades)


@njit
def score_points(
    board: Stones, colour: int, shapes: Bytes, own: Int32s, against: Int32s, scores: Int32s
) -> None:
    """Score every point of `board: int8[n, n]` (0, 1 black, -1 white) for a stone of `colour`.

    Adds, over the four lines, `own: int32[10]` by the shape the stone would make and `against:
    int32[10]` by the one that it keeps the other side from. `scores: int32[n, n]` gets the sums,
    and the least possible number on taken points.
    """
    n = board.shape[0]
    for row in range(n):
        for col in range(n):
            if board[row, col] != 0:
                scores[row, col] = -(2**31)
                continue
            total = 0
            for d in range(4):
                both = shapes[line_key(board, row, col, 0 if d == 0 else 1, (1, 0, 1, -1)[d])]
                black, white = both & 15, both >> 4
                total += own[black] + against[white] if colour == 1 else own[white] + against[black]
            scores[row, col] = total


@njit
def line_key(board: Stones, row: int, col: int, down: int, right: int) -> int:
    """The key of the ten points around (row, col) of `board: int8[n, n]` along one direction."""
    n, key = board.shape[0], 0
    for i in range(10):
        offset = i - 5 if i < 5 else i - 4
        r, c = row + offset * down, col + offset * right
        value = 3
        if 0 <= r < n and 0 <= c < n:
            value = 2 if board[r, c] == -1 else int(board[r, c])
        key |= value << (2 * i)
    return key
