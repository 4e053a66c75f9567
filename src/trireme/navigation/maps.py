"""Maps: their data, validation, rotation, mirroring, fairness and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec

from trireme.core.errors import BadSettings

from .geometry import FACINGS, Tile, tile_name

MIN_SIZE, MAX_SIZE = 3, 26
"""Columns are named by one letter each, hence at most 26."""
SPINS = ("clockwise", "counterclockwise")
ROCKS = ("small", "large")
MOST_PARTS = MAX_SIZE**2
"""Rocks, hazards or spawns of a map: the largest has no more tiles."""


class BadMap(BadSettings):
    """A map with faults; `faults` holds one sentence for each."""

    def __init__(self, *faults: str) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Hazard:
    """A wind on one tile, or a whirlpool whose north-west tile is (x, y)."""

    kind: str
    """`wind` or `whirlpool`."""
    x: int
    y: int
    way: str
    """Where a wind blows, `N E S W`; how a whirlpool spins, `clockwise` or `counterclockwise`."""

    @property
    def tiles(self) -> tuple[Tile, ...]:
        if self.kind == "wind":
            return ((self.x, self.y),)
        return tuple((self.x + dx, self.y + dy) for dy in (0, 1) for dx in (0, 1))


@dataclass(frozen=True)
class Rock:
    """A rock blocks ships; a large one stops cannon fire too."""

    x: int
    y: int
    size: str


@dataclass(frozen=True)
class Spawn:
    """Where a seat's ship begins."""

    x: int
    y: int
    facing: str


@dataclass(frozen=True)
class SeaMap:
    """A sea to fight on. Spawns are by seat; the order of hazards and rocks means nothing."""

    id: str
    name: str
    width: int
    height: int
    spawns: tuple[Spawn, ...]
    hazards: tuple[Hazard, ...] = ()
    rocks: tuple[Rock, ...] = ()
    author: str = ""
    notes: str = ""
    created: str = ""

    def __post_init__(self) -> None:
        if faults := tuple(_faults(self)):
            raise BadMap(*faults)


def _faults(sea: SeaMap) -> Iterator[str]:
    crowded = False
    for what in ("spawns", "hazards", "rocks"):
        if (count := len(getattr(sea, what))) > MOST_PARTS:
            crowded = True
            yield f"a map has at most {MOST_PARTS} {what}, not {count}"
    if crowded:
        return  # the rest is not worth the work
    yield from _naming_faults(sea)
    sized = True
    for what, size in (("width", sea.width), ("height", sea.height)):
        if not MIN_SIZE <= size <= MAX_SIZE:
            sized = False
            yield f"{what} must be {MIN_SIZE} to {MAX_SIZE}, not {size}"
    if sized:
        taken: dict[Tile, str] = {}
        yield from _rock_faults(sea, taken)
        yield from _hazard_faults(sea, taken)
        yield from _spawn_faults(sea, taken)


def _naming_faults(sea: SeaMap) -> Iterator[str]:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}", sea.id):
        yield f"id must be 1 to 64 letters, digits, '-', '_', '.' or ':', not {sea.id[:80]!r}"
    limits = (("name", sea.name, 80), ("author", sea.author, 80), ("notes", sea.notes, 2000))
    for what, text, limit in (*limits, ("created", sea.created, 40)):
        if len(text) > limit:
            yield f"{what} must be at most {limit} characters, not {len(text)}"


def _rock_faults(sea: SeaMap, taken: dict[Tile, str]) -> Iterator[str]:
    for rock in sea.rocks:
        if rock.size not in ROCKS:
            yield f"the rock at {_at(rock.x, rock.y)} must be small or large, not {rock.size!r}"
        yield from _place(sea, f"the rock at {_at(rock.x, rock.y)}", ((rock.x, rock.y),), taken)


def _hazard_faults(sea: SeaMap, taken: dict[Tile, str]) -> Iterator[str]:
    for hazard in sea.hazards:
        what = f"the {hazard.kind} at {_at(hazard.x, hazard.y)}"
        if hazard.kind == "wind":
            if hazard.way not in tuple(FACINGS):
                yield f"{what} must blow N, E, S or W, not {hazard.way!r}"
        elif hazard.kind == "whirlpool":
            if hazard.way not in SPINS:
                yield f"{what} must spin clockwise or counterclockwise, not {hazard.way!r}"
        else:
            yield (
                f"unknown hazard {hazard.kind!r} at {_at(hazard.x, hazard.y)}: "
                "expected wind or whirlpool"
            )
            continue
        yield from _place(sea, what, hazard.tiles, taken)


