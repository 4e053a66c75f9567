"""The double oracle: Nash equilibria of a turn's simultaneous plans, from any position.

Both seats begin with a few plans. The restricted matrix game among those is solved by regret
matching+; each seat adds its best responses, out of all its plans, to the other's mixed strategy;
and so on until neither gains. The gap, what both could gain together by deviating, bounds how far
the mixed strategies are from an equilibrium of the whole turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trireme.navigation.arrays import (
    Ints,
    pack_plan,
    pack_ships,
    rules_array,
    sea_array,
    stats_array,
    unpack_plan,
)
from trireme.navigation.kernels import mobility_loss
from trireme.navigation.plans import Plan
from trireme.navigation.rules import Navigation, NavigationState

from .plan_analysis import PlanAnalysis, PlanCandidate
from .regret_matching_kernels import regret_matching_plus
from .search_kernels import (
    REACH,
    TurnArrays,
    best_responses,
    hit_point_values,
    payoffs,
    simulate_new_movements,
)

PlanArray = NDArray[np.uint8]
Floats = NDArray[np.float64]

MOBILITY_WEIGHT = 0.08
"""What a ship without any mobility loses in value."""
CHASE, CHASE_BEYOND = 0.006, 8
"""The cost to the searching seat of each tile of distance beyond so many: it seeks the enemy."""
URGENCY = 0.006
"""The cost of each tile of distance at the turn limit; less before, in proportion."""
LEAST_WEIGHT = 0.002
"""Plans with a lower probability than this are left out of a mixed strategy."""
MAX_PLANS = 256
"""Plans that one seat may have in the restricted game."""
MAX_NEW_PLANS = 16
"""Best responses that a seat adds in one iteration, for as many of its best movements."""


@dataclass(frozen=True)
class SearchBias:
    """How the searching seat departs from the plain equilibrium of a turn."""

    confidence: float = 0.0
    """Contempt: value added to positions in which nothing is decided, so that the seat prefers a
    long fight to a risky grapple. Fades to 0 at the turn limit."""
    naive: float = 0.0
    """Restricted Nash response: the probability that the other seat plays a naive model, which
    responds to a ship that stands still or sails at random; otherwise it plays optimally."""


UNBIASED = SearchBias()
"""The plain equilibrium of a turn."""


class MovementCache:
    """The simulated movements of one seat against each movement of the other: see `search_kernels`.

    With M = 4 ^ phases movements.
    """

    def __init__(self, phases: int) -> None:
        total = 4**phases
        self.contacts = np.zeros((total, phases, total), np.uint16)
        """uint16[M, phases, M]: by the other's movement, phase and own movement."""
        self.end_values = np.zeros((total, total))
        """float64[M, M]: by the other's and own movement, the value of the last poses."""
        self.done = np.zeros(total, np.uint8)
        """uint8[M]: 1 for the other's movements that have been simulated."""


class TurnSolver:
    """One game prepared for search: its arrays, and double oracles from any position."""

    def __init__(self, game: Navigation) -> None:
        self.game = game
        self.sea = sea_array(game.chart)
        self.stats = stats_array(game.types)
        self.rules = rules_array(game)
        self.mobility = mobility_loss(self.sea, int(self.rules[0]), 3) * np.float32(MOBILITY_WEIGHT)

    def double_oracle(
        self, view: NavigationState, seat: int, bias: SearchBias = UNBIASED
    ) -> DoubleOracle:
        """A double oracle for this position, searching for `seat`."""
        ships = pack_ships(view.ships, self.game.chart.width)
        return DoubleOracle(self, ships, view.turn, seat, bias)


