"""The kernels play by the plain rules, on any sea, with any ships, in every variant."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.navigation import kernels
from trireme.navigation.arrays import (
    RETURNS,
    flat_tile,
    pack_plan,
    pack_ships,
    tile_at,
    unpack_plan,
    unpack_ships,
)
from trireme.navigation.batch import NavigationBatch
from trireme.navigation.map_generator import procedural_map
from trireme.navigation.plans import order_count
from trireme.navigation.rules import Navigation

from .positions import games


@settings(max_examples=settings().max_examples * 3 // 2)
@given(games(), st.integers(0, 2**32))
def test_a_game_in_the_kernel_is_the_game_in_the_rules(game: Navigation, seed: int) -> None:
    rng = np.random.default_rng(seed)
    batch = NavigationBatch(game, 1)
    state = game.start()
    width = game.chart.width
    while game.to_move(state):
        plans = {seat: game.legal(state, seat).sample(rng) for seat in (0, 1)}
        state = game.apply(state, plans)
        packed = np.stack([pack_plan(plans[s], game.types[s]) for s in (0, 1)])[None]
        kernels.step(
            batch.seas,
            batch.stats,
            batch.rules,
            batch.charts,
            batch.ships,
            batch.turns,
            packed,
            batch.outcomes,
        )
        np.testing.assert_array_equal(batch.ships[0], pack_ships(state.ships, width))
        assert batch.state(0).ships == state.ships
        assert batch.turns[0] == state.turn
        assert (batch.outcomes[0] == kernels.GOING_ON) == (state.verdict is None)
    assert RETURNS[int(batch.outcomes[0])] == game.returns(state)


def test_finished_games_wait_until_they_are_begun_again() -> None:
    game = Navigation(turn_limit=1)
    batch = NavigationBatch(game, 2)
    plans = np.ones((2, 2, 4), np.uint8)
    batch.outcomes[1] = kernels.FIRST
    arrays = (batch.stats, batch.rules, batch.charts, batch.ships, batch.turns)
    kernels.step(batch.seas, *arrays, plans, batch.outcomes)
    assert batch.turns.tolist() == [1, 0]
    assert batch.outcomes.tolist() == [kernels.DRAWN, kernels.FIRST]
    kernels.restart(
        batch.spawns, batch.stats, batch.charts, batch.ships, batch.turns, batch.outcomes
    )
    assert batch.turns.tolist() == [0, 0]
    assert batch.state(0) == batch.state(1) == game.start()


def test_games_on_several_maps_begin_at_their_own_spawns() -> None:
    charts = (procedural_map(1), procedural_map(2))
    batch = NavigationBatch(Navigation(), 4, charts)
    for index in range(4):
        start = Navigation(map=charts[index % 2]).start()
        assert batch.state(index) == start


@given(games(), st.integers(0, 2**63))
def test_random_plans_are_legal(game: Navigation, seed: int) -> None:
    batch = NavigationBatch(game, 8)
    plans = np.zeros((8, 2, game.phases), np.uint8)
    random = np.arange(seed, seed + 8, dtype=np.uint64)
    kernels.random_plans(random, batch.stats, batch.rules, batch.ways, plans)
    for seat in (0, 1):
        for orders in plans[:, seat]:
            assert unpack_plan(orders, game.types[seat]) in game.plans[seat]


@pytest.mark.parametrize("ammo", [None, 0, 1, 3])
def test_random_plans_are_uniform(ammo: int | None) -> None:
    """Every plan of a one-phase or two-phase game comes up about equally often."""
    game = Navigation(ships=("sloop", "cutter"), phases=2, ammo_per_turn=ammo)
    batch = NavigationBatch(game, 1)
    drawn = 100_000
    plans = np.zeros((drawn, 2, 2), np.uint8)
    random = np.arange(drawn, dtype=np.uint64) * np.uint64(7919)
    kernels.random_plans(random, batch.stats, batch.rules, batch.ways, plans)
    for seat in (0, 1):
        keys = plans[:, seat, 0].astype(int) * order_count(game.types[seat]) + plans[:, seat, 1]
        _, counts = np.unique(keys, return_counts=True)
        expected = drawn / len(game.plans[seat])
        assert len(counts) == len(game.plans[seat])
        assert abs(counts - expected).max() < 6 * expected**0.5


def test_a_run_of_random_turns_is_deterministic_and_ends_games() -> None:
    game = Navigation(turn_limit=5, map="procedural:3")
    ends, ships = [], []
    for _ in range(2):
        batch = NavigationBatch(game, 16)
        plans = np.zeros((16, 2, 4), np.uint8)
        random = np.arange(16, dtype=np.uint64)
        played = (batch.ships, batch.turns, plans, batch.outcomes, random, 12)
        fixed = (batch.seas, batch.spawns, batch.stats, batch.rules, batch.ways, batch.charts)
        ends.append(kernels.random_turns(*fixed, *played))
        ships.append(batch.ships)
    assert ends[0] == ends[1] >= 32
    np.testing.assert_array_equal(ships[0], ships[1])


@given(games(), st.integers(0, 2**32))
def test_packing_loses_nothing(game: Navigation, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start, width = game.start(), game.chart.width
    assert unpack_ships(pack_ships(start.ships, width), start.ships, width) == start.ships
    for seat in (0, 1):
        plan = game.plans[seat].sample(rng)
        assert unpack_plan(pack_plan(plan, game.types[seat]), game.types[seat]) == plan
    for x in range(width):
        for y in range(game.chart.height):
            assert tile_at(flat_tile((x, y), width), width) == (x, y)
