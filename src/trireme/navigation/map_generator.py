"""The maps that come with the game: the curated default, and a procedural one for every seed.

The procedural generator is part of the rules: the same seed must give the same map on every
machine and in every version, so it draws from our own SplitMix64 and from no library.
Every feature is placed together with its image under a half turn about the middle of the map, so
neither seat is favoured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from trireme.core.errors import BadSettings, unknown
from trireme.core.splitmix import SplitMix64

from .geometry import Tile, offset_tile, rotated
from .maps import Hazard, Rock, SeaMap, Spawn

SIZE = 24

# The northern half as a chart; the southern half is its image under a half turn.
#   > wind   o small rock   O large rock   @ clockwise whirlpool   & counterclockwise whirlpool
_DEFAULT_NORTH = """
........................
........................
....O.........o.........
......>>>>>......@@.....
...o.............@@..O..
..........O.............
.....v..................
.....v....oO....o...^...
.....v..............^...
............&&......^...
..........o.&&..........
................O.......
"""
_HALF_TURN = str.maketrans("^>v<", "v<^>")
_WINDS = {"^": "N", ">": "E", "v": "S", "<": "W"}
_SPINS = {"@": "clockwise", "&": "counterclockwise"}
_SIZES = {"o": "small", "O": "large"}


def find_map(name: str) -> SeaMap:
    """The map that a setting names: `default`, or `procedural:SEED` with any whole number."""
    if name == "default":
        return default_map()
    match = re.fullmatch(r"procedural:(\d{1,19})", name)
    if match is not None:
        return procedural_map(int(match[1]))
    if name.startswith("procedural"):
        raise BadSettings(f"expected procedural:SEED with a whole number, not {name!r}")
    raise unknown("map", name, ("default", "procedural:SEED"))


def chart_map(
    chart: str, spawns: tuple[Spawn, Spawn], id: str = "chart", name: str = "A chart"
) -> SeaMap:
    """The map that rows of characters draw, as in this file's default."""
    rows = chart.split()
    hazards: list[Hazard] = []
    rocks: list[Rock] = []
    pools: set[Tile] = set()
    for y, row in enumerate(rows):
        for x, mark in enumerate(row):
            if mark in _WINDS:
                hazards.append(Hazard("wind", x, y, _WINDS[mark]))
            elif mark in _SIZES:
                rocks.append(Rock(x, y, _SIZES[mark]))
            elif mark in _SPINS and (x, y) not in pools:
                pool = Hazard("whirlpool", x, y, _SPINS[mark])
                pools.update(pool.tiles)
                hazards.append(pool)
    return SeaMap(id, name, len(rows[0]), len(rows), spawns, tuple(hazards), tuple(rocks))


def default_map() -> SeaMap:
    """The curated map: a windy lane in the north and in the south, whirlpools between them."""
    north = _DEFAULT_NORTH.split()
    south = [row[::-1].translate(_HALF_TURN) for row in reversed(north)]
    return chart_map("\n".join(north + south), _spawns((2, 11), "E"), "default", "The Three Lanes")


def blank_map(width: int, height: int) -> SeaMap:
    """Bare water, the ships facing each other from its western and eastern side."""
    middle = height // 2
    first = Spawn(0, middle, "E")
    second = Spawn(width - 1, height - 1 - middle, "W")
    return SeaMap("blank", f"Water {width}×{height}", width, height, (first, second))


def _spawns(tile: Tile, facing: str) -> tuple[Spawn, Spawn]:
    x, y = _image(tile)
    return Spawn(*tile, facing), Spawn(x, y, rotated(facing, 2))


def _image(tile: Tile) -> Tile:
    return SIZE - 1 - tile[0], SIZE - 1 - tile[1]


