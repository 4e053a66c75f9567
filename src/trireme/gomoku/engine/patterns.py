"""The pattern tables of a rule, with the weights of the static evaluation."""

from functools import cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .memory_kernels import LINE_KEYS, SHAPE_SETS, Bytes, Int32s, Int64s
from .pattern_kernels import fill_ratings, fill_shapes


class EvaluationWeights(NamedTuple):
    """The static evaluation and the ordering of moves, fitted to games.

    The first four are int32[2**16], by the grades that a stone makes of a point in the four lines,
    four bits each, in rising order.
    """

    attack: Int32s
    """How likely the point is chosen for what it makes: log-odds in steps of 1/32, 0 to 1023."""
    defence: Int32s
    """The same for what the other side would make of it."""
    mover: Int32s
    """The point's value in pattern points to a colour that is to move."""
    waiter: Int32s
    """The same to a colour that is not to move."""
    threats: Int32s
    """int32[THREAT_SETS]: the value to the side to move of the threats of both sides together."""


class PatternTables(NamedTuple):
    """What a stone makes of the points around it, for every case; not to be written to."""

    grades: Bytes
    """uint8[2**20], by line key: black's grade in the low half, white's in the high half."""
    ratings: Int64s
    """int64[2**16], by four grades of four bits, see `pattern_kernels.fill_ratings`."""
    threats: Int32s
    """int32[THREAT_SETS], see `EvaluationWeights`."""


@cache
def line_shapes(exact: bool) -> tuple[Bytes, Bytes]:
    """The shapes of both colours by line key, and their grades, for a rule."""
    shapes, grades = np.zeros(LINE_KEYS, np.uint8), np.zeros(LINE_KEYS, np.uint8)
    fill_shapes(exact, shapes, grades)
    return shapes, grades


@cache
def evaluation_weights() -> EvaluationWeights:
    """The weights that ship; `benchmarks/gomoku_tune.py` fits them to the results of games."""
    with as_file(files(__package__) / "evaluation.npz") as path, np.load(path) as data:
        return EvaluationWeights(
            *(_by_grades(data["sets"], data[name]) for name in EvaluationWeights._fields[:4]),
            data["threats"].astype(np.int32),
        )


def _by_grades(sets: NDArray[np.uint16], values: NDArray[np.int16]) -> Int32s:
    table = np.zeros(SHAPE_SETS, np.int32)
    table[sets] = values
    return table


@cache
def pattern_tables(exact: bool) -> PatternTables:
    """The tables of the standard rule (`exact`) or the freestyle rule."""
    weights, ratings = evaluation_weights(), np.zeros(SHAPE_SETS, np.int64)
    fill_ratings(weights.attack, weights.defence, weights.mover, weights.waiter, ratings)
    return PatternTables(line_shapes(exact)[1], ratings, weights.threats)
