"""What an agent concludes about a turn: candidate plans with values, and a mixed strategy."""

from __future__ import annotations

from dataclasses import dataclass

from trireme.navigation.plans import Plan, write_plan


@dataclass(frozen=True)
class PlanCandidate:
    """A plan with its value and its probability in a mixed strategy."""

    plan: Plan
    value: float
    """The expected value to its seat against the other's mixed strategy, -1 lost to 1 won."""
    weight: float
    """The probability with which the agent would play it."""
    foreseen: float | None = None
    """Its value if the other knew it: the reason why one plan is not played always."""
    answer: Plan | None = None
    """The other's plan that then hurts most."""

    @property
    def text(self) -> str:
        return write_plan(self.plan)


@dataclass(frozen=True)
class PlanAnalysis:
    """The mixed strategy that an agent found for a turn: its support, most probable plan first."""

    candidates: tuple[PlanCandidate, ...]
    value: float
    """The value of the position to the seat."""
    answers: tuple[PlanCandidate, ...] = ()
    """The mixed strategy expected of the other seat, with values to that seat."""
    gap: float | None = None
    """The equilibrium gap: what both seats together could gain by deviating."""
