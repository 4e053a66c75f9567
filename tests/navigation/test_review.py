"""Regret of plans: equal to a linear program on small boards; accuracy rises with strength."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import trireme
from trireme.core.game import Seat
from trireme.core.review import Decision, accuracy_of, review
from trireme.navigation.map_generator import chart_map
from trireme.navigation.maps import Spawn
from trireme.navigation.plans import Plan
from trireme.navigation.review import NavigationReviewer
from trireme.navigation.rules import Navigation
from trireme.navigation.search.matrix_game import matrix_value

SMALL = Navigation(
    ships=("dhow", "dhow"),
    map=chart_map("....\n....\n....\n....", (Spawn(0, 1, "E"), Spawn(2, 2, "W"))),
    phases=1,
    turn_limit=1,
)
"""One turn of one phase: every plan ends the game, so that all values are exact."""


def exhaustive(game: Navigation) -> tuple[list[list[Plan]], NDArray[np.float64]]:
    """All plans, and the payoff matrix to seat 0 by the rules themselves."""
    plans = [list(game.plans[seat]) for seat in (0, 1)]
    start = game.start()
    matrix = [
        [game.returns(game.apply(start, {0: a, 1: b}))[0] for b in plans[1]] for a in plans[0]
    ]
    return plans, np.array(matrix)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spawn", [Spawn(2, 2, "W"), Spawn(1, 2, "N"), Spawn(2, 0, "S")])
def test_regret_agrees_with_a_linear_program(seat: Seat, spawn: Spawn) -> None:
    board = chart_map("....\n....\n....\n....", (Spawn(0, 1, "E"), spawn))
    game = replace(SMALL, map=board)
    plans, matrix = exhaustive(game)
    value = matrix_value(matrix)
    reviewer = NavigationReviewer(game, network=False)
    turn = reviewer.equilibrium(game.start(), seat)
    mixture = np.zeros(len(plans[1 - seat]))
    packed = [reviewer.pack(1 - seat, plan) for plan in plans[1 - seat]]
    for plan, weight in zip(turn.plans[1 - seat], turn.weights[1 - seat], strict=True):
        mixture[next(i for i, p in enumerate(packed) if (p == plan).all())] += weight
    worth = matrix @ mixture if seat == 0 else -(mixture @ matrix)
    own = value if seat == 0 else -value
    assert worth.max() == pytest.approx(own, abs=0.01)  # no plan gains on an equilibrium
    for index, plan in enumerate(plans[seat]):
        met = plans[1 - seat][index % len(plans[1 - seat])]
        actions = {seat: plan, 1 - seat: met}
        after = game.apply(game.start(), actions)
        decision = Decision(seat, game.start(), plan, actions, after)
        found = reviewer.judge(decision, np.random.default_rng(0))
        assert found.cost == pytest.approx((worth.max() - worth[index]) / 2, abs=1e-6)
        assert found.value == pytest.approx((worth.max() + 1) / 2, abs=1e-6)
        result = game.returns(after)[seat]
        assert found.luck == pytest.approx((result - worth[index]) / 2, abs=1e-6)
        assert found.best == plan or found.cost > 0, "none is better"
        best = plans[seat].index(found.best)
        assert worth[best] == pytest.approx(worth.max(), abs=1e-6)


def test_a_win_by_luck_is_told_from_skill() -> None:
    record = trireme.play("navigation:turn_limit=6", ["planner", "nash-quick"], seed=1).record
    found = review(record)
    assert found.unit == "winning chance"
    assert found.curve == "winning chance"
    for seat in found.seats:
        assert seat.luck is not None
        assert 0 <= seat.curve[0][1] <= 1
    assert {move.seat for move in found.moves} == {0, 1}
    lucky = [move for move in found.moves if abs(move.luck or 0) >= 0.05]
    assert all("lucky" in move.note for move in lucky)
    assert lucky


@pytest.mark.slow
def test_accuracy_rises_with_strength() -> None:
    pooled = []
    for agent in ("random", "careless:agent=planner,slip=0.22", "nash:rounds=8,exploit=false"):
        seats = [
            review(
                trireme.play("navigation", [agent, "nash-quick"], seed=seed).record, seat=0
            ).seats[0]
            for seed in range(1, 7)
        ]
        cost, random_cost = (
            sum(getattr(s, name) for s in seats) for name in ("cost", "random_cost")
        )
        pooled.append(accuracy_of(cost, random_cost) or 0.0)
    assert pooled == sorted(pooled)
    assert pooled[0] < 40
    assert pooled[-1] > 75


def test_positions_are_valued_by_the_network_unless_it_is_left_out() -> None:
    assert NavigationReviewer(SMALL)._solver._tables is not None
    assert NavigationReviewer(SMALL, network=False)._solver._tables is None
