"""The grade of a stone's shape in its line and the kind of a move, for every case, by NumPy alone.

The engine fills the tables of lines by kernels (`pattern_kernels`), which a test holds equal to
these, and takes the kinds of moves from here, as does training on a bare GPU machine without numba.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from .memory_kernels import (
    BUILDING,
    DOUBLE_THREE,
    FIRST_GRADE,
    FIVE,
    FOUR,
    FOUR_THREE,
    GRADES,
    LINE_KEYS,
    MAKES_FIVE,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAKES_THREE,
    MANY_WAYS,
    NOTHING,
    OPEN_FOUR,
    OPEN_THREE,
    QUIET,
    SHAPE_SETS,
    TWO,
)

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]


def shape_table(exact: bool) -> Bytes:
    """uint8[2**20], by line key: black's shape in the low half, white's in the high half.

    `exact`: six in a row do not win.
    """
    return _line_tables(exact)[0]


def grade_table(exact: bool) -> Bytes:
    """The same for the grades of the shapes."""
    return _line_tables(exact)[1]


@cache
def _line_tables(exact: bool) -> tuple[Bytes, Bytes]:
    """Shapes and grades by line key.

    A shape depends only on lines with one more own stone, so keys
    are computed by falling count.
    """
    keys = np.arange(LINE_KEYS)
    own = sum((keys >> (2 * place) & 3) == 1 for place in range(10))
    shapes, grades = np.zeros((2, LINE_KEYS), np.uint8)
    first, many = np.array(FIRST_GRADE), np.array(MANY_WAYS)
    for count in range(10, -1, -1):
        chosen = np.flatnonzero(own == count)
        found, ways = _shapes(chosen, shapes, exact)
        shapes[chosen] = found
        grades[chosen] = first[found] + (ways >= many[found])
    stones = (keys >> 1 ^ keys) & 0x55555
    swapped = keys ^ (stones | stones << 1)
    return shapes | shapes[swapped] << 4, grades | grades[swapped] << 4


def _shapes(keys: Numbers, shapes: Bytes, exact: bool) -> tuple[Bytes, Numbers]:
    """The shape of each line, and on how many points one more stone makes its best successor."""
    successors = [
        np.where((keys >> (2 * place) & 3) == 0, shapes[keys | 1 << (2 * place)], NOTHING)
        for place in range(10)
    ]
    then = np.array(successors)
    fives = (then == FIVE).sum(0)
    best = np.where(then == FIVE, NOTHING, then).max(0)
    ways = (then == best).sum(0)
    less = np.maximum(best.astype(np.int64) - 2, NOTHING)
    found = np.select([fives >= 2, fives == 1], [OPEN_FOUR, FOUR], less)
    run = _run(keys)
    found = np.where(run > 5, NOTHING if exact else FIVE, found)
    return np.where(run == 5, FIVE, found).astype(np.uint8), ways


def _run(keys: Numbers) -> Numbers:
    """The length of the line of own stones through the stone in the middle."""
    run = np.ones(len(keys), np.int64)
    for places in (range(4, -1, -1), range(5, 10)):
        unbroken = np.ones(len(keys), bool)
        for place in places:
            unbroken &= (keys >> (2 * place) & 3) == 1
            run += unbroken
    return run


@cache
def kind_table() -> Bytes:
    """uint8[2**16], by the four grades of one colour, four bits each: the kind of the move."""
    sets = np.arange(SHAPE_SETS)
    grades = np.minimum([sets >> (4 * d) & 15 for d in range(4)], GRADES - 1)
    shapes = np.searchsorted(FIRST_GRADE, grades, "right") - 1
    fives, open_fours, fours, threes = (
        (shapes == shape).sum(0) for shape in (FIVE, OPEN_FOUR, FOUR, OPEN_THREE)
    )
    kinds = np.select(
        [
            fives > 0,
            (open_fours > 0) | (fours >= 2),
            (fours > 0) & (threes > 0),
            fours > 0,
            threes >= 2,
            threes > 0,
            shapes.max(0) >= TWO,
        ],
        [
            MAKES_FIVE,
            MAKES_OPEN_FOUR,
            FOUR_THREE,
            MAKES_FOUR,
            DOUBLE_THREE,
            MAKES_THREE,
            BUILDING,
        ],
        QUIET,
    )
    return kinds.astype(np.uint8)
