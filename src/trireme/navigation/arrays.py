"""Array packing: games, states and plans as the arrays that kernels take, and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .geometry import FACINGS, Tile, offset_tile
from .kernels import DRAWN, FIRST, SECOND
from .maps import SeaMap
from .plans import Plan, order_at, order_index
from .rules import Navigation, Ship, TileMap
from .ships import ShipType

Ints = NDArray[np.int32]

RETURNS = {FIRST: (1.0, -1.0), SECOND: (-1.0, 1.0), DRAWN: (0.0, 0.0)}
"""What the seats get for an outcome that a kernel reports."""


def flat_tile(tile: Tile, width: int) -> int:
    """The number of a tile in a flat sea with an edge all round."""
    return (tile[1] + 1) * (width + 2) + tile[0] + 1


def tile_at(flat: int, width: int) -> Tile:
    """The tile with this number."""
    y, x = divmod(flat, width + 2)
    return x - 1, y - 1


def sea_array(chart: SeaMap) -> NDArray[np.uint32]:
    """`uint32[(width + 2) × (height + 2)]`: see `kernels`."""
    sea = TileMap(chart)
    cells = np.full((chart.width + 2) * (chart.height + 2), 1 | 2, np.uint32)
    for x in range(chart.width):
        for y in range(chart.height):
            cells[flat_tile((x, y), chart.width)] = _cell(sea, (x, y))
    return cells


def _cell(sea: TileMap, tile: Tile) -> int:
    if tile in sea.rocks:
        return 1 | 4 | (2 if sea.rocks[tile] == "large" else 0)
    if tile in sea.winds:
        target = offset_tile(tile, sea.winds[tile])
        return 0 if sea.obstacle(target) else 64 * flat_tile(target, sea.width)
    if tile in sea.whirlpools:
        corner, spin = sea.whirlpools[tile]
        return 8 | 16 * (1 if spin == "clockwise" else 3) | 64 * flat_tile(corner, sea.width)
    return 0


def spawn_array(chart: SeaMap) -> Ints:
    """`int32[2, 2]`: tile and facing of each seat's spawn."""
    rows = [(flat_tile((s.x, s.y), chart.width), FACINGS.index(s.facing)) for s in chart.spawns]
    return np.array(rows, np.int32)


def stats_array(types: Sequence[ShipType]) -> Ints:
    """`int32[2, 5]`: range, shots, damage, grapple range, hit points."""
    rows = [(t.range, t.shots, t.damage, t.grapple_range, t.hp) for t in types]
    return np.array(rows, np.int32)


def rules_array(game: Navigation) -> Ints:
    """`int32[6]`: see `kernels`."""
    ammo = -1 if game.ammo_per_turn is None else game.ammo_per_turn
    keep = int(game.turns == "advance")
    row = (game.chart.width + 2, game.phases, keep, game.ram_damage, game.turn_limit, ammo)
    return np.array(row, np.int32)


def ways_array(game: Navigation) -> NDArray[np.int64]:
    """`int64[2, phases + 1, most + 1]`: the ways to order so many phases with so many shots."""
    most = max(t.shots for t in game.types) * game.phases
    ways = np.zeros((2, game.phases + 1, most + 1), np.int64)
    for seat, plans in enumerate(game.plans):
        for left, counts in enumerate(plans.ways):
            ways[seat, left, : len(counts)] = counts
    return ways


def pack_ships(ships: Sequence[Ship], width: int) -> Ints:
    """`int32[2, 3]`: tile, facing, hit points."""
    rows = [(flat_tile((s.x, s.y), width), FACINGS.index(s.facing), s.hp) for s in ships]
    return np.array(rows, np.int32)


def unpack_ships(packed: Ints, ships: Sequence[Ship], width: int) -> tuple[Ship, ...]:
    """`ships`, moved and damaged to what the array says."""
    return tuple(_unpacked(row, ship, width) for row, ship in zip(packed, ships, strict=True))


def _unpacked(row: Ints, ship: Ship, width: int) -> Ship:
    flat, facing, hp = (int(value) for value in row)
    x, y = tile_at(flat, width)
    return replace(ship, x=x, y=y, facing=FACINGS[facing], hp=hp, alive=hp > 0)


def pack_plan(plan: Plan, ship: ShipType) -> NDArray[np.uint8]:
    """`uint8[phases]`: the numbers of its orders."""
    return np.array([order_index(order, ship) for order in plan], np.uint8)


def unpack_plan(orders: NDArray[np.uint8], ship: ShipType) -> Plan:
    """The plan with these orders."""
    return tuple(order_at(int(order), ship) for order in orders)
