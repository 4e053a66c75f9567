"""The value network: its tables agree with plain sums, and it is as symmetric as the rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.core.errors import BadSettings
from trireme.navigation.arrays import (
    flat_tile,
    pack_ships,
    rules_array,
    stats_array,
    unpack_plan,
)
from trireme.navigation.geometry import FACINGS, offset_tile, rotated
from trireme.navigation.maps import mirrored_map
from trireme.navigation.rules import Navigation, NavigationState, Ship
from trireme.navigation.search import double_oracle
from trireme.navigation.search.contact_kernels import RATES
from trireme.navigation.search.double_oracle import TurnSolver
from trireme.navigation.search.evaluation_kernels import relative_pose
from trireme.navigation.search.value_network import (
    CHANNELS,
    CONDITION_FEATURES,
    KIND_FEATURES,
    NEAR,
    PATCH,
    POSES,
    RELATIVE_FEATURES,
    SIDE,
    TERRAIN_FEATURES,
    ValueNetwork,
    condition_features,
    kind_features,
    load_network,
    pose_row,
    terrain_features,
)

from .positions import games


def some_network(seed: int, units: int = 8, outputs: int = 4, width: int = 6) -> ValueNetwork:
    rng = np.random.default_rng(seed)
    shapes = {
        "relative_in": (RELATIVE_FEATURES, width),
        "relative_bias": (width,),
        "relative_out": (width, units),
        "relative_out_bias": (units,),
        "pose": (POSES, units),
        "own": (TERRAIN_FEATURES, units),
        "other": (TERRAIN_FEATURES, units),
        "contact": (2 * RATES, units),
        "second": (units, outputs),
        "second_bias": (outputs,),
        "condition_in": (CONDITION_FEATURES, width),
        "condition_bias": (width,),
        "condition_out": (width, outputs + 1),
        "condition_out_bias": (outputs + 1,),
    }
    return ValueNetwork(
        {name: rng.normal(0, 0.3, shape).astype(np.float32) for name, shape in shapes.items()}
    )


def plain_value(network: ValueNetwork, game: Navigation, state: NavigationState) -> float:
    """The network's value to seat 0, sum by sum, without tables."""
    stats, rules, terrain = stats_array(game.types), rules_array(game), terrain_features(game)
    kinds, weights = kind_features(stats, rules), network.weights
    packed, seen = pack_ships(state.ships, game.chart.width), []
    rates = TurnSolver(game).contact_rates(packed)
    for seat in (0, 1):
        own, other = packed[seat], packed[1 - seat]
        pose = relative_pose(own[0], own[1], other[0], other[1], game.chart.width + 2)
        units = np.zeros(len(weights["second"]))
        met = np.concatenate([rates[seat], rates[1 - seat]]) @ weights["contact"]
        for mirrored in (0, 1):
            right, down, facing = pose
            if mirrored:
                right, facing = -right, -facing % 4
            place = np.array(right), np.array(down), np.array(facing)
            summed = network.relative(*place, kinds[seat])
            summed = summed + terrain[mirrored, own[0], own[1]] @ weights["own"]
            summed = summed + terrain[mirrored, other[0], other[1]] @ weights["other"]
            units += np.maximum(summed + met, 0)
        outcome = np.maximum(units @ weights["second"] + weights["second_bias"], 0)
        hp = np.array(own[2]), np.array(other[2])
        left = game.turn_limit - state.turn
        outputs = network.conditions(
            condition_features(*hp, stats[[seat, 1 - seat]], left, kinds[seat])
        )
        seen.append(float(outcome @ outputs[:-1] + outputs[-1]))
    total = seen[0] - seen[1]
    return total / (1 + abs(total))


def undecided(game: Navigation, seed: int) -> tuple[NavigationState, list[np.ndarray]] | None:
    """A position one turn of random sailing after the start, and how it was reached."""
    rng = np.random.default_rng(seed)
    moves = rng.integers(4, size=(2, game.phases)).astype(np.uint8)
    plans = {seat: unpack_plan(moves[seat], game.types[seat]) for seat in (0, 1)}
    after = game.apply(game.start(), plans)
    return None if after.verdict else (after, [moves[:1], moves[1:]])


