"""The pattern tables of a rule, with the weights of the static evaluation."""

from functools import cache
from typing import NamedTuple

import numpy as np

from .evaluation_weights import evaluation_weights
from .memory_kernels import LINE_KEYS, SHAPE_SETS, Bytes, Int32s, Int64s
from .pattern_kernels import fill_ratings, fill_shapes


class PatternTables(NamedTuple):
    """What a stone makes of the points around it, for every case; not to be written to."""

    grades: Bytes
    """uint8[2**20], by line key: black's grade in the low half, white's in the high half."""
    ratings: Int64s
    """int64[2**16], by four grades of four bits, see `pattern_kernels.fill_ratings`."""
    threats: Int32s
    """int32[THREAT_SETS], see `evaluation_weights.EvaluationWeights`."""


@cache
def line_shapes(exact: bool) -> tuple[Bytes, Bytes]:
    """The shapes of both colours by line key, and their grades, for a rule."""
    keys, own = np.arange(LINE_KEYS, dtype=np.int32), np.zeros(LINE_KEYS, np.uint8)
    for place in range(10):
        own += (keys >> (2 * place)) & 3 == 1
    order = np.argsort(10 - own, kind="stable").astype(np.int32)
    black_shapes, black_grades, shapes, grades = np.zeros((4, LINE_KEYS), np.uint8)
    fill_shapes(exact, order, black_shapes, black_grades, shapes, grades)
    return shapes, grades


@cache
def pattern_tables(exact: bool) -> PatternTables:
    """The tables of the standard rule (`exact`) or the freestyle rule."""
    weights, ratings = evaluation_weights(), np.zeros(SHAPE_SETS, np.int64)
    fill_ratings(weights.attack, weights.defence, weights.mover, weights.waiter, ratings)
    return PatternTables(line_shapes(exact)[1], ratings, weights.threats)
