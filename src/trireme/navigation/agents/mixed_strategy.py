"""The mixed strategy of any captain in a turn: as it tells it, or sampled."""

from __future__ import annotations

from trireme.core.game import AnyAgent, Turn
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
