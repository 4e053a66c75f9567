"""Plans as values, as text, and all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.core.errors import BadText, IllegalAction
from trireme.navigation.plans import (
    LegalPlans,
    Order,
    order_at,
    order_count,
    order_index,
    read_plan,
    write_plan,
)
from trireme.navigation.rules import Navigation
from trireme.navigation.ships import SHIPS

SLOOP, CUTTER = SHIPS["sloop"], SHIPS["cutter"]


def test_a_plan_reads_as_two_letters_a_phase() -> None:
    plan = read_plan("FpL-Rs1-h", 4)
    assert plan == (
        Order("forward", "shoot_port"),
        Order("turn_left"),
        Order("turn_right", "shoot_starboard", 1),
        Order("none", "grapple_starboard"),
    )
    assert write_plan(plan) == "FpL-Rs1-h"


@pytest.mark.parametrize("text", ["fpl-rs1-h", " Fp L- Rs1 -h ", "fp,l-,rs1,-h", "Fp|L.|Rs1|.h"])
def test_case_spaces_and_separators_are_forgiven(text: str) -> None:
    assert read_plan(text, 4) == read_plan("FpL-Rs1-h", 4)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "4 phases, not 0"),
        ("FpFp", "4 phases, not 2"),
        ("FpFpFpFpFp", "4 phases, not 5"),
        ("XpFpFpFp", "phase 1 .*one of F L R -, not 'X'"),
        ("FpFxFpFp", "phase 2 .*one of p s g h -, not 'x'"),
        ("FpFpFpF", "phase 4 .*lacks its action"),
        ("FpFpFpFg1", "phase 4 .*only p and s take"),
        ("Fp0FpFpFp", "phase 1 .*1 or more"),
        ("Fp12FpFpFp", "phase 2 .*not '2'"),
        ("ＦpFpFpFp", "phase 1"),
        ("💥", "phase 1"),
    ],
)
def test_bad_text_says_what_is_wrong(text: str, complaint: str) -> None:
    with pytest.raises(BadText, match=complaint):
        read_plan(text, 4)


@given(st.text(max_size=30) | st.text("FLRflrpsgh-12 ", max_size=12))
def test_any_text_is_a_plan_or_an_error(text: str) -> None:
    try:
        plan = read_plan(text, 4)
    except BadText as error:
        assert str(error)
    else:
        assert read_plan(write_plan(plan), 4) == plan


@pytest.mark.parametrize(
    ("order", "complaint"),
    [
        (Order("none", "shoot_port", 3), "phase 2: a cutter fires 1 to 2 shots, not 3"),
        (Order("none", "shoot_port", 0), "not 0"),
        (Order("none", "shoot_port", -1), "not -1"),
        (Order("none", "shoot_port", True), "not True"),
        (Order("none", "none", 1), "none takes no shots, not 1"),
        (Order("none", "grapple_port", 1), "grapple_port takes no shots, not 1"),
        (Order("backward"), "move must be one of .*, not 'backward'"),
        (Order("none", "pray"), "action must be one of .*, not 'pray'"),
    ],
)
def test_bad_orders_are_refused_and_never_clamped(order: Order, complaint: str) -> None:
    game = Navigation()
    plan = (Order(), order, Order(), Order())
    assert plan not in game.legal(game.start(), 0)
    with pytest.raises(IllegalAction, match=complaint):
        game.check(game.start(), 0, plan)


@pytest.mark.parametrize("plan", [None, "Fp", (), (Order(),) * 3, (Order(),) * 5, (1, 2, 3, 4)])
def test_what_is_no_plan_is_refused(plan: object) -> None:
    game = Navigation()
    assert plan not in game.legal(game.start(), 0)
    with pytest.raises(IllegalAction):
        game.check(game.start(), 0, plan)  # type: ignore[arg-type]


def test_naming_all_shots_is_legal_too() -> None:
    game = Navigation(phases=1)
    assert (Order("none", "shoot_port", 2),) in game.plans[0]
    assert (Order("none", "shoot_port"),) in game.plans[0]


@pytest.mark.parametrize(("ship", "count"), [("sloop", 20), ("war_frigate", 28)])
def test_orders_are_numbered_without_gaps(ship: str, count: int) -> None:
    kind = SHIPS[ship]
    orders = [order_at(i, kind) for i in range(count)]
    assert order_count(kind) == count == len(set(orders))
    assert [order_index(order, kind) for order in orders] == list(range(count))


def test_a_number_means_the_same_order_whatever_the_ship() -> None:
    for index in range(12):
        assert order_at(index, SLOOP) == order_at(index, CUTTER)
    assert order_at(12, SLOOP) == Order("none", "shoot_port")
    assert order_at(12, CUTTER) == Order("none", "shoot_port", 1)


@pytest.mark.parametrize(
    ("ship", "phases", "ammo", "count"),
    [
        ("sloop", 1, None, 20),
        ("sloop", 4, None, 20**4),
        ("cutter", 4, None, 28**4),
        ("cutter", 1, 0, 12),
        ("cutter", 1, 1, 20),
        ("cutter", 2, 1, 12 * 12 + 2 * 12 * 8),
        ("sloop", 2, 1, 20 * 20 - 8 * 8),
    ],
)
def test_the_number_of_plans(ship: str, phases: int, ammo: int | None, count: int) -> None:
    assert len(LegalPlans(SHIPS[ship], phases, ammo)) == count


@pytest.mark.parametrize("ammo", [None, 0, 1, 2, 3])
def test_all_plans_are_listed_once_and_only_legal_ones(ammo: int | None) -> None:
    plans = LegalPlans(CUTTER, 2, ammo)
    listed = list(plans)
    assert len(set(listed)) == len(listed) == len(plans)
    every = [(order_at(i, CUTTER), order_at(j, CUTTER)) for i in range(28) for j in range(28)]
    assert {plan for plan in every if plan in plans} == set(listed)


def test_sampling_is_uniform_by_index() -> None:
    plans = LegalPlans(SLOOP, 1, None)
    rng = np.random.default_rng(0)
    drawn = [plans.sample(rng) for _ in range(4000)]
    counts = [drawn.count(plan) for plan in plans]
    assert min(counts) > 130
    with pytest.raises(IndexError):
        plans[20]


def test_ammunition_is_counted_over_the_whole_plan() -> None:
    game = Navigation(ammo_per_turn=3)
    start = game.start()
    game.check(start, 0, game.read("-p-s1----"))
    with pytest.raises(IllegalAction, match="3 shots may be fired in a turn, and the plan fires 4"):
        game.check(start, 0, game.read("-p-s----"))


def test_a_plan_holds_orders_only() -> None:
    game = Navigation()
    plan = game.plans[0][0]
    game.check(game.start(), 0, plan)
    for wrong in ((*plan[:-1], "F-"), list(plan)):
        with pytest.raises(IllegalAction, match="a plan is a tuple of orders"):
            game.check(game.start(), 0, wrong)  # type: ignore[arg-type]


def test_only_indices_below_their_number_stand_for_plans() -> None:
    plans = Navigation().plans[0]
    for index in (-1, len(plans)):
        with pytest.raises(IndexError, match=f"expected an index below {len(plans)}, not {index}"):
            plans[index]