def _spawn_faults(sea: SeaMap, taken: dict[Tile, str]) -> Iterator[str]:
    if len(sea.spawns) != 2:
        yield f"a map needs a spawn for each of 2 seats, not {len(sea.spawns)}"
    for seat, spawn in enumerate(sea.spawns):
        what = f"the spawn of seat {seat} at {_at(spawn.x, spawn.y)}"
        if spawn.facing not in tuple(FACINGS):
            yield f"{what} must face N, E, S or W, not {spawn.facing!r}"
        yield from _place(sea, what, ((spawn.x, spawn.y),), taken, "is blocked by")


def _place(
    sea: SeaMap, what: str, tiles: tuple[Tile, ...], taken: dict[Tile, str], word: str = "overlaps"
) -> Iterator[str]:
    """Claim tiles for one thing, or say why it can't have them."""
    if any(not (0 <= x < sea.width and 0 <= y < sea.height) for x, y in tiles):
        yield f"{what} is out of bounds: the map is {sea.width}×{sea.height}"
        return
    for other in dict.fromkeys(taken[tile] for tile in tiles if tile in taken):
        yield f"{what} {word} {other}"
    for tile in tiles:
        taken.setdefault(tile, what)


def _at(x: int, y: int) -> str:
    return tile_name((x, y)) if 0 <= x < MAX_SIZE and y >= 0 else f"({x}, {y})"


def read_map(text: str | bytes) -> SeaMap:
    """The map in a JSON text, or `BadMap` with a sentence for each fault."""
    try:
        return msgspec.json.decode(text, type=SeaMap)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, BadMap):
            raise error.__cause__ from None
        raise BadMap(f"this JSON is not a map: {error}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise BadMap(f"a map is written in JSON, and this is not JSON: {error}") from None


def write_map(sea: SeaMap) -> str:
    """The map as JSON text, the same for equal maps."""
    return msgspec.json.format(msgspec.json.encode(sea), indent=2).decode() + "\n"


def turned_map(sea: SeaMap, quarters: int = 1) -> SeaMap:
    """The map turned to the right by so many quarter turns, ways and facings with it."""
    for _ in range(quarters % 4):
        tall = sea.height - 1
        sea = replace(
            sea,
            width=sea.height,
            height=sea.width,
            spawns=tuple(Spawn(tall - s.y, s.x, _turn(s.facing)) for s in sea.spawns),
            rocks=tuple(Rock(tall - r.y, r.x, r.size) for r in sea.rocks),
            hazards=tuple(
                Hazard(h.kind, tall - h.y - _wide(h), h.x, _turn(h.way)) for h in sea.hazards
            ),
        )
    return sea


def mirrored_map(sea: SeaMap) -> SeaMap:
    """The map as a mirror beside it shows it: east and west exchanged, spins reversed."""
    east = sea.width - 1
    return replace(
        sea,
        spawns=tuple(Spawn(east - s.x, s.y, _flip(s.facing)) for s in sea.spawns),
        rocks=tuple(Rock(east - r.x, r.y, r.size) for r in sea.rocks),
        hazards=tuple(
            Hazard(h.kind, east - h.x - _wide(h), h.y, _flip(h.way)) for h in sea.hazards
        ),
    )


def fairness(sea: SeaMap) -> str | None:
    """The symmetry that gives seat 1 what seat 0 has: `turn`, `mirror`, `flip`, or None.

    A half turn, a mirror exchanging east and west, or one exchanging north and south.
    """
    mirror = mirrored_map(sea)
    for name, other in (
        ("turn", turned_map(sea, 2)),
        ("mirror", mirror),
        ("flip", turned_map(mirror, 2)),
    ):
        swapped = replace(other, spawns=other.spawns[::-1])
        if _content(swapped) == _content(sea):
            return name
    return None


def _content(sea: SeaMap) -> tuple[object, ...]:
    return sea.width, sea.height, sea.spawns, frozenset(sea.hazards), frozenset(sea.rocks)


def _wide(hazard: Hazard) -> int:
    """How far a hazard reaches beyond its named corner."""
    return 1 if hazard.kind == "whirlpool" else 0


_TURN = dict(zip("NESW", "ESWN", strict=True))
_FLIP = {"E": "W", "W": "E", "clockwise": "counterclockwise", "counterclockwise": "clockwise"}


def _turn(way: str) -> str:
    return _TURN.get(way, way)


def _flip(way: str) -> str:
    return _FLIP.get(way, way)
