"""The reviewer of Battle Navigation: the regret of a plan against the equilibrium of its turn.

Both seats plan at once, so no plan is best in itself. The double oracle solves the turn with a
fixed number of iterations, searching for the seat that is reviewed; a plan costs what it is worth
less than the best response, both against the other seat's equilibrium strategy. Luck is what
remains: the plan against what the other seat did choose, less the plan against that strategy. With
several ships a side a plan is judged as one of the duel with the nearest enemy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.core.game import AnyGame, Seat
from trireme.core.review import Decision, Judgement

from .arrays import pack_plan, unpack_plan
from .duel import duel_at_start, duel_of
from .plans import Plan
from .rules import NavigationState, as_navigation
from .search.double_oracle import LEAST_WEIGHT, DoubleOracle, Floats, PlanArray, TurnSolver
from .search.value_network import load_network

ROUNDS = 16
"""Iterations of the double oracle for a turn."""
TOLERANCE = 0.005
"""The gap at which a turn counts as solved."""
LOST = 0.01
"""Below this winning chance nothing is at stake any more."""
RANDOM_PLANS = 64
"""Uniformly random plans, whose mean regret is what random play would cost."""
LEAST_LUCK = 0.05
"""Luck that a note mentions, in winning chance."""


@dataclass(frozen=True)
class TurnEquilibrium:
    """The equilibrium of one turn: both seats' mixed strategies, and the oracle that found them."""

    oracle: DoubleOracle
    plans: tuple[PlanArray, PlanArray]
    """`uint8[K, phases]` by seat: the plans with a probability."""
    weights: tuple[Floats, Floats]
    """`float64[K]` by seat: their probabilities."""

    def worth(self, seat: Seat, plans: PlanArray, others: PlanArray, weights: Floats) -> Floats:
        """`float64[K]`: the value to `seat` of its plans `uint8[K, phases]` against a mixed
        strategy."""
        if seat == 0:
            return self.oracle.payoffs(plans, others) @ weights
        return -(weights @ self.oracle.payoffs(others, plans))

    def best_response(self, seat: Seat) -> tuple[PlanArray, float]:
        """The best response to the other seat's strategy, and its value to `seat`."""
        other = 1 - seat
        plans, values = self.oracle.responses(seat, self.plans[other], self.weights[other])
        at = int(values.argmax())
        return plans[at], float(values[at])


class NavigationReviewer:
    """Judges plans."""

    unit: ClassVar[str] = "winning chance"
    about: ClassVar[str] = (
        "A plan costs its regret: the winning chance that it has less than the best response, "
        "both against the other seat's equilibrium strategy of that turn. Luck is the plan against "
        "what the other seat chose, less the plan against that strategy."
    )

    def __init__(self, game: AnyGame, moves: int = 0, *, network: bool = True) -> None:
        """The effort of a turn is fixed; `network`: positions after it are valued by the network
        that ships, else by the formula."""
        self.game = as_navigation(game)
        self._network = load_network() if network else None
        self._solver = TurnSolver(duel_at_start(self.game), self._network)

    def judge(self, decision: Decision, rng: Generator) -> Judgement:
        """The judgement of a plan."""
        duel = duel_of(self.game, decision.view, decision.seat)
        seat, other = duel.seat, 1 - duel.seat
        turn = self.equilibrium(decision.view, decision.seat)
        plan = self.pack(duel.own, decision.action)
        plans, weights = turn.plans[other], turn.weights[other]
        expected = float(turn.worth(seat, plan[None], plans, weights)[0])
        best, value = turn.best_response(seat)
        best, value = (plan, expected) if expected >= value else (best, value)
        met = self.pack(duel.enemy, decision.actions[duel.enemy])
        luck = (float(turn.worth(seat, plan[None], met[None], np.ones(1))[0]) - expected) / 2
        chance = (value + 1) / 2
        legal = self.game.plans[duel.own]
        drawn = np.stack([self.pack(duel.own, legal.sample(rng)) for _ in range(RANDOM_PLANS)])
        random_value = float(turn.worth(seat, drawn, plans, weights).mean())
        return Judgement(
            unpack_plan(best, self.game.types[duel.own]),
            (value - expected) / 2,
            (value - random_value) / 2 if chance > LOST else 0.0,
            value=chance,
            luck=luck,
            note=_note(luck, chance),
        )

    def pack(self, seat: Seat, plan: Plan) -> PlanArray:
        """The plan of a seat as `uint8[phases]`."""
        return pack_plan(plan, self.game.types[seat])

    def equilibrium(self, view: NavigationState, seat: Seat) -> TurnEquilibrium:
        """The equilibrium of the turn that begins with `view`, searched for `seat`; with several
        ships a side, of its duel with the nearest enemy."""
        duel = duel_of(self.game, view, seat)
        if duel.game != self._solver.game:
            self._solver = TurnSolver(duel.game, self._network)
        oracle = self._solver.double_oracle(duel.view, duel.seat)
        oracle.improve(ROUNDS, TOLERANCE)
        plans, weights = [], []
        for side in (0, 1):
            found = oracle.weights[side]
            live = found > LEAST_WEIGHT
            plans.append(oracle.plans[side][: len(found)][live].copy())
            weights.append(found[live] / found[live].sum())
        return TurnEquilibrium(oracle, (plans[0], plans[1]), (weights[0], weights[1]))


def _note(luck: float, chance: float) -> str:
    if chance <= LOST:
        return "lost, whatever is planned"
    if abs(luck) < LEAST_LUCK:
        return ""
    return f"{'lucky' if luck > 0 else 'unlucky'}: what the other seat chose was worth {luck:+.0%}"
