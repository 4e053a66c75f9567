"""Planes and plan numbers say what the view and the plan say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import make_game
from trireme.navigation.batch import NavigationBatch
from trireme.navigation.encode import PLANES, batch_planes, encoder
from trireme.navigation.geometry import FACINGS
from trireme.navigation.rules import Navigation

from .positions import games, maps


def test_planes_show_ships_hazards_and_levels() -> None:
    game = Navigation()
    planes = encoder(game).planes(game.start(), 0)
    named = dict(zip(PLANES, planes, strict=True))
    assert named["own facing E"][11, 2] == 1
    assert named["enemy facing W"][12, 21] == 1
    assert named["wind E"][3, 6] == 1
    assert named["large rock"].sum() == sum(r.size == "large" for r in game.chart.rocks)
    assert named["clockwise"].sum() == 8
    assert (named["own share of hp"] == 1).all()
    assert (named["share of turns left"] == 1).all()


@given(games())
def test_the_seats_see_each_other_exchanged(game: Navigation) -> None:
    code = encoder(game)
    first, second = (code.planes(game.start(), seat) for seat in (0, 1))
    assert first.shape == code.shape
    np.testing.assert_array_equal(first[0:4], second[4:8])
    np.testing.assert_array_equal(first[4:8], second[0:4])
    np.testing.assert_array_equal(first[8:16], second[8:16])


@given(st.lists(maps(most=3), min_size=1, max_size=3), st.integers(0, 1))
def test_a_fleet_is_encoded_as_its_games_are(charts: list, seat: int) -> None:
    batch = NavigationBatch(Navigation(map=charts[0]), 5, tuple(charts))
    batch.ships[:, 0, 2] -= np.arange(5, dtype=np.int32)
    batch.turns[:] = np.arange(5)
    planes = batch_planes(batch, charts, seat)
    for index in range(5):
        game = Navigation(map=charts[index % len(charts)])
        expected = encoder(game).planes(batch.state(index), seat)
        np.testing.assert_allclose(planes[index], expected, rtol=1e-6)


@given(games(), st.integers(0, 2**32), st.integers(0, 1))
def test_plans_survive_being_numbered(game: Navigation, seed: int, seat: int) -> None:
    code = encoder(game)
    plan = game.plans[seat].sample(np.random.default_rng(seed))
    orders = code.index(plan, seat)
    assert orders.shape == (game.phases,)
    assert code.action(orders, seat) == plan
    for phase, order in enumerate(orders):
        assert code.mask(seat)[phase, order]
        assert code.order_mask(seat, [int(o) for o in orders[:phase]])[order]


@given(games(), st.integers(0, 2**32), st.integers(0, 1))
def test_orders_chosen_under_the_mask_make_a_legal_plan(
    game: Navigation, seed: int, seat: int
) -> None:
    code, rng = encoder(game), np.random.default_rng(seed)
    chosen: list[int] = []
    for _ in range(game.phases):
        chosen.append(int(rng.choice(np.flatnonzero(code.order_mask(seat, chosen)))))
    assert code.action(chosen, seat) in game.plans[seat]


def test_numbers_that_a_ship_lacks_are_refused() -> None:
    code = encoder(Navigation(ships=("sloop", "cutter")))
    with pytest.raises(IndexError, match="below 20, not 20"):
        code.action([20, 0, 0, 0], 0)
    with pytest.raises(TypeError, match="navigation"):
        encoder(make_game("gomoku"))


def test_facings_are_the_first_planes() -> None:
    assert [name[-1] for name in PLANES[:8]] == list(FACINGS * 2)
