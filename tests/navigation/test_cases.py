"""The adjudication cases: start, plans, and the end that the rules demand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from trireme import BadSettings
from trireme.navigation.geometry import Pose
from trireme.navigation.plans import read_plan
from trireme.navigation.rules import Navigation, NavigationState

from .positions import OPEN, open_water, place, tile, with_ships

CASES = [
    case
    for case in json.loads((Path(__file__).parent / "cases.json").read_text())
    if "case" in case
]


def phases_of(plan: str) -> int:
    return next(n for n in range(1, 5) if _reads(plan, n))


def _reads(plan: str, phases: int) -> bool:
    try:
        read_plan(plan, phases)
    except ValueError:
        return False
    return True


def outcome(case: dict[str, Any], swap: bool) -> NavigationState:
    """The end of a case; with `swap`, the two seats are exchanged first."""
    order = slice(None, None, -1 if swap else 1)
    plans = case["plans"][order]
    game = Navigation(
        ships=tuple(case.get("types", ["cutter", "war_brig"])[order]),
        map=open_water(case.get("chart", OPEN)),
        phases=phases_of(plans[0]),
        **case.get("settings", {}),
    )
    start = with_ships(game, *case["ships"][order])
    actions = {seat: game.read(plan) for seat, plan in enumerate(plans)}
    for seat, plan in actions.items():
        game.check(start, seat, plan)
    return game.apply(start, actions)


def pose(text: str) -> Pose:
    where, facing, *_ = text.split()
    return Pose(*tile(where), facing)


@pytest.mark.parametrize("swap", [False, True], ids=["", "seats-swapped"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_the_rules_decide(case: dict[str, Any], swap: bool) -> None:
    end = outcome(case, swap)
    order = slice(None, None, -1 if swap else 1)
    for seat, text in enumerate(case["after"][order]):
        ship = end.ships[seat]
        assert ship.pose == pose(text)
        if len(text.split()) == 3:
            assert ship.hp == place(ship, text).hp
        assert ship.alive == (ship.hp > 0)
    entry = end.log[-1]
    assert list(entry.blocked) == case.get("blocked", [None, None])[order]
    assert list(entry.hazards) == case.get("hazards", [None, None])[order]
    if "moved" in case:
        assert list(entry.moved) == [pose(text) for text in case["moved"]][order]
    expected = case.get("verdict")
    if expected is None:
        assert end.verdict is None
        return
    winner, reason = expected
    assert end.verdict is not None
    assert end.verdict.reason == reason
    assert end.verdict.winner == (winner if winner is None or not swap else 1 - winner)


def test_every_case_says_something_of_its_own() -> None:
    names = [case["case"] for case in CASES]
    assert len(set(names)) == len(names) >= 90


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("turn_limit", 1, 10_000),
        ("ram_damage", 0, 100),
        ("phases", 1, 4),
        ("ammo_per_turn", 0, 100),
    ],
)
def test_settings_have_bounds(name: str, low: int, high: int) -> None:
    for value in (low, high):
        assert getattr(Navigation(**{name: value}), name) == value
    for value in (low - 1, high + 1):
        with pytest.raises(BadSettings, match=f"{name} must be {low} to {high}, not {value}"):
            Navigation(**{name: value})


def test_a_ship_with_its_last_point_is_alive() -> None:
    game = Navigation()
    assert game.seats == 2
    start = game.start()
    weak = replace(start, ships=(replace(start.ships[0], hp=1), start.ships[1]))
    idle = game.read("- - " * game.phases)
    after = game.apply(weak, dict.fromkeys(range(game.seats), idle))
    assert after.ships[0].hp == 1
    assert after.ships[0].alive
    assert after.verdict is None
