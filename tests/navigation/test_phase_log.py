"""The log of a phase: complete, hashed, and told in words."""

import json
from dataclasses import replace
from itertools import pairwise

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trireme.navigation.maps import Hazard, SeaMap, Spawn
from trireme.navigation.phase_log import NavigationEvent, PhaseEntry, describe, digest
from trireme.navigation.rules import Navigation, NavigationState

from .positions import OPEN, games, open_water, with_ships


def game_states(game: Navigation, seed: int) -> list[NavigationState]:
    rng = np.random.default_rng(seed)
    states = [game.start()]
    while game.to_move(states[-1]):
        plans = {seat: game.plans[seat].sample(rng) for seat in (0, 1)}
        states.append(game.apply(states[-1], plans))
    return states


@given(games(), st.integers(0, 2**32))
def test_the_log_alone_tells_where_everything_is(game: Navigation, seed: int) -> None:
    states = game_states(game, seed)
    for before, after in pairwise(states):
        poses = tuple(ship.pose for ship in before.ships)
        hp = [ship.hp for ship in before.ships]
        for number, entry in enumerate(after.log, 1):
            assert (entry.turn, entry.phase) == (after.turn, number)
            assert entry.start == poses
            poses = entry.drifted
            for event in entry.events:
                if event.target is not None:
                    hp[event.target] -= event.damage
            assert entry.hp == tuple(max(0, points) for points in hp)
        assert poses == tuple(ship.pose for ship in after.ships)
        assert entry.hp == tuple(ship.hp for ship in after.ships)
        assert entry.verdict == after.verdict
        assert all(earlier.verdict is None for earlier in after.log[:-1])


@given(games(), st.integers(0, 2**32))
def test_the_same_plans_give_the_same_hashes(game: Navigation, seed: int) -> None:
    first, second = (
        [digest(entry) for state in game_states(game, seed) for entry in state.log]
        for _ in range(2)
    )
    assert first == second
    assert all(len(text) == 16 for text in first)


@given(games(), st.integers(0, 2**32))
def test_states_survive_json(game: Navigation, seed: int) -> None:
    for state in game_states(game, seed):
        plain = json.loads(json.dumps(msgspec.to_builtins(state)))
        assert msgspec.convert(plain, NavigationState) == state


def entry_of(first: str, second: str, *ships: str, **settings: int) -> PhaseEntry:
    game = Navigation(map=open_water(OPEN), phases=1, **settings)  # type: ignore[arg-type]
    start = with_ships(game, *ships)
    return game.apply(start, {0: game.read(first), 1: game.read(second)}).log[0]


def test_any_change_changes_the_hash() -> None:
    entry = entry_of("-p", "--", "d4 N", "b4 N")
    others = [
        replace(entry, turn=2),
        replace(entry, hp=(1, 1)),
        replace(entry, events=()),
        replace(entry, blocked=("ship", None)),
        replace(entry, drifted=entry.drifted[::-1]),
    ]
    assert len({digest(e) for e in (entry, *others)}) == 6


def test_a_shot_says_who_fired_how_much_where_and_at_whom() -> None:
    entry = entry_of("-p1", "-s", "d4 N", "b4 N")
    assert entry.events == (
        NavigationEvent("shot", 0, "port", 1, 1, 1, 1, 3),
        NavigationEvent("shot", 1, "starboard", 2, 0, 4, 3, 3),
    )
    assert describe(entry, ("Ann", "Bo")) == (
        "Ann fires 1 shot to port and hits Bo: 1 hp.",
        "Bo fires 2 shots to starboard and hits Ann: 4 hp.",
    )


def test_a_miss_ends_where_the_ball_falls() -> None:
    entry = entry_of("-s", "-h", "d4 N", "a1 N")
    assert entry.events == (
        NavigationEvent("shot", 0, "starboard", 2, None, 0, 6, 3),
        NavigationEvent("grapple", 1, "starboard", 0, None, 0, 1, 0),
    )


def test_a_collision_and_a_victory_are_told() -> None:
    entry = entry_of("Lh", "--", "c4 E 1", "d4 N", ram_damage=3)
    assert describe(entry, ("Ann", "Bo")) == (
        "Ann is stopped by the other ship and swings to face N.",
        "Ann is damaged in the collision: 3 hp.",
        "Bo is damaged in the collision: 3 hp.",
        "Ann grapples Bo to starboard!",
        "Ann wins by boarding.",
    )


def test_sailing_is_told() -> None:
    for order, words in (
        ("F-", "Ann sails forward to c3."),
        ("L-", "Ann turns to port into b3."),
        ("R-", "Ann turns to starboard into d3."),
    ):
        assert describe(entry_of(order, "--", "c4 N", "h8 N"), ("Ann", "Bo")) == (words,)


def test_winds_and_whirlpools_are_told() -> None:
    spawns = Spawn(0, 0, "N"), Spawn(1, 0, "N")
    hazards = (Hazard("wind", 2, 2, "E"), Hazard("wind", 4, 1, "E"))
    hazards += (Hazard("whirlpool", 0, 3, "clockwise"),)
    game = Navigation(map=SeaMap("bay", "Bay", 5, 5, spawns, hazards), phases=1)
    idle = {seat: game.read("--") for seat in (0, 1)}

    def told(*ships: str) -> tuple[str, ...]:
        return describe(game.apply(with_ships(game, *ships), idle).log[0], ("Ann", "Bo"))

    assert told("c3 N", "e2 N") == (
        "The wind blows Ann to d3.",
        "The wind can't push Bo from e2.",
    )
    assert told("a4 N", "a1 N") == ("The whirlpool spins Ann to b5, facing E.",)
