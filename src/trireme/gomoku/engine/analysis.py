"""What an analysis may use, and what it finds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from trireme.gomoku.rules import Point

from . import memory_kernels as mem

PROVEN_WIN = mem.PROVEN_WIN
"""Values from here on are proven wins, from its negative down proven losses."""
SCALE = 800.0
"""Pattern points at which the scaled value is tanh 1, about 0.76."""


def scaled_value(points: int) -> float:
    """Pattern points as a value from -1, a proven loss, to 1, a proven win."""
    if abs(points) >= PROVEN_WIN:
        return math.copysign(1.0, points)
    return round(math.tanh(points / SCALE) * 0.99, 3)


@dataclass(frozen=True)
class SearchLimits:
    """When to stop searching, whichever comes first; None is no limit."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int = 60
    fours: bool = True
    """Whether to search for victories by continuous fours (VCF), at the root and in the tree."""
    threats: bool = True
    """Whether to search for victories by continuous threes (VCT), too."""


@dataclass(frozen=True)
class CandidateMove:
    """One move and its value for the side that makes it."""

    move: Point
    value: int
    """Pattern points, or, from 20000 up or down, a proven win or loss."""
    plies: int | None = None
    """For a proven win or loss: plies to the five."""


@dataclass(frozen=True)
class EngineAnalysis:
    """What the engine found out about a position, for the side to move."""

    depth: int
    """Plies searched in full; threats reach deeper."""
    nodes: int
    seconds: float
    value: int
    proven: bool
    """Whether the value is a proof: a win, or a loss whatever is played."""
    line: tuple[Point, ...]
    """The principal variation (PV), beginning with the move to play."""
    moves: tuple[CandidateMove, ...]
    """The best moves, best first, each with its value."""

    @property
    def best(self) -> Point:
        return self.moves[0].move


Report = Callable[[EngineAnalysis], object]
"""Gets the analysis after every iteration."""
