"""What can be known of a Gomoku position: the engine's best moves and their values, for clients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from trireme.core.errors import IllegalAction
from trireme.core.game import AnyGame, Seat
from trireme.core.opinions import gather_opinions
from trireme.gomoku.agents.dqn import values
from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.engine import PROVEN_VALUE, Analysis, Candidate
from trireme.gomoku.rules import Gomoku, State

TOP = 5
SCALE = 800.0
"""Pattern points that make a position good: here the value is tanh 1, about 0.76."""
_agent = Search()


def insight(
    game: AnyGame, view: State, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The best moves for the seat to move, best first, as plain JSON values.

    `value` goes from -1, lost, to 1, won; `points` is the engine's own number; `plies` is there
    where a win or loss is proven. `line` is the play that the engine expects. `opinions` has what
    others think of the same moves, by name.
    """
    assert isinstance(game, Gomoku)
    if seat not in game.to_move(view) or game.choosing(view):
        raise IllegalAction("there is no stone to put now")
    if not view.stones:
        middle = game.write((game.size // 2, game.size // 2))
        moves = [{"action": middle, "value": 0.0}]
        found: dict[str, Any] = {"value": 0.0, "depth": 0, "line": [], "moves": moves}
    else:
        found = told(game, _agent.analyse(game, view, seconds=seconds, top=TOP))
    return found | gather_opinions({"dqn": lambda: by_network(game, view)})


def by_network(game: Gomoku, view: State) -> dict[str, Any]:
    """The moves of the highest Q and their values; an error where the network can't be run."""
    worth = values(game, view).ravel()
    free = np.flatnonzero(np.isfinite(worth))
    best = free[np.argsort(-worth[free], kind="stable")][:TOP]
    moves = [
        {
            "action": game.write(divmod(int(point), game.size)),
            "value": round(float(np.clip(worth[point], -1, 1)), 3),
        }
        for point in best
    ]
    return {"value": moves[0]["value"], "moves": moves}


def told(game: Gomoku, found: Analysis) -> dict[str, Any]:
    """An analysis as plain JSON values."""
    return {
        "value": as_share(found.value),
        "points": found.value,
        "proven": found.proven,
        "depth": found.depth,
        "nodes": found.nodes,
        "line": [game.write(point) for point in found.line],
        "moves": [_move(game, candidate) for candidate in found.moves],
    }


def as_share(points: int) -> float:
    """Pattern points as a value from -1, a proven loss, to 1, a proven win."""
    if abs(points) >= PROVEN_VALUE:
        return math.copysign(1.0, points)
    return round(math.tanh(points / SCALE) * 0.99, 3)


def in_words(candidate: Candidate) -> str:
    """A value as players say it: `+35`, `wins in 5`, `loses in 4`, counted in plies."""
    if candidate.plies is None:
        return f"{candidate.value:+d}"
    return f"{'wins' if candidate.value > 0 else 'loses'} in {candidate.plies}"


def _move(game: Gomoku, candidate: Candidate) -> dict[str, Any]:
    move = {"action": game.write(candidate.move), "value": as_share(candidate.value)}
    extra = {} if candidate.plies is None else {"plies": candidate.plies}
    return {**move, "points": candidate.value, **extra}
