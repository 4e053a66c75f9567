"""The scene of a game: what stands still all game long, such as the map, as plain JSON values."""

from __future__ import annotations

from typing import Any

import msgspec

from .game import AnyGame
from .registry import find, load


def scene(game: AnyGame) -> dict[str, Any]:
    """What the settings of a game amount to, spelled out for clients and programs; empty where
    its `Slice` names no scene."""
    place = find(game.name).scene
    plain: dict[str, Any] = {} if place is None else msgspec.to_builtins(load(place)(game))
    return plain
