"""What a picture of the game needs beside its views: the map, the ships, and plans tried out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ..core.game import Seat
from .plans import Order, Plan, check_plan
from .rules import Navigation, NavigationState


def scene(game: Navigation) -> dict[str, Any]:
    """The map, and the row of each seat's ship in the table of ships, damage added."""
    return {
        "map": msgspec.to_builtins(game.chart),
        "ships": [{**msgspec.to_builtins(t), "damage": t.damage} for t in game.types],
    }


def preview(
    game: Navigation, view: NavigationState, actions: Mapping[Seat, Plan]
) -> NavigationState:
    """The position after a turn with these plans; a seat that none is given for stands still."""
    still: Plan = (Order(),) * game.phases
    plans = {seat: actions.get(seat, still) for seat in (0, 1)}
    for seat, plan in plans.items():
        check_plan(plan, game.types[seat], game.phases, game.ammo_per_turn)
    return game.apply(view, plans)
