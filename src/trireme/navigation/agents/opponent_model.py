"""A model of the opponent: which captain it may be, by Bayes' rule on its movements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trireme.core.game import Seat, Turn
from trireme.core.registry import make_agent
from trireme.core.seeding import stream
from trireme.navigation.arrays import pack_plan, unpack_plan
from trireme.navigation.plans import order_count
from trireme.navigation.rules import Navigation, NavigationState
from trireme.navigation.search.double_oracle import MAX_TRUST, PackedMixture, every_movement
from trireme.navigation.search.response_kernels import movement_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Suspect:
    """A captain that the opponent may be: `nash` in some form, or one that does not mix plans."""

    spec: str
    contempt: float
    """The value of an undecided position against it: how much patience pays."""


@dataclass(frozen=True)
class Prediction:
    """A mixed strategy that the opponent is expected to play, to respond to."""

    mixture: PackedMixture
    trust: float
    """The share of turns in which it is assumed to; in the others the opponent plays optimally."""
    contempt: float
    """The value of an undecided position against it."""


RANDOM = "random"
EQUILIBRIUM = "equilibrium"
BEST_RESPONSE = "best response"
TEMPERATURE = 0.005
"""In value, of the quantal response to the own mixed strategy that counts as a best response: those
who answer that well are no suspects, even where they do what the equilibrium would not."""
MYOPIC = "myopic"
"""An opponent that solves the turn without a look at the next: the equilibrium before any leaf was
searched is what it plays, and nearly what all play that solve turns in less time."""
RATIONAL = (EQUILIBRIUM, BEST_RESPONSE, MYOPIC)
"""Opponents that play well."""
SUSPECTS = (
    Suspect(RANDOM, 0.9),
    Suspect("greedy", 0.5),
    Suspect("planner", 0.3),
    Suspect("nash-quick:rounds=12,value=formula,confidence=0.5,naive=0.25,tremble=0", 0.0),
)
PRIOR = 0.08
"""The prior probability of each suspect; the rational share the rest."""
FLOOR = 0.1
"""Share of each prediction that is spread over all movements: nobody is excluded by one turn."""
LEAST_BELIEF = 0.002
"""No belief falls below this, so that an opponent that changes its play is recognised."""
CERTAIN, UNLIKELY = 0.9, 0.01
"""Once the suspects are that probable, no time is spent on those of them that are so unlikely."""
SAMPLES = 32
"""Plans drawn for the random captain, unless the opponent is taken for it."""
PLAYS_AT_RANDOM = 0.7
"""The belief in a random captain from which on it is met as one."""
EVIDENCE = 0.95
"""Below this probability that the opponent is one of the suspects none of them is responded to."""
MYOPIC_TRUST, LEAST_TRUST = 0.85, 0.3
"""The trust in a prediction of the myopic at most, and the least that is worth the time of a
response."""
ANSWER_COST = 10.0
"""How much more a response to the myopic costs against an opponent that answers the own mixed
strategy than it gains against others: the probability of that one counts so many times."""
TELLING = 0.02
"""How far the best movement has to be above the median, in value, for a turn to tell the rational
apart: where all movements are worth the same, each may play any."""
POINTLESS, RANDOM_POINTLESS = 0.1, 0.75
"""How often a phase orders an action that cannot connect: of captains, and of a random one."""


class OpponentModel:
    """Beliefs about the captain in one seat of one game, and what each suspect would play next."""

    def __init__(self, game: Navigation, seat: Seat) -> None:
        self.game, self.seat = game, seat
        self.beliefs = dict.fromkeys((suspect.spec for suspect in SUSPECTS), PRIOR)
        """How probable each suspect is, by spec, and each rational opponent, by name."""
        rest = 1 - sum(self.beliefs.values())
        self.beliefs |= dict.fromkeys(RATIONAL, rest / len(RATIONAL))
        self._agents: dict[str, Any] = {}
        self._predicted: dict[str, PackedMixture] = {}
        self._chances: dict[str, Floats] = {}
        self._myopic: PackedMixture | None = None
        self._telling = 1.0

    @property
    def suspicion(self) -> float:
        """The probability that the opponent is one of the suspects."""
        return sum(self.beliefs[suspect.spec] for suspect in SUSPECTS)

    @property
    def recognised(self) -> bool:
        """Whether the opponent is taken for one of the suspects."""
        return self.suspicion >= EVIDENCE

    @property
    def myopic_trust(self) -> float:
        """The trust in a prediction of the myopic; 0 if it is not worth a response.

        Only an opponent that answers the own mixed strategy makes the response costly. Others that
        play well lose a little to it wherever they are not quite exact.
        """
        others = self.beliefs[EQUILIBRIUM] + self.beliefs[MYOPIC]
        trust = MYOPIC_TRUST * others / (others + ANSWER_COST * self.beliefs[BEST_RESPONSE])
        return trust if trust >= LEAST_TRUST else 0.0

    @property
    def known(self) -> float:
        """The probability that the opponent is one of the suspects, with a prediction."""
        return sum(self.beliefs[spec] for spec in self._predicted)

    @property
    def prediction(self) -> Prediction | None:
        """What to respond to, if anything."""
        if self.recognised:
            if not self.known:
                return None
            return Prediction(self.mixture(), min(MAX_TRUST, self.known), self.contempt)
        if self._myopic is None or not self.myopic_trust:
            return None
        return Prediction(self._myopic, self.myopic_trust, 0.0)

    @property
    def plays_at_random(self) -> bool:
        """Whether the opponent is taken for one that plays at random."""
        return self.beliefs[RANDOM] >= PLAYS_AT_RANDOM

    @property
    def contempt(self) -> float:
        """The value of an undecided position against this opponent, by the beliefs."""
        return sum(suspect.contempt * self.beliefs[suspect.spec] for suspect in SUSPECTS)

    def predict(
        self,
        view: NavigationState,
        equilibrium: PackedMixture,
        values: Floats,
        stop: Callable[[], bool],
        myopic: PackedMixture | None = None,
    ) -> None:
        """Predict the plans of every suspect; those that `stop` leaves no time for stay out.

        The rational play their `equilibrium`, or the `myopic` one where that is another, or
        respond: `values: float64[M]` are their best by movement against the mixed strategy that
        they meet.
        """
        self._predicted, self._myopic = {}, myopic
        self._telling = min(1.0, float(values.max() - np.median(values)) / TELLING)
        response = np.exp((values - values.max()) / TEMPERATURE)
        self._chances = {
            EQUILIBRIUM: self._by_movement(equilibrium),
            BEST_RESPONSE: response / response.sum(),
            MYOPIC: self._by_movement(equilibrium if myopic is None else myopic),
        }
        certain = self.suspicion >= CERTAIN
        for suspect in sorted(SUSPECTS, key=lambda suspect: -self.beliefs[suspect.spec]):
            if stop() or (certain and self.beliefs[suspect.spec] < UNLIKELY):
                break
            spec = suspect.spec
            self._predicted[spec], expected = self._plans_of(spec, view, stop)
            even = np.full(len(values), 1 / len(values))
            self._chances[spec] = even if spec == RANDOM else self._by_movement(expected)

    def mixture(self) -> PackedMixture:
        """The predicted plans and their probabilities, given that it is a suspect."""
        known, predicted = self.known, self._predicted.items()
        plans = [mixture[0] for _, mixture in predicted]
        chances = [self.beliefs[spec] / known * mixture[1] for spec, mixture in predicted]
        return np.concatenate(plans), np.concatenate(chances)

    def observe(self, plan: NDArray[np.uint8], contacts: NDArray[np.uint16]) -> None:
        """Update the beliefs by the plan that was played after the last prediction.

        `contacts` are what its plans could connect (`DoubleOracle.contacts`): actions that cannot
        connect few but a random captain order.
        """
        movement, even = movement_of(plan), 1 / 4**self.game.phases
        chances = {
            name: (1 - FLOOR) * float(by_movement[movement]) + FLOOR * even
            for name, by_movement in self._chances.items()
        }
        pointless = pointless_actions(plan, contacts)
        ratio = RANDOM_POINTLESS / POINTLESS, (1 - RANDOM_POINTLESS) / (1 - POINTLESS)
        if RANDOM in chances:
            chances[RANDOM] *= ratio[0] ** pointless * ratio[1] ** (len(plan) - pointless)
        rational = self._temper(chances)
        posterior = {
            name: belief * chances.get(name, rational) for name, belief in self.beliefs.items()
        }
        total = sum(posterior.values())
        raised = {spec: max(b / total, LEAST_BELIEF) for spec, b in posterior.items()}
        total = sum(raised.values())
        self.beliefs = {spec: belief / total for spec, belief in raised.items()}

    def _temper(self, chances: dict[str, float]) -> float:
        """Temper the likelihoods of the rational, in place; returns their mean by the beliefs.

        Where the turn tells little, each gets nearly the mean; the mean itself stays what it was.
        """
        weights = np.array([self.beliefs[name] for name in RATIONAL])
        found = np.array([chances[name] for name in RATIONAL])
        mean = float(weights @ found / weights.sum())
        tempered = (found / mean) ** self._telling
        tempered *= mean * weights.sum() / (weights @ tempered)
        chances |= dict(zip(RATIONAL, map(float, tempered), strict=True))
        return mean

    def _all_random(self) -> NDArray[np.uint8]:
        """`uint8[K, phases]`: plans that are in every phase as likely as a random captain's orders.

        Each movement with each action in all phases: no danger is too rare to be among them.
        """
        phases, ship, legal = (
            self.game.phases,
            self.game.types[self.seat],
            self.game.plans[self.seat],
        )
        stay = np.arange(order_count(ship), dtype=np.uint8)[::4]
        allowed = [order for order in stay if unpack_plan(np.full(phases, order), ship) in legal]
        return np.concatenate([every_movement(phases) + action for action in allowed])

    def _by_movement(self, mixture: PackedMixture) -> Floats:
        """`float64[M]`: the probability of each movement in a mixed strategy."""
        found = np.zeros(4**self.game.phases)
        for plan, chance in zip(*mixture, strict=True):
            found[movement_of(plan)] += chance
        return found

    def _plans_of(
        self, spec: str, view: NavigationState, stop: Callable[[], bool]
    ) -> tuple[PackedMixture, PackedMixture]:
        """What a suspect plays, to respond to, and the same more broadly, to recognise it by.

        Its equilibrium is seldom the only one. Others that it may play are expected too, but to
        respond to them as well gains less.
        """
        game, ship, legal = self.game, self.game.types[self.seat], self.game.plans[self.seat]
        rng = stream(view.turn, self.seat)
        if spec == RANDOM:
            if self.plays_at_random:
                plans = self._all_random()
            else:
                plans = np.stack([pack_plan(legal.sample(rng), ship) for _ in range(SAMPLES)])
            even = plans, np.full(len(plans), 1 / len(plans))
            return even, even
        if spec not in self._agents:
            self._agents[spec] = make_agent(game, spec)
        agent = self._agents[spec]
        if hasattr(agent, "oracle"):
            oracle = agent.oracle(game, view, self.seat)
            agent.search(oracle, stop)
            return oracle.mixture(self.seat), oracle.quantal_mixture(self.seat, TEMPERATURE)
        plan = agent.act(Turn(game, self.seat, view, legal, rng))
        certain = pack_plan(plan, ship)[None], np.ones(1)
        return certain, certain


def pointless_actions(plan: NDArray[np.uint8], contacts: NDArray[np.uint16]) -> int:
    """How many actions of a plan could not connect, whatever the other ship did."""
    count, movement, phases = 0, movement_of(plan), len(plan)
    for phase in range(phases):
        action = int(plan[phase]) >> 2
        if action == 0:
            continue
        side = action if action < 3 else (8 if (action - 3) & 1 else 4)
        count += not (contacts[:, phase, movement >> 2 * (phases - 1 - phase)] & side).any()
    return count
