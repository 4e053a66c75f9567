"""Planner: scores every movement against all movements of the enemy, and plays the best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.navigation.arrays import flat_tile, pack_ships, unpack_plan
from trireme.navigation.duel import duel_at_start, nearest_duel
from trireme.navigation.plans import Plan
from trireme.navigation.rules import NavigationState, as_navigation
from trireme.navigation.search.double_oracle import TurnSolver, every_movement
from trireme.navigation.search.plan_analysis import PlanAnalysis, PlanCandidate
from trireme.navigation.search.pose_bonus import distance_table
from trireme.navigation.search.scoring_kernels import contact_probabilities

Floats = NDArray[np.float64]

GRAPPLES, HITS, HIT, GRAPPLED = slice(0, 2), slice(2, 4), 4, 5
SHOWN = 12
"""Candidates that an analysis keeps."""


@dataclass
class Planner:
    """Scores movements by hits and grapples, own and enemy, by the centre and the distance."""

    name: ClassVar[str] = "planner"

    shots: float = option(1.0, "weight of expected damage to the enemy; higher: shoots more")
    broadsides: float = option(
        0.7, "weight of expected damage to the own ship; higher: avoids broadsides more"
    )
    grapple: float = option(
        1.0, "weight of the probability to grapple; higher: seeks boarding more"
    )
    danger: float = option(
        0.7, "weight of the probability to be grappled; higher: avoids boarding more"
    )
    centre: float = option(
        0.002, "cost of each tile away from the centre of the map; higher: stays more central"
    )
    hunt: float = option(0.01, "cost of each tile of distance to the enemy; higher: closes in more")
    _board: _Board | None = field(default=None, init=False, repr=False, compare=False)

    def prepare(self, game: AnyGame) -> None:
        """Compile, and prepare the map."""
        first = duel_at_start(game)
        self._contacts(self._ready(first), first.start(), 0)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        return self.think(turn).candidates[0].plan

    def think(self, turn: Turn[Plan, NavigationState]) -> PlanAnalysis:
        """The best movements with their best actions, by score; the first is played for certain."""
        turn = nearest_duel(turn)
        board, own = self._ready(turn.game), turn.seat
        counts, scores = self._contacts(board, turn.view, own)
        game, ships = board.solver.game, turn.view.ships
        salvos = [t.shots * t.damage for t in game.types]
        hit = self.shots * min(1.0, salvos[own] / ships[1 - own].hp)
        hurt = self.broadsides * min(1.0, salvos[1 - own] / ships[own].hp)
        actions = np.zeros((len(scores), game.phases), np.int64)
        for phase in range(game.phases):
            contacts = counts[phase, board.beginnings[phase]]
            gains = np.concatenate(
                [self.grapple * contacts[:, GRAPPLES], hit * contacts[:, HITS]], axis=1
            )
            actions[:, phase] = np.where(gains.max(axis=1) > 0, gains.argmax(axis=1) + 1, 0)
            scores += (
                gains.max(axis=1) - hurt * contacts[:, HIT] - self.danger * contacts[:, GRAPPLED]
            )
        best = np.argsort(-scores, kind="stable")[:SHOWN]
        candidates = [
            PlanCandidate(
                board.plan(own, int(m), actions[m]), float(scores[m]), float(m == best[0])
            )
            for m in best
        ]
        return PlanAnalysis(tuple(candidates), candidates[0].value)

    def _contacts(self, board: _Board, view: NavigationState, own: int) -> tuple[Floats, Floats]:
        """(contact probabilities by phase and movement, the value of where each movement ends)."""
        solver, total = board.solver, len(board.movements)
        counts, ends = np.zeros((solver.game.phases, total, 6)), np.zeros(total)
        ships = pack_ships(view.ships, solver.game.chart.width)
        turn = solver.turn_arrays(ships, view.turn, board.distances[own])
        turn = turn._replace(mobility=board.tile_costs)
        chances = np.full(total, 1 / total)
        contact_probabilities(turn, own, board.movements, chances, counts, ends)
        return counts, ends

    def _ready(self, game: AnyGame) -> _Board:
        if self._board is None or self._board.solver.game != game:
            self._board = _Board(TurnSolver(as_navigation(game)), self.centre, self.hunt)
        return self._board


class _Board:
    """The map evaluated for the planner, and all movements."""

    def __init__(self, solver: TurnSolver, centre: float, hunt: float) -> None:
        self.solver = solver
        chart, phases = solver.game.chart, solver.game.phases
        self.movements = every_movement(phases)
        self.beginnings = [np.arange(4**phases) >> 2 * (phases - 1 - p) for p in range(phases)]
        """By phase, the entry of each movement."""
        self.tile_costs = solver.mobility.copy()
        for x in range(chart.width):
            for y in range(chart.height):
                away = abs(2 * x + 1 - chart.width) + abs(2 * y + 1 - chart.height)
                self.tile_costs[flat_tile((x, y), chart.width)] += np.float32(centre * away / 2)
        near = distance_table(hunt)
        self.distances = -near, near

    def plan(self, own: int, movement: int, actions: NDArray[np.int64]) -> Plan:
        """The plan of a movement and actions: 0 none, 1 and 2 grapple, 3 and 4 shoot."""
        ship, ammo = self.solver.game.types[own], self.solver.game.ammo_per_turn
        orders = self.movements[movement].astype(np.int64)
        for phase, action in enumerate(actions):
            if action < 3:
                orders[phase] += 4 * action
                continue
            shots = ship.shots if ammo is None else min(ship.shots, ammo)
            ammo = None if ammo is None else ammo - shots
            orders[phase] += 4 * (2 * shots + action - 2) if shots else 0
        return unpack_plan(orders.astype(np.uint8), ship)
