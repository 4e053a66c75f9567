"""Greedy: the best order of each phase against an enemy assumed to stand still."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from trireme.core.game import Turn
from trireme.navigation.duel import nearest_duel
from trireme.navigation.geometry import Pose
from trireme.navigation.plans import MOVES, Order, Plan
from trireme.navigation.rules import (
    Navigation,
    NavigationState,
    act,
    as_navigation,
    drift,
    move_ships,
)

Poses = tuple[Pose, ...]
OPENING_TURNS = 2
"""Turns in which the ships are usually too far apart to fight."""


@dataclass(frozen=True)
class Greedy:
    """Grapples if it can, else shoots if lined up, else sails toward the enemy."""

    name: ClassVar[str] = "greedy"

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        turn = nearest_duel(turn)
        game = as_navigation(turn.game)
        own = turn.seat
        poses: Poses = tuple(ship.pose for ship in turn.view.ships)
        ammo = game.ammo_per_turn
        plan: list[Order] = []
        for _ in range(game.phases):
            order, poses = _best_order(game, own, poses, ammo)
            if ammo is not None and order.shoots:
                ammo -= order.shots or game.types[own].shots
            plan.append(order)
        return tuple(plan)


def opening_move(turn: Turn[Plan, NavigationState]) -> Plan | None:
    """The plan of `greedy`, which needs no compiler; None: the opening is over."""
    return Greedy().act(turn) if turn.view.turn < OPENING_TURNS else None


def _best_order(game: Navigation, own: int, poses: Poses, ammo: int | None) -> tuple[Order, Poses]:
    """The order that does most now, and where it leaves the ships."""
    tried: list[tuple[int, int, int, Order, Poses]] = []
    for move in MOVES:
        orders = [Order(), Order()]
        orders[own] = Order(move)
        after = drift(game.sea, move_ships(game.sea, poses, orders, game.turns == "advance").poses)
        order, rank = _action(game, own, after, move, ammo)
        distance = abs(after[0].x - after[1].x) + abs(after[0].y - after[1].y)
        tried.append((rank, -distance, len(tried), order, after))
    *_, order, after = max(tried, key=lambda t: t[:3])
    return order, after


def _action(
    game: Navigation, own: int, poses: Poses, move: str, ammo: int | None
) -> tuple[Order, int]:
    """The best action from these poses, ranked: 2 a grapple, 1 a hit, 0 neither."""
    kind = game.types[own]
    shots = None if ammo is None or ammo >= kind.shots else ammo
    actions = [Order(move, f"grapple_{side}") for side in ("port", "starboard")]
    if shots != 0:
        actions += [Order(move, f"shoot_{side}", shots) for side in ("port", "starboard")]
    for order in actions:
        event = act(game.sea, poses, own, order, kind)
        if event is not None and event.target is not None:
            return order, 2 if order.grapples else 1
    return Order(move), 0