@settings(max_examples=settings().max_examples * 2 // 5)
@given(games(), st.integers(0, 2**32))
def test_a_leaf_is_worth_what_the_network_says_of_it(game: Navigation, seed: int) -> None:
    network, found = some_network(seed), undecided(game, seed)
    if found is None:
        return
    after, (first, second) = found
    solver = TurnSolver(game, network)
    oracle = solver.double_oracle(game.start(), 0)
    oracle.turn = oracle.turn._replace(poses=solver.no_bonus)
    value = oracle.payoffs(first, second)[0, 0]
    assert value == pytest.approx(plain_value(network, game, after), abs=1e-5)


def test_what_poses_are_worth_does_not_depend_on_what_was_evaluated_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A memory of pairs that is full is left to the searches that use it, and another begun."""
    monkeypatch.setattr(double_oracle, "FULL", 500)
    game, network = Navigation(map="procedural:4"), some_network(3)
    solver, start = TurnSolver(game, network), game.start()
    old = solver.double_oracle(start, 0)
    old.improve(2)
    first, second = old.plans
    rows = old.turn.pairs.count[0]
    assert rows > 500
    values = old.payoffs(first, second)
    new = solver.double_oracle(start, 0)
    assert new.turn.pairs is not old.turn.pairs
    assert new.turn.pairs.count[0] == 0
    np.testing.assert_array_equal(new.payoffs(first, second), values)
    assert 0 < new.turn.pairs.count[0] <= rows
    old.arrays.first.done[:] = 0
    np.testing.assert_array_equal(old.payoffs(first, second), values)
    assert old.turn.pairs.count[0] == rows, "known pairs are not evaluated again"


def swapped(game: Navigation, state: NavigationState) -> tuple[Navigation, NavigationState]:
    """The seats exchanged."""
    chart = replace(game.chart, spawns=game.chart.spawns[::-1])
    first, second = state.ships
    ships = replace(second, id=0), replace(first, id=1)
    return replace(game, ships=game.ships[::-1], map=chart), replace(state, ships=ships)


def mirrored(game: Navigation, state: NavigationState) -> tuple[Navigation, NavigationState]:
    """East and west exchanged."""

    def image(ship: Ship) -> Ship:
        facing = {"E": "W", "W": "E"}.get(ship.facing, ship.facing)
        return replace(ship, x=game.chart.width - 1 - ship.x, facing=facing)

    first, second = state.ships
    changed = replace(state, ships=(image(first), image(second)))
    return replace(game, map=mirrored_map(game.chart)), changed


@settings(max_examples=settings().max_examples // 4)
@given(games(), st.integers(0, 2**32), st.integers(1, 10), st.integers(1, 10))
def test_exchanging_seats_turns_the_value_round_and_mirroring_keeps_it(
    game: Navigation, seed: int, hp: int, other_hp: int
) -> None:
    network, start = some_network(seed), game.start()
    first, second = start.ships
    state = replace(start, ships=(replace(first, hp=hp), replace(second, hp=other_hp)))
    value = plain_value(network, game, state)
    assert plain_value(network, *swapped(game, state)) == pytest.approx(-value, abs=1e-5)
    assert plain_value(network, *mirrored(game, state)) == pytest.approx(value, abs=1e-5)


@settings(max_examples=settings().max_examples // 4)
@given(games(), st.integers(0, 3))
def test_terrain_is_seen_with_the_bow_up(game: Navigation, facing: int) -> None:
    """Every tile of the patch holds what the rules know of the tile there."""
    bow, chart, sea = FACINGS[facing], game.chart, game.sea
    ship = game.start().ships[0]
    found = terrain_features(game)[0, flat_tile((ship.x, ship.y), chart.width), facing]
    patch = found[:-1].reshape(CHANNELS, SIDE, SIDE)
    for down in range(-PATCH, PATCH + 1):
        for right in range(-PATCH, PATCH + 1):
            ahead = offset_tile((ship.x, ship.y), bow, -down)
            tile = offset_tile(ahead, rotated(bow, 1), right)
            seen = patch[:, down + PATCH, right + PATCH]
            assert seen[0] == (sea.obstacle(tile) is not None)
            assert seen[1] == sea.stops_fire(tile)
            carried = carried_by(game, tile)
            back = offset_tile(offset_tile(tile, rotated(bow, 1), int(seen[2])), bow, -int(seen[3]))
            assert back == carried
            spin = sea.whirlpools[tile][1] if tile in sea.whirlpools else None
            assert seen[4] == {None: 0, "clockwise": 1, "counterclockwise": -1}[spin]


def carried_by(game: Navigation, tile: tuple[int, int]) -> tuple[int, int]:
    """Where the hazard on a tile carries a ship that is alone."""
    sea = game.sea
    if tile in sea.winds:
        target = offset_tile(tile, sea.winds[tile])
        return tile if sea.obstacle(target) else target
    return sea.whirlpools[tile][0] if tile in sea.whirlpools else tile


def test_near_poses_have_embeddings_of_their_own_and_far_ones_share_them() -> None:
    span = np.arange(-NEAR, NEAR + 1)
    right, down, facing = np.meshgrid(span, span, np.arange(4), indexing="ij")
    rows = pose_row(right, down, facing)
    assert sorted(rows.ravel()) == list(range(POSES))
    far = np.array(2 * NEAR), np.array(-NEAR - 1), np.array(3)
    assert pose_row(*far) == rows[-1, 0, 3]
    network, kinds = some_network(1), np.zeros(KIND_FEATURES, np.float32)
    dense = some_network(1)
    dense.weights["pose"][:] = 0
    place = np.array(3), np.array(-2), np.array(1)
    added = network.relative(*place, kinds) - dense.relative(*place, kinds)
    np.testing.assert_allclose(added, network.weights["pose"][pose_row(*place)], atol=1e-6)


def test_a_file_that_holds_no_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="no value network"):
        load_network(tmp_path / "missing.npz")
    np.savez(tmp_path / "other.npz", weights=np.zeros(3))
    with pytest.raises(BadSettings, match="no value network"):
        load_network(tmp_path / "other.npz")
