"""How agents play the opening rule swap2: three stones to put, then a colour to choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numpy.random import Generator

from .openings import balanced
from .rules import Action, Choice, Gomoku, GomokuState, Point

BALANCED = 40.0
"""A lead below this, in the engine's pattern points, counts as balanced: the margin by which
`benchmarks/gomoku_openings.py` chose the openings that ship."""


def opening_action(
    game: Gomoku,
    state: GomokuState,
    rng: Generator,
    lead: Callable[[], float],
    balanced_below: float = 0.0,
) -> Action | None:
    """What swap2 asks for before plain play: an opening stone or a choice. None in plain play.

    `lead` gives what white, to move, is ahead by; see `choose`.
    """
    if stone := opening_stone(game, state, rng):
        return stone
    if options := game.choosing(state):
        return choose(options, lead(), balanced_below)
    return None


def choose(options: Sequence[Choice], lead: float, balanced_below: float = 0.0) -> Choice:
    """Take the better colour; two more stones where neither is, if that is an option.

    `lead` is what white, to move, is ahead by. A lead of less than `balanced_below` is too small to
    choose by: whoever puts two more stones lets the other seat judge a position that it knows
    better. Agents whose values are no measure of balance leave it at 0 and always take a colour.
    """
    if "more" in options and abs(lead) < balanced_below:
        return "more"
    return "white" if lead > 0 else "black"


def opening_stone(game: Gomoku, state: GomokuState, rng: Generator) -> Point | None:
    """The next of the three stones that seat 0 puts: part of a balanced opening. None otherwise."""
    if game.opening != "swap2" or state.choices or len(state.stones) >= 3:
        return None
    known = [o for o in balanced(game.size) if len(o) >= 3]
    fitting = [o for o in known if o[: len(state.stones)] == state.stones]
    if fitting:
        return fitting[int(rng.integers(len(fitting)))][len(state.stones)]
    free = [p for p in game.points if p not in state.stones and _inner(game, p)]
    return free[int(rng.integers(len(free)))]


def _inner(game: Gomoku, point: Point) -> bool:
    margin = game.size // 4
    return all(margin <= i < game.size - margin for i in point)
