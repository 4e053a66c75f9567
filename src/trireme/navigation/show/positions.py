"""Which positions of Battle Navigation are alike: by where the ships stand."""

from __future__ import annotations

from trireme.core.positions import MarkedBoard, digest
from trireme.navigation.rules import Navigation, NavigationState


def marked_boards(game: Navigation, view: NavigationState) -> list[MarkedBoard]:
    """The sea with the ships on it, whatever their hit points."""
    sea = game.chart
    ships = sorted((ship.type, ship.x, ship.y, ship.facing) for ship in view.ships)
    rocks = sorted(map(repr, (*sea.rocks, *sea.hazards)))
    return [MarkedBoard((), digest(sea.width, sea.height, rocks, ships), fixed=True)]
