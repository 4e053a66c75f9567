"""How agents play the opening rule swap2: three stones to put, then a colour to choose."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.random import Generator

from .openings import balanced
from .rules import Choice, Gomoku, GomokuState, Point

EVEN = 40.0
"""A lead below this, in pattern points, is left to the other seat to judge."""


def opening_stone(game: Gomoku, state: GomokuState, rng: Generator) -> Point | None:
    """The next of the three stones that seat 0 puts: part of a balanced opening. None otherwise."""
    if game.opening != "swap2" or state.choices or len(state.stones) >= 3:
        return None
    known = [o[:3] for o in balanced(game.size) if len(o) >= 3]
    fitting = [o for o in known if o[: len(state.stones)] == state.stones]
    if fitting:
        return fitting[int(rng.integers(len(fitting)))][len(state.stones)]
    free = [p for p in game.points if p not in state.stones and _inner(game, p)]
    return free[int(rng.integers(len(free)))]


def choose(options: Sequence[Choice], lead: float) -> Choice:
    """Take the better colour; `lead` is what white, to move, is ahead by."""
    return "white" if lead > 0 else "black"


def _inner(game: Gomoku, point: Point) -> bool:
    margin = game.size // 4
    return all(margin <= i < game.size - margin for i in point)
