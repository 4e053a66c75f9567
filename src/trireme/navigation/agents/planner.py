"""Planner: scores every movement against all that the enemy might do, and takes the best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import AnyGame, Turn
from trireme.core.options import option
from trireme.navigation.pack import flat_tile, pack_ships, unpack_plan
from trireme.navigation.plans import Plan
from trireme.navigation.rules import NavigationState, as_navigation
from trireme.navigation.search.equilibrium import Battle, Candidate, Thought, distance_table
from trireme.navigation.search.scoring_kernels import count_chances

Floats = NDArray[np.float64]

GRAPPLES, HITS, HIT, GRAPPLED = slice(0, 2), slice(2, 4), 4, 5
SHOWN = 12
"""Candidates that a thought keeps."""


@dataclass
class Planner:
    """Weighs shots won, broadsides and grapples risked, and the centre, for every movement."""

    name: ClassVar[str] = "planner"

    shots: float = option(1.0, "weight of the share of the enemy's hit points shot away")
    broadsides: float = option(0.7, "weight of the share of own hit points at risk")
    grapple: float = option(1.0, "weight of a chance to grapple")
    danger: float = option(0.7, "weight of a chance to be grappled")
    centre: float = option(0.002, "weight of a tile nearer to the centre of the map")
    hunt: float = option(0.01, "weight of a tile nearer to the enemy")
    _board: _Board | None = field(default=None, init=False, repr=False, compare=False)

    def prepare(self, game: AnyGame) -> None:
        """Compile, and prepare the map."""
        self._chances(self._ready(game), game.start(), 0)

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        return self.think(turn).candidates[0].plan

    def think(self, turn: Turn[Plan, NavigationState]) -> Thought:
        """The best movements with their best actions, by score."""
        board, own = self._ready(turn.game), turn.seat
        counts, scores = self._chances(board, turn.view, own)
        game, ships = board.battle.game, turn.view.ships
        salvos = [t.shots * t.damage for t in game.types]
        hit = self.shots * min(1.0, salvos[own] / ships[1 - own].hp)
        hurt = self.broadsides * min(1.0, salvos[1 - own] / ships[own].hp)
        actions = np.zeros((len(scores), game.phases), np.int64)
        for phase in range(game.phases):
            seen = counts[phase, board.beginnings[phase]]
            gains = np.concatenate([self.grapple * seen[:, GRAPPLES], hit * seen[:, HITS]], axis=1)
            actions[:, phase] = np.where(gains.max(axis=1) > 0, gains.argmax(axis=1) + 1, 0)
            scores += gains.max(axis=1) - hurt * seen[:, HIT] - self.danger * seen[:, GRAPPLED]
        best = np.argsort(-scores, kind="stable")[:SHOWN]
        candidates = [
            Candidate(board.plan(own, int(m), actions[m]), float(scores[m]), float(m == best[0]))
            for m in best
        ]
        return Thought(tuple(candidates), candidates[0].value)

    def _chances(self, board: _Board, view: NavigationState, own: int) -> tuple[Floats, Floats]:
        """(chances by phase and movement, the worth of where each movement ends)."""
        battle, total = board.battle, len(board.movements)
        counts, ends = np.zeros((battle.game.phases, total, 6)), np.zeros(total)
        count_chances(
            battle.sea,
            battle.stats,
            battle.rules,
            pack_ships(view.ships, battle.game.chart.width),
            own,
            board.movements,
            np.full(total, 1 / total),
            board.places,
            board.distances[own],
            counts,
            ends,
        )
        return counts, ends

    def _ready(self, game: AnyGame) -> _Board:
        if self._board is None or self._board.battle.game != game:
            self._board = _Board(Battle(as_navigation(game)), self.centre, self.hunt)
        return self._board


class _Board:
    """A map as the planner likes it, and all movements."""

    def __init__(self, battle: Battle, centre: float, hunt: float) -> None:
        self.battle = battle
        chart, phases = battle.game.chart, battle.game.phases
        self.movements = np.array(
            [[m >> 2 * (phases - 1 - p) & 3 for p in range(phases)] for m in range(4**phases)],
            np.uint8,
        )
        self.beginnings = [np.arange(4**phases) >> 2 * (phases - 1 - p) for p in range(phases)]
        """By phase, the entry of each movement."""
        self.places = battle.room.copy()
        for x in range(chart.width):
            for y in range(chart.height):
                away = abs(2 * x + 1 - chart.width) + abs(2 * y + 1 - chart.height)
                self.places[flat_tile((x, y), chart.width)] += np.float32(centre * away / 2)
        near = distance_table(hunt)
        self.distances = -near, near

    def plan(self, own: int, movement: int, actions: NDArray[np.int64]) -> Plan:
        """The plan of a movement and actions: 0 none, 1 and 2 grapple, 3 and 4 shoot."""
        ship, ammo = self.battle.game.types[own], self.battle.game.ammo_per_turn
        orders = self.movements[movement].astype(np.int64)
        for phase, action in enumerate(actions):
            if action < 3:
                orders[phase] += 4 * action
                continue
            shots = ship.shots if ammo is None else min(ship.shots, ammo)
            ammo = None if ammo is None else ammo - shots
            orders[phase] += 4 * (2 * shots + action - 2) if shots else 0
        return unpack_plan(orders.astype(np.uint8), ship)
