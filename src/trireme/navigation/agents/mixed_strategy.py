"""The mixed strategy of any captain in a turn: as it tells it, or sampled."""

from __future__ import annotations

from dataclasses import dataclass, field

from trireme.core.game import AnyAgent, AnyGame, Turn
from trireme.core.seeding import stream
from trireme.navigation.plans import Plan
from trireme.navigation.rules import NavigationState

Mixture = tuple[tuple[Plan, float], ...]
"""A mixed strategy: plans and their probabilities, which sum to 1."""
SAMPLES = 24
"""Plans drawn from an agent that does not tell its mixed strategy."""


def mixture_of(agent: AnyAgent, turn: Turn[Plan, NavigationState]) -> Mixture:
    """The agent's mixed strategy: as it tells it (`think`), or else sampled."""
    if not hasattr(agent, "think"):
        draws = [stream(int(turn.rng.integers(2**62)), turn.seat) for _ in range(SAMPLES)]
        turns = (Turn(turn.game, turn.seat, turn.view, turn.legal, r, turn.seconds) for r in draws)
        return tuple((agent.act(t), 1 / SAMPLES) for t in turns)
    candidates = [c for c in agent.think(turn).candidates if c.weight > 0]
    total = sum(c.weight for c in candidates)
    return tuple((c.plan, c.weight / total) for c in candidates)


@dataclass
class DisclosedAgent:
    """An agent whose mixed strategy of a turn may be asked for before it draws its plan.

    It thinks once a turn, and draws from what it told. An agent that does not tell its mixed
    strategy plays as it would, and is sampled.
    """

    agent: AnyAgent
    name: str = field(init=False)
    told: list[tuple[NavigationState, Mixture]] = field(default_factory=list, repr=False)
    """By turn: what it knew, and its mixed strategy."""
    drawn: list[int | None] = field(default_factory=list)
    """By turn: which plan of its mixture was drawn; None where the mixture is a sample."""

    def __post_init__(self) -> None:
        self.name = str(self.agent.name)

    def prepare(self, game: AnyGame) -> None:
        if hasattr(self.agent, "prepare"):
            self.agent.prepare(game)

    def mixture(self, turn: Turn[Plan, NavigationState]) -> Mixture:
        """Its mixed strategy in a turn of its seat."""
        if not self.told or self.told[-1][0] != turn.view:
            self.told.append((turn.view, mixture_of(self.agent, turn)))
        return self.told[-1][1]

    def act(self, turn: Turn[Plan, NavigationState]) -> Plan:
        if not hasattr(self.agent, "think"):
            self.drawn.append(None)
            plan: Plan = self.agent.act(turn)
            return plan
        mixture = self.mixture(turn)
        number = int(turn.rng.choice(len(mixture), p=[weight for _, weight in mixture]))
        self.drawn.append(number)
        return mixture[number][0]
