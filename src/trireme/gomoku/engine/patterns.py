"""The pattern tables of a rule, with the weights of the static evaluation."""

from functools import cache
from typing import NamedTuple

import numpy as np

from .evaluation_weights import evaluation_weights
from .memory_kernels import LINE_KEYS, SHAPE_SETS, Bytes, Int32s, Int64s
from .pattern_kernels import fill_shapes
from .shape_tables import kind_table


class PatternTables(NamedTuple):
    """What a stone makes of the points around it, for every case; not to be written to."""

    grades: Bytes
    """uint8[2**20], by line key: black's grade in the low half, white's in the high half."""
    ratings: Int64s
    """int64[2**16], by four grades of four bits, see `rating_table`."""
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
    weights = evaluation_weights()
    ratings = rating_table(weights.attack, weights.defence, weights.mover, weights.waiter)
    return PatternTables(line_shapes(exact)[1], ratings, weights.threats)


def rating_table(attack: Int32s, defence: Int32s, mover: Int32s, waiter: Int32s) -> Int64s:
    """`int64[2**16]`: the ratings of moves, by the four grades of four bits that a stone makes.

    A rating packs a move's kind in bits 0 to 3, its score as an attack in 4 to 13 and as a defence
    in 14 to 23, and its point's value, signed, to a colour that is to move in 24 to 39, to one that
    waits from 40 on. The four arguments, int32[2**16] each, are filled in where the grades rise.
    """
    places = 4 * np.arange(4)
    grades = (np.arange(SHAPE_SETS)[:, None] >> places) & 15
    rising = (np.sort(grades, 1) << places).sum(1)
    ratings = kind_table().astype(np.int64)
    ratings |= (attack[rising].astype(np.int64) & 1023) << 4
    ratings |= (defence[rising].astype(np.int64) & 1023) << 14
    ratings |= (mover[rising].astype(np.int64) & 0xFFFF) << 24
    return np.asarray(ratings + (waiter[rising].astype(np.int64) << 40))
