"""Adaptive: models the opponent from its past turns, and exploits it within a safety margin."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from trireme.core.errors import BadSpec
from trireme.core.game import Seat, Turn
from trireme.core.options import option
from trireme.core.registry import make_agent
from trireme.core.seeding import stream
from trireme.navigation.arrays import pack_plan
from trireme.navigation.plans import MOVES, Plan
from trireme.navigation.rules import Navigation, NavigationState, as_navigation
from trireme.navigation.search.double_oracle import MAX_TRUST, DoubleOracle
from trireme.navigation.search.plan_analysis import PlanAnalysis

from .attacker import Mixture, mixture_of
from .nash import Nash

SUSPECTS = ("random", "greedy", "planner")
"""Agents that the opponent may be, beside one that plays the equilibrium."""
PRIOR = 0.1
"""The prior probability of each of them; the rest is the equilibrium's."""
FLOOR = 0.1
"""Share of each prediction that is spread over all movements: nobody is excluded by one turn."""
RESPONSE_ROUNDS = 6
"""Iterations of a response where none are set."""
LEAST_TRUST = 0.02
"""Below this probability of a predictable opponent the equilibrium is played."""


@dataclass
class Adaptive(Nash):
    """Plays the equilibrium until the opponent's turns look like those of a weaker captain.

    Then it plays a restricted Nash response: the best it can do against the predicted plans, while
    no opponent can take more than `margin` from what the equilibrium guarantees.
    """

    name: ClassVar[str] = "adaptive"

    margin: float = option(
        0.1,
        "0 to 2: value that it may risk in a turn below the equilibrium's guarantee; higher: "
        "exploits weak play more, and is easier to exploit",
    )
    _beliefs: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _predicted: dict[str, Mixture] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _seen: int = field(default=-1, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.margin <= 2:
            raise BadSpec(f"{self.name}: margin must be 0 to 2, not {self.margin}")

    def think(self, turn: Turn[Plan, NavigationState]) -> PlanAnalysis:
        """The mixed strategy that it would play, and the one it expects of the other seat."""
        game, view, other = as_navigation(turn.game), turn.view, 1 - turn.seat
        self._observe(game, view, other)
        stop = self.stop_watch(turn.seconds)
        plain = self.oracle(game, view, turn.seat)
        self.search(plain, stop)
        expected = plain.analysis()
        asked = Turn(game, other, view, game.plans[other], stream(view.turn, other))
        self._predicted = {s: mixture_of(make_agent(game, s), asked) for s in SUSPECTS}
        self._predicted[self.name] = tuple((c.plan, c.weight) for c in expected.answers)
        self._seen = view.turn
        response = self._response(game, plain)
        return expected if response is None else response.analysis()

    def beliefs(self) -> Mapping[str, float]:
        """How probable each kind of opponent is; under the own name, one at equilibrium."""
        return dict(self._beliefs)

    def _observe(self, game: Navigation, view: NavigationState, other: Seat) -> None:
        """Update the beliefs by the opponent's last plan (Bayes' rule, on movements alone)."""
        if view.turn <= 0 or not self._beliefs:
            self._beliefs = dict.fromkeys(SUSPECTS, PRIOR)
            self._beliefs[self.name] = 1 - sum(self._beliefs.values())
        if view.turn != self._seen + 1 or not view.log or not self._predicted:
            return
        moves = tuple(entry.orders[other].move for entry in view.log)
        for name, mixture in self._predicted.items():
            matching = (w for plan, w in mixture if tuple(o.move for o in plan) == moves)
            even = float(len(MOVES)) ** -len(moves)
            chance = even if name == "random" else (1 - FLOOR) * sum(matching) + FLOOR * even
            self._beliefs[name] *= chance
        total = sum(self._beliefs.values())
        self._beliefs = {name: belief / total for name, belief in self._beliefs.items()}
        self._predicted = {}

    def _response(self, game: Navigation, plain: DoubleOracle) -> DoubleOracle | None:
        """A response to the predicted plans that keeps within the margin; None: there is none."""
        trust = 1 - self._beliefs[self.name]
        plans, chances = self._model(game, 1 - plain.seat, trust)
        guaranteed = plain.guarantee()
        while trust > LEAST_TRUST:
            response = plain.with_model(plans, chances, min(trust, MAX_TRUST))
            response.improve(self.rounds or RESPONSE_ROUNDS)
            if guaranteed - response.guarantee() <= self.margin:
                return response
            trust /= 2
        return None

    def _model(
        self, game: Navigation, seat: Seat, trust: float
    ) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """The predicted plans of the suspects and their probabilities, given it is one of them."""
        rows, chances = [], []
        for name in SUSPECTS:
            for plan, weight in self._predicted.get(name, ()):
                rows.append(pack_plan(plan, game.types[seat]))
                chances.append(weight * self._beliefs[name] / trust)
        return np.stack(rows), np.array(chances)