class DoubleOracle:
    """Both seats' plans and mixed strategies, which grow with every iteration.

    Values in arrays are those to seat 0.
    """

    def __init__(
        self, solver: TurnSolver, ships: Ints, turn: int, seat: int, bias: SearchBias
    ) -> None:
        self.solver = solver
        self.seat = seat
        self.turn = TurnArrays(
            sea=solver.sea,
            stats=solver.stats,
            rules=solver.rules,
            ships=ships,
            mobility=solver.mobility,
            poses=pose_values(seat, turn / solver.game.turn_limit, bias.confidence),
            hp_values=hit_point_values(solver.stats, solver.rules, turn + 1),
        )
        openings = opening_moves(solver.game.phases)
        self.plans = [openings, openings]
        self.weights = [np.zeros(0), np.zeros(0)]
        """The mixed strategies, over the plans of the last restricted game solved."""
        self.value = 0.0
        """The value of the restricted game to the searching seat."""
        self.gap = 2.0
        """What both seats together could gain by deviating from the mixed strategies."""
        self.max_combinations = 625
        """Combinations of actions that a best response tries for a movement; 625 are all."""
        self._caches = MovementCache(solver.game.phases), MovementCache(solver.game.phases)
        self._matrix = np.zeros((0, 0))
        self._naive_payoffs = np.zeros(0)
        """The payoffs of the searching seat's plans against the naive model."""
        self._naive = bias.naive
        self._naive_plans = self._naive_responses() if bias.naive else openings[:1]

    def improve(self, rounds: int = 1, tolerance: float = 0.005) -> None:
        """Run so many iterations of the double oracle, fewer if the gap falls below `tolerance`."""
        for _ in range(rounds):
            self._solve_restricted_game(0.2 * tolerance)
            best = [self._responses(own) for own in (0, 1)]
            own, other = best[self.seat][1].max(), best[1 - self.seat][1].max()
            known = self._naive_payoffs @ self.weights[self.seat] * (1 if self.seat == 0 else -1)
            self.gap = float(own - (self._naive * known - (1 - self._naive) * other))
            grown = [self._add_responses(seat, *best[seat]) for seat in (0, 1)]
            if self.gap < tolerance or not any(grown):
                break

    def _solve_restricted_game(self, tolerance: float) -> None:
        """Solve the matrix game among the plans found so far, by regret matching+."""
        self._extend_payoffs()
        k, m = self._matrix.shape
        naive = self._naive_payoffs[:, None] if self.seat == 0 else self._naive_payoffs
        expected = np.ascontiguousarray((1 - self._naive) * self._matrix + self._naive * naive)
        weights = [np.zeros(k), np.zeros(m)]
        for new, old in zip(weights, self.weights, strict=True):
            new[: len(old)] = old
        value, _ = regret_matching_plus(expected, k, m, 300, tolerance, weights[0], weights[1])
        self.weights = weights
        self.value = float(value if self.seat == 0 else -value)

    def _extend_payoffs(self) -> None:
        """Extend the payoff matrix by the plans added since."""
        old = self._matrix.shape
        size = len(self.plans[0]), len(self.plans[1])
        matrix = np.zeros(size)
        matrix[: old[0], : old[1]] = self._matrix
        matrix[old[0] :] = self.payoffs(self.plans[0][old[0] :], self.plans[1])
        matrix[: old[0], old[1] :] = self.payoffs(self.plans[0][: old[0]], self.plans[1][old[1] :])
        self._matrix = matrix
        new = self.plans[self.seat][len(self._naive_payoffs) :]
        if self.seat == 0:
            added = self.payoffs(new, self._naive_plans).mean(axis=1)
        else:
            added = self.payoffs(self._naive_plans, new).mean(axis=0)
        self._naive_payoffs = np.concatenate([self._naive_payoffs, added])

    def payoffs(self, first: PlanArray, second: PlanArray) -> Floats:
        """The payoff matrix `float64[K, L]`: the value to seat 0 of its plans against seat 1's."""
        cache, movements = self._simulated(0, second)
        values: Floats = payoffs(
            self.turn, first, second, movements, cache.contacts, cache.end_values
        )
        return values

    def _simulated(self, own: int, answers: PlanArray) -> tuple[MovementCache, NDArray[np.int64]]:
        """The cache of `own` with all movements of these plans simulated, and those movements."""
        cache = self._caches[own]
        movements = simulate_new_movements(
            self.turn, own, answers, cache.contacts, cache.end_values, cache.done
        )
        return cache, movements

    def _responses(self, own: int) -> tuple[PlanArray, Floats]:
        """The best response for every movement to what the other is assumed to play."""
        weights = self.weights[1 - own]
        live = weights > 1e-3
        plans, weights = self.plans[1 - own][: len(weights)][live], weights[live]
        weights = weights / weights.sum()
        if own == self.seat and self._naive:
            naive = np.full(len(self._naive_plans), self._naive / len(self._naive_plans))
            plans = np.concatenate([plans, self._naive_plans])
            weights = np.concatenate([(1 - self._naive) * weights, naive])
        return self.responses(own, plans, weights)

    def responses(self, own: int, answers: PlanArray, weights: Floats) -> tuple[PlanArray, Floats]:
        """(plans, values): the best response of `own` for every movement, to a mixed strategy."""
        phases = self.solver.game.phases
        best, values = np.zeros((4**phases, phases), np.uint8), np.zeros(4**phases)
        cache, movements = self._simulated(own, answers)
        best_responses(
            self.turn,
            own,
            answers,
            movements,
            weights,
            cache.contacts,
            cache.end_values,
            self.max_combinations,
            best,
            values,
        )
        return best, values

    def _naive_responses(self) -> PlanArray:
        """The naive model: best responses to a ship at rest, and to one that sails at random and
        fires when it can."""
        sailing = opening_moves(self.solver.game.phases)
        equal = np.full(len(sailing), 1 / len(sailing))
        armed, _ = self.responses(self.seat, sailing, equal)
        numbers = [int(m) for m in self._simulated(self.seat, sailing)[1]]
        found = []
        for expected, count in ((sailing[:1], 4), (armed[numbers], 8)):
            weights = np.full(len(expected), 1 / len(expected))
            plans, values = self.responses(1 - self.seat, expected, weights)
            found.append(plans[np.argsort(-values, kind="stable")[:count]])
        return np.concatenate(found)

    def _add_responses(self, seat: int, plans: PlanArray, values: Floats) -> bool:
        """Add the best of these plans that are new; returns whether there were any."""
        floor = self.value if seat == self.seat else -2.0
        top = np.argsort(-values, kind="stable")[:MAX_NEW_PLANS]
        known = {plan.tobytes() for plan in self.plans[seat]}
        new = [i for i in top if values[i] > floor and plans[i].tobytes() not in known]
        new = new[: MAX_PLANS - len(known)]
        self.plans[seat] = np.concatenate([self.plans[seat], plans[new]])
        return bool(new)

    def best_response(self, seat: int, plans: Sequence[Plan], weights: Sequence[float]) -> Plan:
        """The best response of `seat` to a mixed strategy of the other."""
        types = self.solver.game.types
        packed = np.stack([pack_plan(plan, types[1 - seat]) for plan in plans])
        best, values = self.responses(seat, packed, np.array(weights, np.float64))
        return unpack_plan(best[int(values.argmax())], types[seat])

    def analysis(self) -> PlanAnalysis:
        """The mixed strategies found, from the searching seat's side."""
        first, second = self.weights
        sides = (
            self._candidates(0, self._matrix @ second),
            self._candidates(1, -(first @ self._matrix)),
        )
        return PlanAnalysis(sides[self.seat], self.value, sides[1 - self.seat], self.gap)

    def _candidates(self, seat: int, values: Floats) -> tuple[PlanCandidate, ...]:
        ship, weights = self.solver.game.types[seat], self.weights[seat]
        kept = weights[weights > LEAST_WEIGHT].sum()
        return tuple(
            PlanCandidate(
                unpack_plan(self.plans[seat][i], ship), float(values[i]), float(weights[i] / kept)
            )
            for i in np.argsort(-weights, kind="stable")
            if weights[i] > LEAST_WEIGHT
        )


