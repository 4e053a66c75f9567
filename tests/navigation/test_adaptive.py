"""The adaptive captain: it recognises weak opponents, exploits them, and keeps to its margin."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trireme import make_agent
from trireme.core.errors import BadSpec
from trireme.core.game import Turn
from trireme.core.seeding import stream
from trireme.navigation.agents.adaptive import Adaptive
from trireme.navigation.arrays import pack_plan
from trireme.navigation.rules import Navigation, NavigationState

from .positions import with_ships

GAME = Navigation(ships=("war_brig", "war_brig"), map="procedural:3")


def turn_of(state: NavigationState, seat: int) -> Turn[Any, Any]:
    return Turn(GAME, seat, state, GAME.plans[seat], stream(7 + state.turn, seat))


def played(rival: str, turns: int) -> Adaptive:
    """The captain after some turns against another, from the start."""
    captain: Any = make_agent(GAME, "adaptive:rounds=3")
    other, state = make_agent(GAME, rival), GAME.start()
    for _ in range(turns):
        plans = {0: captain.act(turn_of(state, 0)), 1: other.act(turn_of(state, 1))}
        state = GAME.apply(state, plans)
        assert state.verdict is None
    captain.think(turn_of(state, 0))
    assert isinstance(captain, Adaptive)
    return captain


def test_it_begins_without_suspicion() -> None:
    beliefs = played("greedy", 0).beliefs()
    assert beliefs["adaptive"] > 0.5
    assert sum(beliefs.values()) == pytest.approx(1)


def test_it_recognises_a_captain_by_its_movements() -> None:
    beliefs = played("greedy", 3).beliefs()
    assert max(beliefs, key=lambda name: beliefs[name]) == "greedy"
    assert sum(beliefs.values()) == pytest.approx(1)


def test_a_new_game_begins_with_new_beliefs() -> None:
    captain = played("greedy", 2)
    captain.think(turn_of(GAME.start(), 0))
    assert captain.beliefs() == played("greedy", 0).beliefs()


def response_to_greedy(margin: float) -> tuple[float, float, float]:
    """(guarantee of the equilibrium, that of the response, its value against greedy)."""
    state = with_ships(GAME, "i9 E", "n14 W", turn=5)
    captain: Any = make_agent(GAME, f"adaptive:rounds=6,margin={margin}")
    captain._beliefs = {"random": 0.0, "greedy": 0.9, "planner": 0.0, "adaptive": 0.1}
    analysis = captain.think(turn_of(state, 0))
    oracle = captain.oracle(GAME, state, 0)
    captain.search(oracle, lambda: False)
    plans = np.stack([pack_plan(c.plan, GAME.types[0]) for c in analysis.candidates])
    weights = np.array([c.weight for c in analysis.candidates])
    best = oracle.responses(1, plans, weights)[1].max()
    greedy = pack_plan(make_agent(GAME, "greedy").act(turn_of(state, 1)), GAME.types[1])
    against = float(weights @ oracle.payoffs(plans, greedy[None])[:, 0])
    return oracle.guarantee(), float(-best), against


def test_it_wins_more_from_a_known_captain_and_keeps_to_the_margin() -> None:
    plain, same, careful = response_to_greedy(0.0)
    _, kept, bold = response_to_greedy(0.3)
    _, lost, boldest = response_to_greedy(2.0)
    assert same >= plain - 0.02
    assert kept >= plain - 0.32
    assert careful <= bold + 0.02
    assert bold <= boldest + 0.02
    assert boldest > careful + 0.1
    assert lost <= kept + 0.02


@pytest.mark.parametrize("margin", [-0.1, 2.5])
def test_a_margin_out_of_range_is_refused(margin: float) -> None:
    with pytest.raises(BadSpec, match="margin must be 0 to 2"):
        make_agent("navigation", f"adaptive:margin={margin}")
