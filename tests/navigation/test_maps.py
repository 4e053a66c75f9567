"""Maps: the faults that are found, the symmetries, and the seas that come with the game."""

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme import make_game
from trireme import settings as settings_of
from trireme.core.errors import BadSettings, TriremeError
from trireme.navigation.map_generator import SIZE, chart_map, default_map, procedural_map
from trireme.navigation.maps import (
    BadMap,
    SeaMap,
    Spawn,
    fairness,
    mirrored_map,
    read_map,
    turned_map,
    write_map,
)
from trireme.navigation.rules import Navigation

from .positions import maps

UNBIASED: dict[str, Any] = {
    "id": "bay",
    "name": "The Bay",
    "width": 8,
    "height": 6,
    "spawns": [{"x": 0, "y": 0, "facing": "E"}, {"x": 7, "y": 5, "facing": "W"}],
    "hazards": [
        {"kind": "wind", "x": 3, "y": 3, "way": "N"},
        {"kind": "whirlpool", "x": 4, "y": 1, "way": "clockwise"},
    ],
    "rocks": [{"x": 2, "y": 2, "size": "small"}],
}


def edited(**changes: Any) -> str:
    return json.dumps({**UNBIASED, **changes})


def wind(x: int = 3, y: int = 3, way: str = "N", kind: str = "wind") -> dict[str, Any]:
    return {"kind": kind, "x": x, "y": y, "way": way}


def rock(x: int, y: int, size: str = "small") -> dict[str, Any]:
    return {"x": x, "y": y, "size": size}


def test_a_plain_map_has_no_faults() -> None:
    sea = read_map(json.dumps(UNBIASED))
    assert sea.name == "The Bay"
    assert read_map(write_map(sea)) == sea


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (edited(width=2), "width must be 3 to 26, not 2"),
        (edited(height=27), "height must be 3 to 26, not 27"),
        (edited(rocks=[rock(8, 0)]), "the rock at i1 is out of bounds: the map is 8×6"),
        (edited(rocks=[rock(-1, 0)]), r"the rock at \(-1, 0\) is out of bounds"),
        (edited(rocks=[rock(3, 3)]), "the wind at d4 overlaps the rock at d4"),
        (edited(rocks=[rock(2, 2), rock(2, 2)]), "the rock at c3 overlaps the rock at c3"),
        (edited(rocks=[rock(2, 2, "huge")]), "the rock at c3 must be small or large, not 'huge'"),
        (edited(rocks=[rock(5, 2)]), "the whirlpool at e2 overlaps the rock at f3"),
        (edited(hazards=[wind(9, 9)]), "the wind at j10 is out of bounds"),
        (edited(hazards=[wind(way="up")]), "the wind at d4 must blow N, E, S or W, not 'up'"),
        (edited(hazards=[wind(way="NE")]), "must blow N, E, S or W, not 'NE'"),
        (edited(hazards=[wind(kind="kraken")]), "unknown hazard 'kraken' at d4"),
        (
            edited(hazards=[wind(kind="whirlpool", way="N")]),
            "the whirlpool at d4 must spin clockwise or counterclockwise, not 'N'",
        ),
        (
            edited(hazards=[wind(7, 2, "clockwise", "whirlpool")]),
            "the whirlpool at h3 is out of bounds",
        ),
        (edited(spawns=UNBIASED["spawns"][:1]), "a spawn for each of 2 seats, not 1"),
        (edited(spawns=[]), "a spawn for each of 2 seats, not 0"),
        (
            edited(spawns=[UNBIASED["spawns"][0], {"x": 8, "y": 0, "facing": "W"}]),
            "the spawn of seat 1 at i1 is out of bounds",
        ),
        (
            edited(spawns=[UNBIASED["spawns"][0], {"x": 2, "y": 2, "facing": "W"}]),
            "the spawn of seat 1 at c3 is blocked by the rock at c3",
        ),
        (
            edited(spawns=[UNBIASED["spawns"][0]] * 2),
            "the spawn of seat 1 at a1 is blocked by the spawn of seat 0",
        ),
        (
            edited(spawns=[UNBIASED["spawns"][0], {"x": 7, "y": 5, "facing": "west"}]),
            "the spawn of seat 1 at h6 must face N, E, S or W, not 'west'",
        ),
        (edited(id=""), "id must be 1 to 64"),
        (edited(id="a b"), "id must be 1 to 64 .*not 'a b'"),
        (edited(name="x" * 81), "name must be at most 80 characters, not 81"),
        (edited(notes="x" * 2001), "notes must be at most 2000 characters"),
        (edited(width="8"), "not a map: Expected `int`, got `str` .*width"),
        (edited(rocks=[{"x": 1}]), r"not a map: Object missing required field `y`"),
        ("[]", "not a map: Expected `object`, got `array`"),
        ("{", "this is not JSON"),
        ("", "this is not JSON"),
    ],
)
def test_each_fault_is_named(text: str, fault: str) -> None:
    with pytest.raises(BadMap, match=fault):
        read_map(text)


def test_all_faults_are_reported_together() -> None:
    with pytest.raises(BadMap) as caught:
        read_map(edited(id="", rocks=[rock(8, 0), rock(0, 0)]))
    assert len(caught.value.faults) == 3
    with pytest.raises(BadMap) as caught:
        read_map(edited(rocks=[rock(3, 3)], hazards=[wind(3, 3, kind="kraken")]))
    assert len(caught.value.faults) == 1, "what is unknown has no place"


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_a_map_or_an_error(data: bytes) -> None:
    with pytest.raises(BadMap):
        read_map(data)


