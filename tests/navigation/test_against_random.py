"""The response to a captain that plays at random: exact predictions, and patience."""

from __future__ import annotations

import dataclasses
from collections import Counter

import numpy as np
import pytest

from trireme.navigation.agents.adaptive import Adaptive
from trireme.navigation.agents.nash import Nash
from trireme.navigation.agents.opponent_model import PLAYS_AT_RANDOM, RANDOM, OpponentModel
from trireme.navigation.agents.safe_exploitation import SafeExploiter
from trireme.navigation.arrays import pack_plan, unpack_plan
from trireme.navigation.rules import Navigation
from trireme.navigation.search.double_oracle import TurnSolver
from trireme.navigation.search.evaluation_kernels import REACH
from trireme.navigation.search.hit_point_values import values_against_random
from trireme.navigation.search.pose_bonus import pose_values_against_random
from trireme.navigation.ships import SHIPS, ShipType

from .positions import with_ships

GAME = Navigation(ships=("war_brig", "war_brig"), map="procedural:3")
SIDE_BY_SIDE = with_ships(GAME, "k11 N", "l11 N", turn=5)


def never() -> bool:
    return False


@pytest.mark.parametrize("own", SHIPS.values(), ids=SHIPS)
@pytest.mark.parametrize("other", SHIPS.values(), ids=SHIPS)
def test_hit_points_are_worth_more_the_more_there_are(own: ShipType, other: ShipType) -> None:
    values = values_against_random(own, other, 50)
    assert (np.diff(values, axis=1) >= 0).all()
    assert (np.diff(values, axis=2) <= 0).all()
    assert (np.abs(values) <= 1).all()
    assert values[0, -1, -1] > 0.9


def test_at_the_turn_limit_the_larger_share_of_hit_points_wins() -> None:
    brig, sloop = SHIPS["war_brig"], SHIPS["sloop"]
    last = values_against_random(brig, sloop, 50)[50]
    assert (last[10, 5], last[11, 5], last[9, 5]) == (0, 1, -1)
    assert (last[0, 3], last[3, 0], last[0, 0]) == (-1, 1, 0)


def test_who_leads_has_more_the_later_it_is_and_who_is_behind_less() -> None:
    brig = SHIPS["war_brig"]
    values = values_against_random(brig, brig, 50)
    assert (np.diff(values[:, 20, 16]) >= 0).all()
    assert (np.diff(values[:, 4, 20]) <= 0).all()


def test_to_end_a_turn_beside_a_random_captain_costs_something() -> None:
    bonus = pose_values_against_random(0, 0.5)
    assert bonus[REACH + 1, REACH, 0] < bonus[REACH + 1, REACH + 1, 0] == 0
    assert bonus[REACH + 9, REACH, 2] < bonus[REACH + 5, REACH, 2] < 0
    assert (pose_values_against_random(1, 0.5) == -bonus).all()


def test_who_has_all_but_won_need_not_seek_the_fight() -> None:
    far = [pose_values_against_random(0, value)[REACH + 9, REACH, 2] for value in (0.0, 0.9, 1.0)]
    assert far[0] < far[1] < far[2] == 0


@pytest.mark.parametrize("ship", ["sloop", "war_brig"])
def test_the_predicted_orders_are_those_of_a_random_captain_in_every_phase(ship: str) -> None:
    game = Navigation(ships=("cutter", ship))
    model = OpponentModel(game, 1)
    model.beliefs[RANDOM] = PLAYS_AT_RANDOM
    plans, chances = model._plans_of(RANDOM, game.start(), never)[0]
    assert chances == pytest.approx(1 / len(plans))
    orders = (len(game.plans[1])) ** (1 / game.phases)
    for phase in range(game.phases):
        counts = Counter(plans[:, phase].tolist())
        assert len(counts) == round(orders)
        assert set(counts.values()) == {len(plans) // round(orders)}
    assert len({tuple(p & 3) for p in plans}) == 4**game.phases


def test_only_legal_plans_are_predicted_where_shots_are_scarce() -> None:
    game = Navigation(ships=("war_brig", "war_brig"), ammo_per_turn=4)
    model = OpponentModel(game, 1)
    model.beliefs[RANDOM] = 1.0
    plans, _ = model._plans_of(RANDOM, game.start(), never)[0]
    assert len(plans) > 256
    assert all(unpack_plan(plan, game.types[1]) in game.plans[1] for plan in plans)


def test_below_the_threshold_plans_are_drawn() -> None:
    model = OpponentModel(GAME, 1)
    model.beliefs[RANDOM] = PLAYS_AT_RANDOM - 0.01
    assert not model.plays_at_random
    assert len(model._plans_of(RANDOM, GAME.start(), never)[0][0]) == 32


@pytest.mark.parametrize("seat", [0, 1])
def test_a_grapple_that_may_be_answered_is_refused_where_a_better_one_will_come(seat: int) -> None:
    ships = ("k11 N", "l11 N") if seat == 0 else ("l11 N", "k11 N")
    state = with_ships(GAME, *ships, turn=5)
    plain = TurnSolver(GAME).double_oracle(state, seat)
    plain.improve(4)
    model = OpponentModel(GAME, 1 - seat)
    model.beliefs[RANDOM] = 1.0
    mixture = model._plans_of(RANDOM, state, never)[0]
    response = plain.with_random_enemy(*mixture)
    response.improve(6)
    best = response.mixture(seat)
    hook = pack_plan(GAME.read("-h------"), GAME.types[seat])[None], np.ones(1)
    wait = pack_plan(GAME.read("F-F-F-F-"), GAME.types[seat])[None], np.ones(1)
    assert response.expected(best, mixture) > response.expected(hook, mixture)
    assert response.expected(best, mixture) >= response.expected(wait, mixture)
    table = values_against_random(*GAME.types, 50)[6]
    assert response.turn.hp_values[0, 20, 16] == (table[20, 16] if seat == 0 else -table[16, 20])


@pytest.mark.parametrize("seat", [0, 1])
def test_no_budget_bounds_the_response_of_a_bold_captain(seat: int) -> None:
    state = SIDE_BY_SIDE
    plain = TurnSolver(GAME).double_oracle(state, seat)
    plain.improve(4)
    for bold in (True, False):
        memory = SafeExploiter(GAME, seat, 0.0, bold)
        memory.model.beliefs = dict.fromkeys(memory.model.beliefs, 0.0) | {RANDOM: 1.0}
        found = memory.respond(plain, state, never)
        same = {c.plan for c in found.candidates} == {c.plan for c in plain.analysis().candidates}
        assert same is not bold
    assert Nash.bold
    assert not Adaptive.bold


def test_the_value_depends_on_the_salvos_of_both() -> None:
    cutter, brig = SHIPS["cutter"], SHIPS["war_brig"]
    strong = dataclasses.replace(brig, shots=1)
    assert (
        values_against_random(cutter, strong, 50)[0, 8, 20]
        > values_against_random(cutter, brig, 50)[0, 8, 20]
    )
