"""Insight into a Gomoku position for clients: the engine's best moves, their values, and the PV."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from trireme.core.errors import IllegalAction
from trireme.core.game import AnyGame, Seat
from trireme.core.opinions import gather_opinions
from trireme.gomoku.agents.dqn import values
from trireme.gomoku.agents.search import Search
from trireme.gomoku.agents.zero import Zero
from trireme.gomoku.engine.analysis import CandidateMove, EngineAnalysis, scaled_value
from trireme.gomoku.rules import Gomoku, GomokuState

TOP = 5
_agent = Search()
_zero = Zero(simulations=48)


def insight(
    game: AnyGame, view: GomokuState, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The best moves for the seat to move, best first, as plain JSON values.

    `value` goes from -1, lost, to 1, won; `points` is the engine's own number; `plies` is there
    where a win or loss is proven. `line` is the principal variation. `opinions` has the values
    of other agents, by name.
    """
    assert isinstance(game, Gomoku)
    if seat not in game.to_move(view) or game.choosing(view):
        raise IllegalAction("there is no stone to put now")
    if not view.stones:
        middle = game.write((game.size // 2, game.size // 2))
        moves = [{"action": middle, "value": 0.0}]
        found: dict[str, Any] = {"value": 0.0, "depth": 0, "line": [], "moves": moves}
    else:
        found = as_json(game, _agent.analyse(game, view, seconds=seconds, top=TOP))
    evaluators = {name: partial(ask, game, view) for name, ask in NETWORKS.items()}
    return found | gather_opinions(evaluators)


def by_network(game: Gomoku, view: GomokuState) -> dict[str, Any]:
    """The moves of the highest Q values of the dqn network; an error where it can't be run."""
    q = values(game, view).ravel()
    free = np.flatnonzero(np.isfinite(q))
    best = free[np.argsort(-q[free], kind="stable")][:TOP]
    moves = [
        {
            "action": game.write(divmod(int(point), game.size)),
            "value": round(float(np.clip(q[point], -1, 1)), 3),
        }
        for point in best
    ]
    return {"value": moves[0]["value"], "moves": moves}


def by_zero(game: Gomoku, view: GomokuState) -> dict[str, Any]:
    """The moves that the tree search of zero visits most; an error where it can't be run."""
    found = _zero.analyse(game, view, top=TOP)
    moves = [
        {"action": game.write(judged.move), "value": round(judged.value, 3)}
        | ({} if judged.plies is None else {"plies": judged.plies})
        for judged in found.moves
    ]
    line = [game.write(point) for point in found.line]
    return {"value": round(found.value, 3), "proven": found.proven, "line": line, "moves": moves}


NETWORKS = {"dqn": by_network, "zero": by_zero}
"""The networks that give second opinions, by the name of the agent."""


def as_json(game: Gomoku, found: EngineAnalysis) -> dict[str, Any]:
    """An analysis as plain JSON values."""
    return {
        "value": scaled_value(found.value),
        "points": found.value,
        "proven": found.proven,
        "depth": found.depth,
        "nodes": found.nodes,
        "line": [game.write(point) for point in found.line],
        "moves": [_move(game, candidate) for candidate in found.moves],
    }


def in_words(candidate: CandidateMove) -> str:
    """A value for people: `+35`, `wins in 5`, `loses in 4`, counted in plies."""
    if candidate.plies is None:
        return f"{candidate.value:+d}"
    return f"{'wins' if candidate.value > 0 else 'loses'} in {candidate.plies}"


def _move(game: Gomoku, candidate: CandidateMove) -> dict[str, Any]:
    move = {"action": game.write(candidate.move), "value": scaled_value(candidate.value)}
    extra = {} if candidate.plies is None else {"plies": candidate.plies}
    return {**move, "points": candidate.value, **extra}