@lru_cache(maxsize=256)
def procedural_map(seed: int) -> SeaMap:
    """The map of a seed: 24×24, fair, spawns clear of everything within three tiles.

    In this order, each drawing from one SplitMix64: the row of seat 0's spawn; 1 to 3 pairs of
    whirlpools; 2 to 5 pairs of straight streaks of 2 to 5 winds; 8 to 15 pairs of rocks. A
    feature that doesn't fit where it falls is left out, as is a rock that would cut the sea.
    """
    draw = SplitMix64(seed)
    spawns = _spawns((2, 6 + draw.below(12)), "E")
    builder = _Builder(spawns)
    for _ in range(1 + draw.below(3)):
        x, y, spin = draw.below(SIZE - 1), draw.below(SIZE - 1), draw.below(2)
        builder.whirlpools(x, y, ("clockwise", "counterclockwise")[spin])
    for _ in range(2 + draw.below(4)):
        tile = draw.below(SIZE), draw.below(SIZE)
        way, length = "NESW"[draw.below(4)], 2 + draw.below(4)
        for k in range(length):
            builder.winds(offset_tile(tile, way, k), way)
    for _ in range(8 + draw.below(8)):
        tile, size = (draw.below(SIZE), draw.below(SIZE)), draw.below(2)
        builder.rocks(tile, ("small", "large")[size])
    return SeaMap(
        f"procedural:{seed}",
        f"Sea {seed}",
        SIZE,
        SIZE,
        spawns,
        tuple(builder.placed_hazards),
        tuple(builder.placed_rocks),
    )


class _Builder:
    """A map in the making: places pairs of features where there is room for both."""

    def __init__(self, spawns: tuple[Spawn, Spawn]) -> None:
        self.placed_hazards: list[Hazard] = []
        self.placed_rocks: list[Rock] = []
        self._start = spawns[0].x, spawns[0].y
        self._free = {(x, y) for x in range(SIZE) for y in range(SIZE)}
        for spawn in spawns:
            self._free -= set(_square((spawn.x, spawn.y), 3))
        self._blocked: set[Tile] = set()

    def whirlpools(self, x: int, y: int, spin: str) -> None:
        pool = Hazard("whirlpool", x, y, spin)
        twin = Hazard("whirlpool", SIZE - 2 - x, SIZE - 2 - y, spin)
        if self._claim({*pool.tiles, *twin.tiles}, 8):
            self.placed_hazards += [pool, twin]

    def winds(self, tile: Tile, way: str) -> None:
        twin = _image(tile)
        if self._claim({tile, twin}, 2):
            self.placed_hazards += [
                Hazard("wind", *tile, way),
                Hazard("wind", *twin, rotated(way, 2)),
            ]

    def rocks(self, tile: Tile, size: str) -> None:
        twin = _image(tile)
        if not {tile, twin} <= self._free or self._cuts({tile, twin}):
            return
        self._claim({tile, twin}, 2)
        self._blocked |= {tile, twin}
        self.placed_rocks += [Rock(*tile, size), Rock(*twin, size)]

    def _claim(self, tiles: set[Tile], count: int) -> bool:
        """Take the tiles if they are all free and the feature does not overlap its own image."""
        if len(tiles) != count or not tiles <= self._free:
            return False
        self._free -= tiles
        return True

    def _cuts(self, rocks: set[Tile]) -> bool:
        """Whether these rocks would leave some water that a ship can't reach."""
        blocked = self._blocked | rocks
        reached, edge = {self._start}, [self._start]
        while edge:
            for near in _neighbours()[edge.pop()]:
                if near not in reached and near not in blocked:
                    reached.add(near)
                    edge.append(near)
        return len(reached) + len(blocked) < SIZE * SIZE


@cache
def _neighbours() -> dict[Tile, list[Tile]]:
    """The tiles beside each tile of the map."""
    tiles = [(x, y) for x in range(SIZE) for y in range(SIZE)]
    beside = {tile: [offset_tile(tile, way) for way in "NESW"] for tile in tiles}
    return {tile: [near for near in beside[tile] if near in beside] for tile in tiles}


def _square(middle: Tile, reach: int) -> Iterator[Tile]:
    for dx in range(-reach, reach + 1):
        for dy in range(-reach, reach + 1):
            yield middle[0] + dx, middle[1] + dy