def opening_moves(phases: int) -> PlanArray:
    """`uint8[K, phases]`: the initial plans, movements without actions; the first is to stay."""
    first, second = phases - phases // 2, phases // 2
    moves = [(a,) * first + (b,) * second for a in range(4) for b in range(4)]
    return np.array(list(dict.fromkeys(moves)), np.uint8)


def distance_table(tile: float, beyond: int = 0) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: `tile` for each tile of distance between the ships beyond `beyond`."""
    along = np.abs(np.arange(-REACH, REACH + 1))
    away = np.maximum(along[:, None] + along - beyond, 0).astype(np.float32) * np.float32(tile)
    return np.repeat(away[:, :, None], 4, axis=2)


def pose_values(seat: int, spent: float, confidence: float) -> NDArray[np.float32]:
    """`float32[N, N, 4]`: the value of relative poses to seat 0, with the searching seat's bias.

    `spent` is the share of turns gone. Relative poses otherwise have no value: with good plans on
    both sides a turn begun from any poses is close to even, so all that counts is what a turn does
    to hit points, and that the fight takes place.
    """
    value = np.float32(confidence * (1 - spent)) - distance_table(CHASE, CHASE_BEYOND)
    value -= distance_table(URGENCY * spent)
    return value if seat == 0 else -value
