"""Contact rates: the kernel agrees with the plain rules, played out move by move."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.navigation.arrays import pack_ships
from trireme.navigation.geometry import Pose
from trireme.navigation.plans import MOVES, Order
from trireme.navigation.rules import Navigation, act, drift, move_ships
from trireme.navigation.search.contact_kernels import PHASES, RATES
from trireme.navigation.search.double_oracle import TurnSolver
from trireme.navigation.search.value_network import contact_tables

from .positions import games

Chances = dict[Pose, float]


def reach(game: Navigation, pose: Pose) -> list[Chances]:
    """Where a ship that is alone may be after each phase, each move being as likely as another."""
    found: list[Chances] = [{pose: 1.0}]
    for _ in range(game.phases):
        after: Counter[Pose] = Counter()
        for begun, chance in found[-1].items():
            for move in MOVES:
                sailed = move_ships(game.sea, [begun], [Order(move)], game.turns == "advance")
                after[drift(game.sea, sailed.poses)[0]] += chance / len(MOVES)
        found.append(dict(after))
    return found[1:]


def strike(game: Navigation, seat: int, own: Chances, other: Chances, kind: str) -> float:
    """How probable it is that a ship could do something to the other."""
    total = 0.0
    for pose, chance in own.items():
        for target, likely in other.items():
            poses = (pose, target) if seat == 0 else (target, pose)
            sides = (Order(action=f"{kind}_{side}") for side in ("port", "starboard"))
            events = [act(game.sea, poses, seat, order, game.types[seat]) for order in sides]
            hit = pose.tile != target.tile and any(e and e.target is not None for e in events)
            total += chance * likely * hit
    return total


def plain_rates(game: Navigation) -> np.ndarray:
    """The contact rates of the ships at the start, `float64[2, RATES]`."""
    poses = [ship.pose for ship in game.start().ships]
    reaches, rates = [reach(game, pose) for pose in poses], np.zeros((2, RATES))
    for seat in (0, 1):
        for phase in range(game.phases):
            own, still = reaches[seat][phase], {poses[1 - seat]: 1.0}
            for at, (kind, other) in enumerate(
                (kind, other)
                for other in (reaches[1 - seat][phase], still)
                for kind in ("shoot", "grapple")
            ):
                rates[seat, at * PHASES + phase] = strike(game, seat, own, other, kind)
    return np.sqrt(rates)


@settings(max_examples=settings().max_examples // 4)
@given(games())
def test_rates_are_those_of_the_rules(game: Navigation) -> None:
    solver = TurnSolver(game)
    ships = pack_ships(game.start().ships, game.chart.width)
    np.testing.assert_allclose(solver.contact_rates(ships), plain_rates(game), atol=1e-5)


def test_rates_tell_hitting_from_grappling_and_moving_from_staying() -> None:
    game = Navigation(ships=("sloop", "war_frigate"), map="procedural:5")
    first, second = game.start().ships
    solver, width = TurnSolver(game), game.chart.width
    far = pack_ships((first, second), width)
    assert not solver.contact_rates(far).any(), "24 tiles apart nothing connects within a turn"
    beside = pack_ships((first, replace(second, x=first.x, y=first.y + 2, facing="W")), width)
    rates = solver.contact_rates(beside).reshape(2, 4, PHASES)
    moving, hooked, resting, hooked_at_rest = range(4)
    assert (rates[:, moving] >= rates[:, hooked]).all(), "whatever grapples could have shot"
    assert (rates[:, resting] >= rates[:, hooked_at_rest]).all()
    assert rates[0, moving].any()
    assert rates[1, moving].sum() > rates[0, moving].sum(), "4 tiles of range against 2"


@given(st.lists(st.integers(0, 30), min_size=1, max_size=3))
@settings(max_examples=5)
def test_tables_that_another_game_has_filled_are_found_anew(seeds: list[int]) -> None:
    """Training hands the memory from sea to sea."""
    shared = contact_tables()
    for seed in seeds:
        game = Navigation(map=f"procedural:{seed}")
        ships = pack_ships(game.start().ships, game.chart.width)
        ships[1, 0] = ships[0, 0] + 1
        rates = TurnSolver(game, contacts=shared).contact_rates(ships)
        assert rates == pytest.approx(TurnSolver(game).contact_rates(ships))
        assert rates.any()
