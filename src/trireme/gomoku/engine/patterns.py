"""The pattern tables of a rule, with the weights of the static evaluation."""

from functools import cache
from typing import NamedTuple

import numpy as np

from .memory_kernels import LINE_KEYS, SHAPE_SETS, Bytes, Int32s

SHAPE_VALUES = (0, 1, 3, 4, 14, 16, 60, 70, 2000, 20000)
"""The score of each shape, NOTHING to FIVE, in pattern points; `benchmarks/gomoku_tune.py` fits
them."""
KIND_BONUS = (0, 0, 0, 0, 400, 1000, 2000, 0)
"""What each kind of move, QUIET to MAKES_FIVE, scores on top."""


class PatternTables(NamedTuple):
    """What a stone makes of the points around it, for every case; not to be written to."""

    shapes: Bytes
    """uint8[2**20], by line key: black's shape in the low half, white's in the high half."""
    ratings: Int32s
    """int32[2**16], by the four shapes of one colour: a move's score * 16 + its kind."""


@cache
def pattern_tables(exact: bool) -> PatternTables:
    """The tables for exactly five, or for five and more."""
    from .pattern_kernels import fill_ratings, fill_shapes  # training reads the weights without it

    tables = PatternTables(np.zeros(LINE_KEYS, np.uint8), np.zeros(SHAPE_SETS, np.int32))
    fill_shapes(exact, tables.shapes)
    values, bonus = np.array(SHAPE_VALUES, np.int32), np.array(KIND_BONUS, np.int32)
    fill_ratings(values, bonus, tables.ratings)
    return tables
