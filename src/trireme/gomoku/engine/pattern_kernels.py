"""Line patterns: what a stone makes of the ten points around it in one line, for every case.

A key holds ten points in two bits each (0 empty, 1 own, 2 the other's, 3 off the board), the five
before the stone and the five after it. Five to either side is exactly what it takes to know that a
line of five is not a line of six.
"""

import numpy as np
from numpy.typing import NDArray

from trireme.core.jit import njit

from .memory_kernels import (
    BUILDING,
    DOUBLE_THREE,
    FIVE,
    FOUR,
    FOUR_THREE,
    LINE_KEYS,
    MAKES_FIVE,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAKES_THREE,
    NOTHING,
    OPEN_FOUR,
    OPEN_THREE,
    QUIET,
    SHAPE_SETS,
    TWO,
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
def _shape(key: int, shapes: Bytes, exact: bool) -> int:
    """The shape in one line, from the shapes of all lines with one more own stone."""
    run = _run(key)
    if run == 5 or (run > 5 and not exact):
        return FIVE
    if run > 5:
        return NOTHING
    fives, best = 0, 0
    for i in range(10):
        if (key >> (2 * i)) & 3 == 0:
            then = shapes[key | (1 << (2 * i))]
            if then == FIVE:
                fives += 1
            elif then > best:
                best = then
    if fives >= 2:
        return OPEN_FOUR
    if fives == 1:
        return FOUR
    return max(best - 2, NOTHING)  # an open four to come makes an open three, and so on down


@njit
def fill_shapes(exact: bool, both: Bytes) -> None:
    """Fill `both: uint8[2**20]`: a black stone's shape in the low half, a white one's in the high.

    A shape depends only on lines with more own stones, so keys are visited by falling count.
    """
    shapes = np.zeros(LINE_KEYS, np.uint8)
    count = np.zeros(LINE_KEYS, np.uint8)
    for key in range(1, LINE_KEYS):
        count[key] = count[key >> 2] + (key & 3 == 1)
    starts = np.zeros(12, np.int64)
    for key in range(LINE_KEYS):
        starts[10 - count[key] + 1] += 1
    for own in range(11):
        starts[own + 1] += starts[own]
    order = np.empty(LINE_KEYS, np.int32)
    for key in range(LINE_KEYS):
        rank = 10 - count[key]
        order[starts[rank]] = key
        starts[rank] += 1
    for at in range(LINE_KEYS):
        shapes[order[at]] = _shape(order[at], shapes, exact)
    for key in range(LINE_KEYS):
        odd, even = key & 0xAAAAA, key & 0x55555
        stones = (odd >> 1) ^ even  # 1 where one of two bits is set: a stone, not a wall or a gap
        both[key] = shapes[key] | (shapes[key ^ (stones | (stones << 1))] << 4)


@njit
def fill_ratings(values: Int32s, bonus: Int32s, ratings: Int32s) -> None:
    """Fill `ratings: int32[2**16]` by four shapes of four bits: a move's score * 16 + its kind.

    `values: int32[10]` scores each shape, `bonus: int32[8]` each kind on top.
    """
    for index in range(SHAPE_SETS):
        fives, open_fours, fours, threes, score, strongest = 0, 0, 0, 0, 0, 0
        for d in range(4):
            shape = min((index >> (4 * d)) & 15, FIVE)
            score += values[shape]
            strongest = max(strongest, shape)
            fives += shape == FIVE
            open_fours += shape == OPEN_FOUR
            fours += shape == FOUR
            threes += shape == OPEN_THREE
        if fives:
            kind = MAKES_FIVE
        elif open_fours or fours >= 2:
            kind = MAKES_OPEN_FOUR
        elif fours and threes:
            kind = FOUR_THREE
        elif fours:
            kind = MAKES_FOUR
        elif threes >= 2:
            kind = DOUBLE_THREE
        elif threes:
            kind = MAKES_THREE
        else:
            kind = BUILDING if strongest >= TWO else QUIET
        ratings[index] = (score + bonus[kind]) * 16 + kind


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
