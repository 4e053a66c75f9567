"""Several ships a side as one duel: a captain's own ship against the nearest enemy.

The searches, the value network and the kernels know two ships. With more of them a captain plans as
if only its ship and the nearest enemy were on the sea; the rules then resolve all plans together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from trireme.core.errors import BadSettings
from trireme.core.game import AnyGame, Seat, Turn

from .plans import Plan
from .rules import Navigation, NavigationState, Ship, as_navigation, side_of


@dataclass(frozen=True)
class ShipDuel:
    """A seat's ship and one enemy's."""

    whole: Navigation
    """The game with all ships."""
    position: NavigationState
    own: Seat
    enemy: Seat

    @property
    def seat(self) -> Seat:
        """The seat of the own ship among the two: that of its side."""
        return side_of(self.own)

    @property
    def pair(self) -> tuple[Seat, Seat]:
        """The seats of the two ships in the whole game, first side first."""
        return (self.own, self.enemy) if self.seat == 0 else (self.enemy, self.own)

    @property
    def game(self) -> Navigation:
        """The same rules and map for these two ships."""
        first, second = self.pair
        return _duel_game(self.whole, first, second)

    @cached_property
    def view(self) -> NavigationState:
        """The position of the two; with more ships without a log, which tells of all."""
        if self.whole.seats == 2:
            return self.position
        ships = (replace(self.position.ships[seat], id=side_of(seat)) for seat in self.pair)
        return NavigationState(self.position.turn, tuple(ships))


@lru_cache(maxsize=64)
def _duel_game(game: Navigation, first: Seat, second: Seat) -> Navigation:
    return game if game.seats == 2 else replace(game, ships=(game.ships[first], game.ships[second]))


def nearest_enemy(view: NavigationState, seat: Seat) -> Ship:
    """The enemy's ship that is afloat and fewest tiles away; of equals the weaker one.

    Without any it is the first: a game that is over.
    """
    own = view.ships[seat]
    enemies = [ship for ship in view.ships if side_of(ship.id) != side_of(seat)]
    afloat = [ship for ship in enemies if ship.alive] or enemies[:1]
    return min(afloat, key=lambda s: (abs(s.x - own.x) + abs(s.y - own.y), s.hp, s.id))


def duel_of(game: AnyGame, view: NavigationState, seat: Seat) -> ShipDuel:
    """The duel that a captain plans: against the nearest enemy."""
    return ShipDuel(as_navigation(game), view, seat, nearest_enemy(view, seat).id)


def nearest_duel(turn: Turn[Plan, NavigationState]) -> Turn[Plan, NavigationState]:
    """The same decision with two ships: the own one and the nearest enemy."""
    if turn.game.seats == 2:
        return turn
    duel = duel_of(turn.game, turn.view, turn.seat)
    return replace(turn, game=duel.game, seat=duel.seat, view=duel.view)


def duel_at_start(game: AnyGame) -> Navigation:
    """The duel of the first two ships."""
    return _duel_game(as_navigation(game), 0, 1)


def check_duel(game: Navigation, what: str) -> None:
    """Raise `BadSettings` for more than two ships, which `what` does not know."""
    if game.seats != 2:
        raise BadSettings(f"{what} for two ships, not for {game.seats}")
