"""Seas, ships and positions for the tests, drawn by hand or by Hypothesis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from trireme.navigation.map_generator import chart_map
from trireme.navigation.maps import Hazard, Rock, SeaMap, Spawn
from trireme.navigation.rules import Navigation, NavigationState, Ship
from trireme.navigation.ships import SHIPS

OPEN = "|".join(["......."] * 7)


def tile(name: str) -> tuple[int, int]:
    """`c4` as (2, 3)."""
    return ord(name[0]) - ord("a"), int(name[1:]) - 1


def open_water(chart: str) -> SeaMap:
    """A map from rows joined by bars, its spawns on the first two tiles of plain water."""
    rows = chart.split("|")
    water = [(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "."]
    return chart_map("\n".join(rows), (Spawn(*water[0], "N"), Spawn(*water[1], "N")))


def with_ships(game: Navigation, *ships: str, turn: int = 0) -> NavigationState:
    """The position with ships such as `c4 E` or, damaged, `c4 E 7`."""
    start = game.start()
    placed = [place(ship, text) for ship, text in zip(start.ships, ships, strict=True)]
    return replace(start, turn=turn, ships=tuple(placed))


def place(ship: Ship, text: str) -> Ship:
    where, facing, *hp = text.split()
    x, y = tile(where)
    return replace(ship, x=x, y=y, facing=facing, hp=int(hp[0]) if hp else ship.hp)


@st.composite
def maps(draw: st.DrawFn, most: int = 7) -> SeaMap:
    """A small sea, crowded enough that ships meet rocks, hazards and each other."""
    width, height = draw(st.integers(3, most)), draw(st.integers(3, most))
    tiles = [(x, y) for x in range(width) for y in range(height)]
    free = draw(st.permutations(tiles))
    first, second, *rest = free
    taken = {first, second}
    hazards: list[Hazard] = []
    rocks: list[Rock] = []
    for x, y in rest[: draw(st.integers(0, len(rest)))]:
        kind = draw(st.sampled_from(["rock", "wind", "whirlpool", "water"]))
        if kind == "whirlpool":
            spin = draw(st.sampled_from(["clockwise", "counterclockwise"]))
            pool = Hazard("whirlpool", x, y, spin)
            fits = x + 1 < width and y + 1 < height and not taken & set(pool.tiles)
            if fits:
                hazards.append(pool)
                taken |= set(pool.tiles)
        elif (x, y) not in taken and kind != "water":
            taken.add((x, y))
            if kind == "wind":
                hazards.append(Hazard("wind", x, y, draw(st.sampled_from("NESW"))))
            else:
                rocks.append(Rock(x, y, draw(st.sampled_from(["small", "large"]))))
    facings = [draw(st.sampled_from("NESW")) for _ in range(2)]
    spawns = Spawn(*first, facings[0]), Spawn(*second, facings[1])
    return SeaMap("drawn", "Drawn", width, height, spawns, tuple(hazards), tuple(rocks))


@st.composite
def games(draw: st.DrawFn, **fixed: Any) -> Navigation:
    """A game on a small sea, in any variant."""
    names = st.sampled_from(sorted(SHIPS))
    settings = {
        "ships": (draw(names), draw(names)),
        "map": draw(maps()),
        "turn_limit": draw(st.integers(1, 6)),
        "turns": draw(st.sampled_from(["stay", "advance"])),
        "ammo_per_turn": draw(st.none() | st.integers(0, 8)),
        "ram_damage": draw(st.integers(0, 3)),
        "phases": draw(st.integers(1, 4)),
    }
    return Navigation(**{**settings, **fixed})
