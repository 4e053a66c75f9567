"""Nothing depends on which seat is which, or on which way the map lies."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.navigation.geometry import FACINGS, Pose
from trireme.navigation.maps import SeaMap, mirrored_map, turned_map
from trireme.navigation.plans import MOVES, Order, Plan
from trireme.navigation.rules import Navigation, NavigationState, TileMap, drift, move_ships

from .positions import games, open_water


def playthrough(game: Navigation, seed: int) -> list[NavigationState]:
    rng = np.random.default_rng(seed)
    state, states = game.start(), []
    while game.to_move(state):
        plans = {seat: game.plans[seat].sample(rng) for seat in (0, 1)}
        state = game.apply(state, plans)
        states.append(state)
    return states


@given(games(), st.integers(0, 2**32))
def test_swapping_the_seats_changes_nothing(game: Navigation, seed: int) -> None:
    other = replace(
        game,
        ships=game.ships[::-1],
        map=replace(game.chart, spawns=game.chart.spawns[::-1]),
    )
    rng = np.random.default_rng(seed)
    state, swapped = game.start(), other.start()
    while game.to_move(state):
        first, second = (game.plans[seat].sample(rng) for seat in (0, 1))
        state = game.apply(state, {0: first, 1: second})
        swapped = other.apply(swapped, {0: second, 1: first})
        for seat in (0, 1):
            assert swapped.ships[seat] == replace(state.ships[1 - seat], id=seat)
        for entry, twin in zip(state.log, swapped.log, strict=True):
            assert twin.moved == entry.moved[::-1]
            assert twin.drifted == entry.drifted[::-1]
            assert twin.blocked == entry.blocked[::-1]
            assert twin.hazards == entry.hazards[::-1]
            assert len(twin.events) == len(entry.events)
        assert other.returns(swapped) == game.returns(state)[::-1]


@given(games(), st.integers(1, 3), st.integers(0, 2**32))
def test_turning_the_map_turns_what_happens(game: Navigation, quarters: int, seed: int) -> None:
    other = replace(game, map=turned_map(game.chart, quarters))
    for state, rotated in zip(playthrough(game, seed), playthrough(other, seed), strict=True):
        for ship, twin in zip(state.ships, rotated.ships, strict=True):
            assert twin.pose == turned_pose(ship.pose, game.chart, quarters)
            assert twin.hp == ship.hp
        assert rotated.verdict == state.verdict


@given(games(), st.integers(0, 2**32))
def test_a_mirror_shows_the_mirrored_game(game: Navigation, seed: int) -> None:
    """Left and right exchange: in the map, in turns, and in port and starboard."""
    other = replace(game, map=mirrored_map(game.chart))
    rng = np.random.default_rng(seed)
    state, mirror = game.start(), other.start()
    while game.to_move(state):
        plans = {seat: game.plans[seat].sample(rng) for seat in (0, 1)}
        state = game.apply(state, plans)
        mirror = other.apply(mirror, {s: mirrored_plan(plan) for s, plan in plans.items()})
        for ship, twin in zip(state.ships, mirror.ships, strict=True):
            east = game.chart.width - 1
            assert (twin.x, twin.y, twin.hp) == (east - ship.x, ship.y, ship.hp)
            assert twin.facing == ship.facing.translate(str.maketrans("EW", "WE"))
        assert mirror.verdict == state.verdict


def turned_pose(pose: Pose, chart: SeaMap, quarters: int) -> Pose:
    width, height = chart.width, chart.height
    for _ in range(quarters):
        facing = FACINGS[(FACINGS.index(pose.facing) + 1) % 4]
        pose = Pose(height - 1 - pose.y, pose.x, facing)
        width, height = height, width
    return pose


_MIRROR = {
    "turn_left": "turn_right",
    "turn_right": "turn_left",
    "shoot_port": "shoot_starboard",
    "shoot_starboard": "shoot_port",
    "grapple_port": "grapple_starboard",
    "grapple_starboard": "grapple_port",
}


def mirrored_plan(plan: Plan) -> Plan:
    return tuple(
        Order(_MIRROR.get(o.move, o.move), _MIRROR.get(o.action, o.action), o.shots) for o in plan
    )


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_two_ships_on_a_small_sea_never_overlap_and_never_care_for_seats(every: int) -> None:
    """All pairs of poses (or every fifth) and all moves on a 4×4 sea with rocks and hazards, in
    both variants."""
    sea = TileMap(open_water("..>.|o@@.|.@@<|.^O."))
    tiles = [(x, y) for x in range(4) for y in range(4) if (x, y) not in sea.rocks]
    poses = [Pose(*tile, facing) for tile in tiles for facing in FACINGS]
    orders = [Order(move) for move in MOVES]
    pairs = [pair for pair in product(poses, repeat=2) if pair[0].tile < pair[1].tile]
    assert len(pairs) == 14 * 13 // 2 * 16
    for first, second in pairs[::every]:
        for pair, keep in product(product(orders, repeat=2), (False, True)):
            there = move_ships(sea, (first, second), pair, keep)
            back = move_ships(sea, (second, first), pair[::-1], keep)
            assert there.poses == back.poses[::-1]
            assert there.blocked == back.blocked[::-1]
            assert there.rammed == back.rammed[::-1]
            assert there.poses[0].tile != there.poses[1].tile
            after, mirror = drift(sea, there.poses), drift(sea, back.poses)
            assert after == mirror[::-1]
            assert after[0].tile != after[1].tile
            assert not any(sea.obstacle(pose.tile) for pose in (*there.poses, *after))
