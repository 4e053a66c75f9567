"""The game's maps as JSON values, for map editors: loaded by name, and checked."""

from __future__ import annotations

from typing import Any

import msgspec

from .map_generator import find_map
from .maps import BadMap, read_map


class SeaMapLibrary:
    """The `MapLibrary` of Battle Navigation."""

    def load(self, name: str) -> dict[str, Any]:
        """`default`, or `procedural:SEED`."""
        plain: dict[str, Any] = msgspec.to_builtins(find_map(name))
        return plain

    def problems(self, map: dict[str, Any]) -> list[str]:
        try:
            read_map(msgspec.json.encode(map))
        except BadMap as error:
            return list(error.faults)
        return []
