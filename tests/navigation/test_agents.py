"""The captains: legal in every variant, deaf to the other's plan, and telling what they thought."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from trireme import make_agent
from trireme.core.errors import BadSpec
from trireme.core.game import Turn
from trireme.core.seeding import stream
from trireme.navigation.rules import Navigation, NavigationState

from .positions import OPEN, open_water, with_ships

SPECS = ["random", "greedy", "planner", "nash-quick", "nash:rounds=3,leaves=2", "adaptive:rounds=3"]
FAST_AND_SLOW = [*SPECS[:4], *(pytest.param(s, marks=pytest.mark.slow) for s in SPECS[4:])]
VARIANTS: list[dict[str, Any]] = [
    {},
    {"map": "procedural:5", "ships": ("sloop", "war_frigate"), "turns": "advance"},
    {"ammo_per_turn": 3, "ram_damage": 2},
    {"phases": 1, "turn_limit": 3},
    {"ammo_per_turn": 0, "phases": 2},
]


def turn_of(game: Navigation, state: NavigationState, seat: int, seed: int = 0) -> Turn[Any, Any]:
    return Turn(game, seat, game.view(state, seat), game.legal(state, seat), stream(seed, seat))


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
@pytest.mark.parametrize("spec", FAST_AND_SLOW)
def test_every_plan_is_legal(spec: str, settings: dict[str, Any]) -> None:
    game = Navigation(**settings)
    agents = [make_agent(game, spec), make_agent(game, spec)]
    close = with_ships(game, "k11 E", "m12 S")
    for state in (game.start(), close):
        plans = {seat: agents[seat].act(turn_of(game, state, seat)) for seat in (0, 1)}
        for seat, plan in plans.items():
            game.check(state, seat, plan)


@pytest.mark.parametrize("spec", FAST_AND_SLOW)
def test_the_same_turn_gives_the_same_plan_whatever_the_other_plans(spec: str) -> None:
    """An agent is handed its turn and nothing else; what the other seat draws, plans and thinks
    between two identical turns leaves its plan as it was."""
    game = Navigation(ships=("dhow", "cutter"))
    state = with_ships(game, "k11 E", "n12 W")
    plans = set()
    for trial in range(3):
        agent, other = make_agent(game, spec), make_agent(game, ["greedy", "random", spec][trial])
        other.act(turn_of(game, state, 1, seed=trial))
        plans.add(agent.act(turn_of(game, state, 0)))
    assert len(plans) == 1


@pytest.mark.parametrize("spec", ["greedy", "planner", "nash-quick"])
def test_plans_of_earlier_turns_that_led_to_the_same_ships_do_not_matter(spec: str) -> None:
    """Only the ships and the turn count: the log of how they came there does not."""
    game = Navigation()
    state = game.apply(game.start(), {0: game.read("F-F-F-F-"), 1: game.read("L-L-L-L-")})
    bare = replace(state, log=())
    first, second = (
        make_agent(game, spec).act(turn_of(game, position, 0)) for position in (state, bare)
    )
    assert first == second


@pytest.mark.parametrize("spec", ["planner", "nash-quick"])
def test_thoughts_name_plans_values_and_weights(spec: str) -> None:
    game = Navigation()
    state = with_ships(game, "k11 E", "n12 W")
    agent: Any = make_agent(game, spec)
    analysis = agent.think(turn_of(game, state, 1))
    assert analysis.candidates
    for candidate in (*analysis.candidates, *analysis.answers):
        assert game.read(candidate.text) == candidate.plan
    assert all(candidate.plan in game.plans[1] for candidate in analysis.candidates)
    assert all(answer.plan in game.plans[0] for answer in analysis.answers)
    weights = [candidate.weight for candidate in analysis.candidates]
    assert sum(weights) == pytest.approx(1, abs=0.25)
    assert weights == sorted(weights, reverse=True)


def test_greedy_grapples_a_ship_beside_it() -> None:
    game = Navigation(map=open_water(OPEN), phases=1)
    plan = make_agent(game, "greedy").act(turn_of(game, with_ships(game, "d4 N", "e4 N"), 0))
    assert plan[0].grapples
    assert game.apply(with_ships(game, "d4 N", "e4 N"), {0: plan, 1: game.read("--")}).verdict


def test_greedy_shoots_when_lined_up_and_sails_closer_otherwise() -> None:
    game = Navigation(map=open_water(OPEN), phases=1)
    agent = make_agent(game, "greedy")
    shot = agent.act(turn_of(game, with_ships(game, "c4 N", "f4 N"), 0))
    assert shot[0].action == "shoot_starboard"
    simulate_movements = agent.act(turn_of(game, with_ships(game, "a7 N", "g1 S"), 0))
    assert simulate_movements[0].move in ("forward", "turn_right")


@pytest.mark.parametrize("spec", ["greedy", "planner", "nash-quick"])
def test_an_enemy_held_by_rocks_out_of_its_own_range_is_fired_at(spec: str) -> None:
    sea = open_water(".......|..ooo..|..o.o..|..ooo..|.......|.......|.......")
    game = Navigation(ships=("baghlah", "sloop"), map=sea, phases=1)
    state = with_ships(game, "d6 E", "d3 E")
    plan = make_agent(game, spec).act(turn_of(game, state, 0))
    assert game.apply(state, {0: plan, 1: game.read("--")}).ships[1].hp == 6


def test_nash_keeps_to_the_clock_of_its_turn() -> None:
    """Given no time it still answers, after a single round."""
    game = Navigation()
    state = with_ships(game, "k11 E", "n12 W")
    agent: Any = make_agent(game, "nash")
    hurried = agent.analyse(game, state, 0, limit=0.0)
    patient = make_agent(game, "nash:rounds=12").analyse(game, state, 0)  # type: ignore[attr-defined]
    assert hurried.gap > patient.gap


def test_more_rounds_leave_less_to_gain() -> None:
    game = Navigation(ships=("war_brig", "war_brig"))
    state = with_ships(game, "k11 E", "m13 N")
    gaps = [
        make_agent(game, f"nash:rounds={rounds}").analyse(game, state, 0).gap  # type: ignore[attr-defined]
        for rounds in (1, 8, 20)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.1 * gaps[0]


def test_nash_draws_from_its_mixture() -> None:
    game = Navigation(ships=("war_brig", "war_brig"))
    state = with_ships(game, "k11 E", "m13 N")
    agent = make_agent(game, "nash-quick")
    plans = {agent.act(turn_of(game, state, 0, seed)) for seed in range(6)}
    assert len(plans) > 2


def test_insight_is_the_mixture_as_plain_values() -> None:
    from trireme.navigation.show.insight import insight

    game = Navigation()
    state = with_ships(game, "k11 E", "n12 W")
    found = insight(game, state, 0, 0.05, np.random.default_rng(0))
    weights = [entry["weight"] for entry in found["plans"]]
    assert sum(weights) == pytest.approx(1, abs=0.25)
    assert weights == sorted(weights, reverse=True)
    assert all(game.read(entry["plan"]) in game.plans[0] for entry in found["plans"])
    assert all(game.read(entry["answer"]) in game.plans[1] for entry in found["plans"])
    assert all(entry["foreseen"] <= entry["value"] + 1e-9 for entry in found["plans"])


@pytest.mark.parametrize("spec", ["nash:rounds=0", "nash:naive=1", "nash-quick:confidence=-1"])
def test_options_out_of_range_are_refused(spec: str) -> None:
    with pytest.raises(BadSpec, match="must be"):
        make_agent("navigation", spec)
