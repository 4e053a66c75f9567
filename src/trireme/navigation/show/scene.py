"""The scene: what clients need to draw a game beside its views, and previews of plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from trireme.core.game import Seat
from trireme.navigation.plans import Order, Plan, check_plan
from trireme.navigation.rules import Navigation, NavigationState, starting_spawns
from trireme.navigation.ships import SHIPS, ShipType


def scene(game: Navigation) -> dict[str, Any]:
    """The map, where each seat's ship begins and which it is, and the table of ships to choose
    from."""
    return {
        "map": msgspec.to_builtins(game.chart),
        "spawns": msgspec.to_builtins(starting_spawns(game.chart, game.seats)),
        "ships": [_row(kind) for kind in game.types],
        "types": [_row(kind) for kind in SHIPS.values()],
    }


def _row(kind: ShipType) -> dict[str, Any]:
    return {**msgspec.to_builtins(kind), "damage": kind.damage}


def preview(
    game: Navigation, view: NavigationState, actions: Mapping[Seat, Plan]
) -> NavigationState:
    """The position after a turn with these plans; a seat that none is given for stands still."""
    still: Plan = (Order(),) * game.phases
    plans = {seat: actions.get(seat, still) for seat in range(game.seats)}
    for seat, plan in plans.items():
        check_plan(plan, game.types[seat], game.phases, game.ammo_per_turn)
    return game.apply(view, plans)
