"""The weights of the static evaluation and of move ordering, and the file that holds them.

Needs only NumPy, so that training on a bare GPU machine can read them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .memory_kernels import (
    DOUBLE_THREE,
    FOUR_THREE,
    GRADES,
    MAKES_FOUR,
    MAKES_OPEN_FOUR,
    MAKES_THREE,
    SHAPE_SETS,
    THREAT_SETS,
    Int32s,
)

THREAT_DIGITS = (
    (0, MAKES_FOUR, 2),
    (0, FOUR_THREE, 1),
    (0, DOUBLE_THREE, 1),
    (0, MAKES_THREE, 2),
    (1, MAKES_OPEN_FOUR, 1),
    (1, MAKES_FOUR, 2),
    (1, FOUR_THREE, 1),
    (1, DOUBLE_THREE, 1),
    (1, MAKES_THREE, 2),
)
"""The digits of an index into `threats`, the first the most significant: the side (0 to move, 1 the
other), a kind, and the count from which more points of the kind make no difference. The plain twin
of `alphabeta_kernels.threat_index`."""


class EvaluationWeights(NamedTuple):
    """The static evaluation and the ordering of moves, fitted to games.

    The first four are int32[2**16], by the grades that a stone makes of a point in the four lines,
    four bits each, in rising order; 0 where the order does not rise.
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


@cache
def rising_sets() -> NDArray[np.uint16]:
    """uint16[3060]: every multiset of four grades, four bits each, the lowest in the lowest."""
    sets = np.arange(SHAPE_SETS)
    a, b, c, d = (sets >> (4 * place) & 15 for place in range(4))
    return sets[(a <= b) & (b <= c) & (c <= d) & (d < GRADES)].astype(np.uint16)


@cache
def evaluation_weights() -> EvaluationWeights:
    """The weights that ship; `benchmarks/gomoku_tune.py` fits them to the results of games."""
    with as_file(files(__package__) / "evaluation.npz") as path:
        return read_weights(path)


def read_weights(path: Path) -> EvaluationWeights:
    """The weights of a file that `write_weights` wrote."""
    with np.load(path) as data:
        sets, threats = data["sets"], data["threats"].astype(np.int32)
        tables = np.zeros((4, SHAPE_SETS), np.int32)
        for table, name in zip(tables, EvaluationWeights._fields, strict=False):
            table[sets] = data[name]
    if threats.shape != (THREAT_SETS,):
        raise ValueError(f"threats must be [{THREAT_SETS}], not {threats.shape}")
    attack, defence, mover, waiter = tables
    return EvaluationWeights(attack, defence, mover, waiter, threats)


def write_weights(path: Path, weights: EvaluationWeights) -> None:
    """Write weights as `.npz`: by name, int16, the first four at `sets`, the rising grades."""
    sets = rising_sets()
    names = EvaluationWeights._fields[:4]
    arrays = {name: getattr(weights, name)[sets].astype(np.int16) for name in names}
    with path.open("wb") as file:
        np.savez_compressed(file, sets=sets, threats=weights.threats.astype(np.int16), **arrays)
