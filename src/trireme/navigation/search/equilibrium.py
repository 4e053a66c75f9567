"""A game prepared for search: equilibria of whole plans from any position.

The double oracle: both seats begin with a few plans; the game among those is solved; each seat
adds its best responses, out of all its plans, to the other's mixture; and so on until neither
gains. The gap, what both could gain together, says how far that is away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trireme.navigation.kernels import room_to_sail
from trireme.navigation.pack import (
    Ints,
    pack_plan,
    pack_ships,
    rules_array,
    sea_array,
    stats_array,
    unpack_plan,
)
from trireme.navigation.plans import Plan, write_plan
from trireme.navigation.rules import Navigation, NavigationState

from .regret_matching_kernels import equilibrium
from .search_kernels import REACH, best_responses, look, payoffs, standings

Plans = NDArray[np.uint8]
Floats = NDArray[np.float64]

ROOM_WEIGHT = 0.08
CHASE, CHASE_BEYOND = 0.006, 8
"""What a tile of distance beyond so many tiles costs the searching seat: it seeks the enemy."""
URGENCY = 0.006
"""What any tile of distance costs it at the turn limit; less before."""
LEAST_WEIGHT = 0.002
"""Plans that a mixture plays less often than this are left out of it."""
MOST_PLANS = 256
"""Plans that one seat may have in a solution."""
GROW = 16
"""Best responses that a seat takes in at once: as many of its best movements."""


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


@dataclass(frozen=True)
class Outlook:
    """How the searching seat looks at a fight, beyond what the rules say of it."""

    confidence: float = 0.0
    """How far it takes itself to be on the way to winning while nothing is decided: it then rather
    fights on than stakes all on one throw of the hooks. Fades to nothing at the turn limit, where
    waiting wins nothing."""
    naive: float = 0.0
    """The chance that it gives to the other seat planning naively, that is, answering a ship that
    stands still or sails at random; otherwise the other is taken to plan as well as possible."""


PLAIN = Outlook()
"""The plain equilibrium of a turn."""


class Sight:
    """What one seat sees sailing against each movement of the other; see `search_kernels`."""

    def __init__(self, phases: int) -> None:
        total = 4**phases
        self.seen = np.zeros((total, phases, total), np.uint16)
        self.place = np.zeros((total, total))
        self.done = np.zeros(total, np.uint8)


class Battle:
    """The arrays of one game."""

    def __init__(self, game: Navigation) -> None:
        self.game = game
        self.sea = sea_array(game.chart)
        self.stats = stats_array(game.types)
        self.rules = rules_array(game)
        self.room = room_to_sail(self.sea, int(self.rules[0]), 3) * np.float32(ROOM_WEIGHT)

    def solution(self, view: NavigationState, seat: int, outlook: Outlook = PLAIN) -> Solution:
        """The beginning of a solution of this position, as `seat` sees it."""
        ships = pack_ships(view.ships, self.game.chart.width)
        return Solution(self, ships, view.turn, seat, outlook)


class Solution:
    """Both seats' plans and mixtures, growing as long as it is given time.

    Values in arrays are those of seat 0.
    """

    def __init__(self, battle: Battle, ships: Ints, turn: int, seat: int, outlook: Outlook) -> None:
        self.battle = battle
        self.ships = ships
        self.seat = seat
        self.table = hopes(seat, turn / battle.game.turn_limit, outlook.confidence)
        self.worth = standings(battle.stats, battle.rules, turn + 1)
        openings = opening_moves(battle.game.phases)
        self.plans = [openings, openings]
        self.weights = [np.zeros(0), np.zeros(0)]
        """The mixtures, over as many of the plans as have been weighed."""
        self.value = 0.0
        """To the searching seat."""
        self.gap = 2.0
        self.most_tries = 625
        """Combinations of actions that a best response tries for a movement; 625 are all."""
        self._sights = Sight(battle.game.phases), Sight(battle.game.phases)
        self._matrix = np.zeros((0, 0))
        self._belief = np.zeros(0)
        """What the searching seat's plans are worth against a naive other."""
        self._naive = outlook.naive
        self._naive_plans = self._naive_answers() if outlook.naive else openings[:1]

    def improve(self, rounds: int = 1, tolerance: float = 0.005) -> None:
        """Let both seats answer each other so many rounds more, unless neither would gain."""
        for _ in range(rounds):
            self._weigh(0.2 * tolerance)
            best = [self._responses(own) for own in (0, 1)]
            own, other = best[self.seat][1].max(), best[1 - self.seat][1].max()
            known = self._belief @ self.weights[self.seat] * (1 if self.seat == 0 else -1)
            self.gap = float(own - (self._naive * known - (1 - self._naive) * other))
            grown = [self._take_in(seat, *best[seat]) for seat in (0, 1)]
            if self.gap < tolerance or not any(grown):
                break

    def _weigh(self, tolerance: float) -> None:
        """Solve the game among the plans found so far."""
        self._extend()
        k, m = self._matrix.shape
        belief = self._belief[:, None] if self.seat == 0 else self._belief
        believed = np.ascontiguousarray((1 - self._naive) * self._matrix + self._naive * belief)
        weights = [np.zeros(k), np.zeros(m)]
        for new, old in zip(weights, self.weights, strict=True):
            new[: len(old)] = old
        value, _ = equilibrium(believed, k, m, 300, tolerance, weights[0], weights[1])
        self.weights = weights
        self.value = float(value if self.seat == 0 else -value)

    def _extend(self) -> None:
        """Work out the values of plans that have come in since."""
        old = self._matrix.shape
        size = len(self.plans[0]), len(self.plans[1])
        matrix = np.zeros(size)
        matrix[: old[0], : old[1]] = self._matrix
        matrix[old[0] :] = self.payoffs(self.plans[0][old[0] :], self.plans[1])
        matrix[: old[0], old[1] :] = self.payoffs(self.plans[0][: old[0]], self.plans[1][old[1] :])
        self._matrix = matrix
        new = self.plans[self.seat][len(self._belief) :]
        if self.seat == 0:
            worth = self.payoffs(new, self._naive_plans).mean(axis=1)
        else:
            worth = self.payoffs(self._naive_plans, new).mean(axis=0)
        self._belief = np.concatenate([self._belief, worth])

    def payoffs(self, first: Plans, second: Plans) -> Floats:
        """`float64[K, L]`: the value to seat 0 of each of its plans against each of seat 1's."""
        sight, movements = self._look(0, second)
        arrays = (self.battle.stats, self.battle.rules, self.ships, first, second, movements)
        values: Floats = payoffs(*arrays, self.worth, sight.seen, sight.place)
        return values

    def _look(self, own: int, answers: Plans) -> tuple[Sight, NDArray[np.int64]]:
        """What `own` sees sailing against these plans, and their movements."""
        b, sight = self.battle, self._sights[own]
        position = (b.sea, b.stats, b.rules, self.ships, own, answers, b.room, self.table)
        return sight, look(*position, sight.seen, sight.place, sight.done)

    def _responses(self, own: int) -> tuple[Plans, Floats]:
        """The best plan for every movement against what the other is taken to play."""
        weights = self.weights[1 - own]
        live = weights > 1e-3
        plans, weights = self.plans[1 - own][: len(weights)][live], weights[live]
        weights = weights / weights.sum()
        if own == self.seat and self._naive:
            naive = np.full(len(self._naive_plans), self._naive / len(self._naive_plans))
            plans = np.concatenate([plans, self._naive_plans])
            weights = np.concatenate([(1 - self._naive) * weights, naive])
        return self.responses(own, plans, weights)

    def responses(self, own: int, answers: Plans, weights: Floats) -> tuple[Plans, Floats]:
        """(plans, values): the best plan of `own` for every movement, against a mixture."""
        b, phases = self.battle, self.battle.game.phases
        best, values = np.zeros((4**phases, phases), np.uint8), np.zeros(4**phases)
        sight, movements = self._look(own, answers)
        game = (b.stats, b.rules, self.ships, own, answers, movements, weights, self.worth)
        best_responses(*game, sight.seen, sight.place, self.most_tries, best, values)
        return best, values

    def _naive_answers(self) -> Plans:
        """What a naive other would plan: its best answers to a ship at rest, and to one that sails
        anyhow and fires when it can."""
        sailing = opening_moves(self.battle.game.phases)
        equal = np.full(len(sailing), 1 / len(sailing))
        armed, _ = self.responses(self.seat, sailing, equal)
        numbers = [int(m) for m in self._look(self.seat, sailing)[1]]
        found = []
        for expected, count in ((sailing[:1], 4), (armed[numbers], 8)):
            weights = np.full(len(expected), 1 / len(expected))
            plans, values = self.responses(1 - self.seat, expected, weights)
            found.append(plans[np.argsort(-values, kind="stable")[:count]])
        return np.concatenate(found)

    def _take_in(self, seat: int, plans: Plans, values: Floats) -> bool:
        """Add the best of these plans that are new; whether there were any."""
        floor = self.value if seat == self.seat else -2.0
        top = np.argsort(-values, kind="stable")[:GROW]
        known = {plan.tobytes() for plan in self.plans[seat]}
        new = [i for i in top if values[i] > floor and plans[i].tobytes() not in known]
        new = new[: MOST_PLANS - len(known)]
        self.plans[seat] = np.concatenate([self.plans[seat], plans[new]])
        return bool(new)

    def answer(self, seat: int, plans: Sequence[Plan], weights: Sequence[float]) -> Plan:
        """The best plan of `seat` against a mixture of the other's."""
        types = self.battle.game.types
        packed = np.stack([pack_plan(plan, types[1 - seat]) for plan in plans])
        best, values = self.responses(seat, packed, np.array(weights, np.float64))
        return unpack_plan(best[int(values.argmax())], types[seat])

    def thought(self) -> Thought:
        """The solution as its seat tells it."""
        first, second = self.weights
        sides = (
            self._candidates(0, self._matrix @ second),
            self._candidates(1, -(first @ self._matrix)),
        )
        return Thought(sides[self.seat], self.value, sides[1 - self.seat], self.gap)

    def _candidates(self, seat: int, values: Floats) -> tuple[Candidate, ...]:
        ship, weights = self.battle.game.types[seat], self.weights[seat]
        kept = weights[weights > LEAST_WEIGHT].sum()
        return tuple(
            Candidate(
                unpack_plan(self.plans[seat][i], ship), float(values[i]), float(weights[i] / kept)
            )
            for i in np.argsort(-weights, kind="stable")
            if weights[i] > LEAST_WEIGHT
        )


def opening_moves(phases: int) -> Plans:
    """`uint8[K, phases]`: different ways to sail, without actions; the first is to stay."""
    first, second = phases - phases // 2, phases // 2
    moves = [(a,) * first + (b,) * second for a in range(4) for b in range(4)]
    return np.array(list(dict.fromkeys(moves)), np.uint8)


def distance_table(tile: float, beyond: int = 0) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: so much for each tile that lies between the ships beyond a distance."""
    along = np.abs(np.arange(-REACH, REACH + 1))
    away = np.maximum(along[:, None] + along - beyond, 0).astype(np.float32) * np.float32(tile)
    return np.repeat(away[:, :, None], 4, axis=2)


def hopes(seat: int, spent: float, confidence: float) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: what the searching seat makes of poses, as seat 0 counts it.

    `spent` is the share of turns gone. Where ships lie to each other is otherwise worth nothing:
    with good plans on both sides a turn begun from any poses is close to even, so all that counts
    is what a turn does to hit points, and that the fight takes place.
    """
    hope = np.float32(confidence * (1 - spent)) - distance_table(CHASE, CHASE_BEYOND)
    hope -= distance_table(URGENCY * spent)
    return hope if seat == 0 else -hope