@given(maps())
def test_a_map_survives_json_and_a_full_turn_and_two_mirrors(sea: SeaMap) -> None:
    assert read_map(write_map(sea)) == sea
    assert turned_map(sea, 4) == sea
    assert turned_map(turned_map(sea, 1), 3) == sea
    assert mirrored_map(mirrored_map(sea)) == sea


@given(maps())
def test_a_map_is_a_setting_that_survives_json(sea: SeaMap) -> None:
    game = Navigation(map=sea)
    plain = msgspec.json.decode(msgspec.json.encode(settings_of(game)))
    assert make_game("navigation", **plain) == game


def test_the_default_map_is_fair_and_full_size() -> None:
    sea = default_map()
    assert fairness(sea) == "turn"
    assert (sea.width, sea.height) == (24, 24)
    kinds = {hazard.kind for hazard in sea.hazards}
    assert kinds == {"wind", "whirlpool"}
    assert {rock.size for rock in sea.rocks} == {"small", "large"}


@given(st.integers(0, 2**64))
def test_procedural_maps_are_fair_and_their_spawns_safe(seed: int) -> None:
    sea = procedural_map(seed)
    assert fairness(sea) == "turn"
    things = {(r.x, r.y) for r in sea.rocks} | {t for h in sea.hazards for t in h.tiles}
    for spawn in sea.spawns:
        assert all(max(abs(x - spawn.x), abs(y - spawn.y)) > 3 for x, y in things)


@given(st.integers(0, 2**32))
def test_all_water_of_a_procedural_map_can_be_reached(seed: int) -> None:
    sea = procedural_map(seed)
    rocks = {(r.x, r.y) for r in sea.rocks}
    reached = {(sea.spawns[0].x, sea.spawns[0].y)}
    edge = list(reached)
    while edge:
        x, y = edge.pop()
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            inside = min(near) >= 0 and max(near) < SIZE
            if inside and near not in rocks and near not in reached:
                reached.add(near)
                edge.append(near)
    assert len(reached) + len(rocks) == SIZE * SIZE


def test_an_unfair_map_is_told_apart() -> None:
    sea = read_map(json.dumps(UNBIASED))
    assert fairness(sea) is None
    bare = replace(sea, hazards=(), rocks=())
    assert fairness(bare) == "turn"
    facing = replace(bare.spawns[1], y=0)
    assert fairness(replace(bare, spawns=(bare.spawns[0], facing))) == "mirror"


@pytest.mark.parametrize(
    "settings",
    [
        {"map": "defualt"},
        {"map": "procedural"},
        {"map": "procedural:"},
        {"map": "procedural:-1"},
        {"map": "procedural:1e9"},
        {"map": {"id": "x"}},
        {"map": 7},
        {"ships": ["cutter"]},
        {"ships": ["cutter", "canoe"]},
        {"ships": "cutter"},
        {"turns": "drift"},
        {"turn_limit": 0},
        {"turn_limit": 10_001},
        {"phases": 0},
        {"phases": 5},
        {"ammo_per_turn": -1},
        {"ram_damage": -1},
        {"ram_damage": 1.5},
        {"sails": 3},
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(TriremeError):
        make_game("navigation", **settings)


def test_an_unknown_way_to_turn_is_refused() -> None:
    with pytest.raises(BadSettings, match="turns must be stay or advance, not 'drift'"):
        Navigation(turns="drift")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "limit"), [("name", 80), ("author", 80), ("notes", 2000), ("created", 40)]
)
def test_texts_of_a_map_have_a_longest_length(field: str, limit: int) -> None:
    bay = read_map(json.dumps(UNBIASED))
    assert getattr(read_map(write_map(replace(bay, **{field: "x" * limit}))), field)
    with pytest.raises(BadMap, match=f"{field} must be at most {limit} characters"):
        read_map(json.dumps({**UNBIASED, field: "x" * (limit + 1)}))


def test_a_map_of_a_wrong_size_has_no_other_faults() -> None:
    with pytest.raises(BadMap) as caught:
        read_map(json.dumps({**UNBIASED, "width": 1}))
    assert "width must be" in str(caught.value)
    assert "rock" not in str(caught.value)
    assert "spawn" not in str(caught.value)


def test_a_map_turned_further_than_once_around() -> None:
    bay = read_map(json.dumps(UNBIASED))
    assert turned_map(bay, 4) == turned_map(bay, 0) == bay
    assert turned_map(bay, 5) == turned_map(bay, 1) != bay


@pytest.mark.parametrize(
    ("spawn", "symmetry"),
    [
        (Spawn(3, 3, "W"), "turn"),
        (Spawn(3, 0, "W"), "mirror"),
        (Spawn(1, 3, "E"), "flip"),
        (Spawn(2, 3, "E"), None),
    ],
)
def test_a_fair_sea_gives_seat_1_what_seat_0_has(spawn: Spawn, symmetry: str | None) -> None:
    sea = chart_map(".....\n.....\n.....\n.....", (Spawn(1, 0, "E"), spawn))
    assert fairness(sea) == symmetry
