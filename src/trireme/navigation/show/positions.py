"""Which positions of Battle Navigation are the same: equal ships on an equal sea."""

from __future__ import annotations

from typing import Any

from trireme.navigation.rules import Navigation, NavigationState


def position_content(game: Navigation, view: NavigationState) -> Any:
    """The sea, and where the ships stand with what hit points, whatever led to it."""
    sea = game.chart
    return [
        sea.width,
        sea.height,
        sorted(map(repr, sea.rocks)),
        sorted(map(repr, sea.hazards)),
        sorted((ship.type, ship.x, ship.y, ship.facing, ship.hp) for ship in view.ships),
    ]
