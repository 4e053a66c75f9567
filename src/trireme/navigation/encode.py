"""The encoder of Battle Navigation: views as feature planes, plans as numbers of orders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Seat

from .batch import NavigationBatch
from .geometry import FACINGS
from .maps import SPINS, SeaMap
from .plans import Plan, order_at, order_count, order_index, shots_fired
from .rules import Navigation, NavigationState, as_navigation, side_of

Planes = NDArray[np.float32]

MAP_PLANES = ("small rock", "large rock", "wind N", "wind E", "wind S", "wind W", *SPINS)
SHIP_PLANES = tuple(f"{whose} facing {way}" for whose in ("own", "enemy") for way in FACINGS)
LEVEL_PLANES = ("own share of hp", "enemy share of hp", "share of turns left")
PLANES = (*SHIP_PLANES, *MAP_PLANES, *LEVEL_PLANES)
"""What each plane shows: marks of 0 and 1, then constant planes from 0 to 1."""
ORDERS = 28
"""Orders of a phase by number, the most that any ship has; see `plans.order_at`."""


@dataclass(frozen=True)
class NavigationEncoder:
    """The arrays of one game.

    Planes are `float32[19, height, width]`, named in `PLANES`. With several ships a side, other
    ships of the own one are marked 0.5, and hit points are those of a side. A plan is
    `int64[phases]`, the number of an order for each phase: whole as one structured action (`index`,
    `action`), or order by order for learners that choose one phase after another (`order_mask`
    says which orders are still allowed after those already chosen).
    """

    game: Navigation

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of `planes`."""
        return (len(PLANES), self.game.chart.height, self.game.chart.width)

    @property
    def num_actions(self) -> int:
        """The numbers that one choice is made from: orders."""
        return ORDERS

    @cached_property
    def _map_planes(self) -> Planes:
        return map_planes(self.game.chart)

    def planes(self, view: NavigationState, seat: Seat) -> Planes:
        """`view` as `seat` sees it."""
        planes = np.zeros(self.shape, np.float32)
        for ship in view.ships:
            whose = int(side_of(ship.id) != side_of(seat))
            mark = 1 if whose or ship.id == seat else 0.5
            if ship.alive:
                planes[4 * whose + FACINGS.index(ship.facing), ship.y, ship.x] = mark
        for whose in (0, 1):
            ships = view.ships[side_of(seat + whose) :: 2]
            planes[16 + whose] = sum(s.hp for s in ships) / sum(s.max_hp for s in ships)
        planes[8:16] = self._map_planes
        planes[18] = 1 - view.turn / self.game.turn_limit
        return planes

    def index(self, plan: Plan, seat: Seat) -> NDArray[np.int64]:
        """The plan as the numbers of its orders, `int64[phases]`."""
        ship = self.game.types[seat]
        return np.array([order_index(order, ship) for order in plan], np.int64)

    def action(self, orders: Sequence[int] | NDArray[np.integer], seat: Seat) -> Plan:
        """The plan with these orders; raises `IndexError` for a number that the ship lacks."""
        ship = self.game.types[seat]
        for order in orders:
            if not 0 <= order < order_count(ship):
                raise IndexError(f"expected an order below {order_count(ship)}, not {order}")
        return tuple(order_at(int(order), ship) for order in orders)

    def mask(self, seat: Seat) -> NDArray[np.int8]:
        """`int8[phases, num_actions]`: the orders that some plan of this seat may hold.

        With unlimited shots every plan made of them is legal; `ammo_per_turn` also limits their
        sum, which `order_mask` keeps.
        """
        return np.tile(self.order_mask(seat, ()), (self.game.phases, 1))

    def order_mask(self, seat: Seat, chosen: Sequence[int]) -> NDArray[np.int8]:
        """`int8[num_actions]`: which orders may follow those chosen for the phases before."""
        ship = self.game.types[seat]
        allowed = np.zeros(ORDERS, np.int8)
        allowed[: order_count(ship)] = 1
        if self.game.ammo_per_turn is not None:
            left = self.game.ammo_per_turn
            left -= sum(shots_fired(order_at(order, ship), ship) for order in chosen)
            costs = [shots_fired(order_at(i, ship), ship) for i in range(order_count(ship))]
            allowed[: order_count(ship)] = np.array(costs) <= left
        return allowed

    def observe(self, view: NavigationState, seat: Seat, chosen: Sequence[int] = ()) -> Planes:
        """The planes of `seat` and one more for each phase, filled from 0 to 1 with the order
        chosen for it so far, 0 where none is."""
        orders = np.zeros((self.game.phases, *self.shape[1:]), np.float32)
        for phase, order in enumerate(chosen):
            orders[phase] = (order + 1) / ORDERS
        return np.concatenate([self.planes(view, seat), orders])

    def choices(self, view: NavigationState, seat: Seat) -> int:
        """How many numbers make up a plan: one a phase."""
        return self.game.phases

    def allowed(
        self, view: NavigationState, seat: Seat, chosen: Sequence[int] = ()
    ) -> NDArray[np.int8]:
        """`int8[num_actions]`: the orders that may follow those chosen so far."""
        return self.order_mask(seat, chosen)

    def decide(self, view: NavigationState, seat: Seat, chosen: Sequence[int]) -> Plan:
        """The plan of the chosen orders."""
        return self.action(chosen, seat)


def encoder(game: AnyGame) -> NavigationEncoder:
    """The encoder of a game of Battle Navigation."""
    return NavigationEncoder(as_navigation(game))


def map_planes(chart: SeaMap) -> Planes:
    """`float32[8, height, width]`: rocks, winds and whirlpools, in the order of `MAP_PLANES`."""
    planes = np.zeros((len(MAP_PLANES), chart.height, chart.width), np.float32)
    for rock in chart.rocks:
        planes[0 if rock.size == "small" else 1, rock.y, rock.x] = 1
    for hazard in chart.hazards:
        wind = hazard.kind == "wind"
        plane = 2 + FACINGS.index(hazard.way) if wind else 6 + SPINS.index(hazard.way)
        for x, y in hazard.tiles:
            planes[plane, y, x] = 1
    return planes


def batch_planes(batch: NavigationBatch, charts: Sequence[SeaMap], seat: Seat) -> Planes:
    """`float32[B, 19, height, width]`: every game of a batch on these maps as `seat` sees it."""
    seas = np.stack([map_planes(chart) for chart in charts])
    size, _, height, width = len(batch.ships), *seas.shape[1:]
    planes = np.zeros((size, len(PLANES), height, width), np.float32)
    games = np.arange(size)
    for whose, who in enumerate((seat, 1 - seat)):
        tiles, facings, hp = batch.ships[:, who].T
        rows, columns = np.divmod(tiles, width + 2)
        planes[games, 4 * whose + facings, rows - 1, columns - 1] = 1
        planes[:, 16 + whose] = (hp / batch.stats[who, 4])[:, None, None]
    planes[:, 8:16] = seas[batch.charts]
    planes[:, 18] = (1 - batch.turns / batch.game.turn_limit)[:, None, None]
    return planes
