"""Tiles, directions and poses: x grows to the east, y to the south; `h8` is column h, row 8."""

from __future__ import annotations

from dataclasses import dataclass

Tile = tuple[int, int]

FACINGS = "NESW"
"""Clockwise, so that one further in the text is one turn to the right."""
STEPS: dict[str, Tile] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}


def rotated(facing: str, quarters: int) -> str:
    """The facing after so many quarter turns to the right (negative: to the left)."""
    return FACINGS[(FACINGS.index(facing) + quarters) % 4]


def offset_tile(tile: Tile, facing: str, distance: int = 1) -> Tile:
    """The tile so far away in that direction."""
    dx, dy = STEPS[facing]
    return tile[0] + distance * dx, tile[1] + distance * dy


def side_facing(facing: str, side: str) -> str:
    """Where a ship's port (left) or starboard (right) side looks."""
    return rotated(facing, -1 if side == "port" else 1)


def tile_name(tile: Tile) -> str:
    """The tile as people call it: `a1` is the north-west corner."""
    return f"{chr(ord('a') + tile[0])}{tile[1] + 1}"


@dataclass(frozen=True)
class Pose:
    """Where a ship is and which way it faces."""

    x: int
    y: int
    facing: str

    @property
    def tile(self) -> Tile:
        return self.x, self.y
