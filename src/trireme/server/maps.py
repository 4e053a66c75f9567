"""Maps of Battle Navigation for the editor: those that come with the game, and what is wrong."""

from __future__ import annotations

from typing import Any

import msgspec

from trireme.core.errors import TriremeError
from trireme.navigation.map_generator import find_map
from trireme.navigation.maps import BadMap, read_map
from trireme.server.protocol.codes import Refusal


def named_map(name: str) -> dict[str, Any]:
    """A map that comes with the game, as JSON."""
    try:
        made: dict[str, Any] = msgspec.to_builtins(find_map(name[:60]))
    except TriremeError as error:
        raise Refusal("not_found", str(error)) from None
    return made


def check_map(sea: dict[str, Any]) -> list[str]:
    """One sentence for every fault of a map."""
    try:
        read_map(msgspec.json.encode(sea))
    except BadMap as error:
        return list(error.faults)
    return []
