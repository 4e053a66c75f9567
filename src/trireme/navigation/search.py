"""A game prepared for search: equilibria of whole plans from any position."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .pack import Ints, pack_ships, rules_array, sea_array, stats_array, unpack_plan
from .plans import Plan, write_plan
from .rules import Navigation, NavigationState
from .search_kernels import REACH, room_to_sail, solve, standings

ROOM_WEIGHT = 0.08
CONFIDENCE = 0.5
"""How far the searching seat takes itself to be on the way to winning while nothing is decided:
it then prefers to fight on rather than to stake all on one throw of the hooks. Fades to nothing at
the turn limit, where waiting wins nothing."""
CHASE, CHASE_BEYOND = 0.006, 8
"""What a tile of distance beyond so many tiles costs it: it seeks the enemy."""
URGENCY = 0.006
"""What any tile of distance costs it at the turn limit; less before."""
LEAST_WEIGHT = 0.004
"""Plans that a mixture plays less often than this are left out of it."""
MOST_PLANS = 256
"""Plans that one seat may have in a solution."""


@dataclass(frozen=True)
class Candidate:
    """A plan that an agent weighed."""

    plan: Plan
    value: float
    """What it is worth to its seat, -1 lost to 1 won."""
    weight: float
    """How often the agent would play it."""

    @property
    def text(self) -> str:
        return write_plan(self.plan)


@dataclass(frozen=True)
class Thought:
    """What an agent thought about a turn: candidates, the likeliest first."""

    candidates: tuple[Candidate, ...]
    value: float
    """What the position is worth to the seat."""
    answers: tuple[Candidate, ...] = ()
    """The plans it expects of the other seat, values being that seat's."""
    gap: float | None = None
    """How far from equilibrium: what both seats could gain together by other plans."""


class Solution:
    """Both seats' plans and mixtures, growing as long as it is given time."""

    def __init__(self, battle: Battle, ships: Ints, turn: int, seat: int) -> None:
        self.battle = battle
        self.seat = seat
        self.table = hopes(seat, turn / battle.game.turn_limit)
        self.ships = ships
        self.worth = standings(battle.stats, battle.rules, turn + 1)
        self.plans = np.zeros((2, MOST_PLANS, battle.game.phases), np.uint8)
        openings = opening_moves(battle.game.phases)
        self.plans[:, : len(openings)] = openings
        self.sizes = np.full(2, len(openings), np.int64)
        self.weights = np.zeros((2, MOST_PLANS))
        self._matrix = np.zeros((MOST_PLANS, MOST_PLANS))
        self._known = np.zeros(2, np.int64)
        self.value = 0.0
        """To seat 0."""
        self.gap = 2.0

    def improve(self, rounds: int, grow: int = 16, tolerance: float = 0.005) -> None:
        """Let both seats answer each other so many rounds more, unless neither would gain."""
        battle = self.battle
        self.value, self.gap = solve(
            battle.sea,
            battle.stats,
            battle.rules,
            self.ships,
            battle.room,
            self.table,
            self.worth,
            self.plans,
            self.sizes,
            self.weights,
            self._matrix,
            self._known,
            rounds,
            grow,
            tolerance,
        )

    def thought(self) -> Thought:
        """The solution as its seat tells it."""
        first, second = (self.weights[s, : self._known[s]] for s in (0, 1))
        matrix = self._matrix[: len(first), : len(second)]
        sides = (
            self._candidates(0, matrix @ second, first),
            self._candidates(1, -(first @ matrix), second),
        )
        value = self.value if self.seat == 0 else -self.value
        return Thought(sides[self.seat], value, sides[1 - self.seat], self.gap)

    def _candidates(
        self, seat: int, values: NDArray[np.float64], weights: NDArray[np.float64]
    ) -> tuple[Candidate, ...]:
        ship = self.battle.game.types[seat]
        order = np.argsort(-weights, kind="stable")
        return tuple(
            Candidate(unpack_plan(self.plans[seat, i], ship), float(values[i]), float(weights[i]))
            for i in order
            if weights[i] > LEAST_WEIGHT
        )


class Battle:
    """The arrays of one game."""

    def __init__(self, game: Navigation) -> None:
        self.game = game
        self.sea = sea_array(game.chart)
        self.stats = stats_array(game.types)
        self.rules = rules_array(game)
        self.room = room_to_sail(self.sea, int(self.rules[0]), 3) * np.float32(ROOM_WEIGHT)

    def solution(self, view: NavigationState, seat: int) -> Solution:
        """The beginning of a solution of this position, as `seat` sees it."""
        return Solution(self, pack_ships(view.ships, self.game.chart.width), view.turn, seat)


def opening_moves(phases: int) -> NDArray[np.uint8]:
    """`uint8[K, phases]`: different ways to sail, without actions, from which a solution grows."""
    halves = [
        (a,) * (phases - phases // 2) + (b,) * (phases // 2) for a in range(4) for b in range(4)
    ]
    return np.array(list(dict.fromkeys(halves)), np.uint8)


def distance_table(tile: float, beyond: int = 0) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: so much for each tile that lies between the ships beyond a distance."""
    along = np.abs(np.arange(-REACH, REACH + 1))
    away = np.maximum(along[:, None] + along - beyond, 0).astype(np.float32) * np.float32(tile)
    return np.repeat(away[:, :, None], 4, axis=2)


def hopes(seat: int, spent: float) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: what the searching seat makes of poses, as seat 0 counts it.

    `spent` is the share of turns gone. Where ships lie to each other is otherwise worth nothing:
    with good plans on both sides a turn begun from any poses is close to even, so all that counts
    is what a turn does to hit points, and that the fight takes place.
    """
    hope = np.float32(CONFIDENCE * (1 - spent)) - distance_table(CHASE, CHASE_BEYOND)
    hope -= distance_table(URGENCY * spent)
    return hope if seat == 0 else -hope
