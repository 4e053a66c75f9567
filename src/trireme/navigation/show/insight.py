"""Insight for clients: the Nash equilibrium of a turn, as plain JSON values."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from trireme.core.game import AnyGame, Seat
from trireme.navigation.agents.nash import Nash
from trireme.navigation.rules import NavigationState
from trireme.navigation.search.plan_analysis import PlanCandidate


def insight(
    game: AnyGame, view: NavigationState, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The mixed strategy of `seat`, most probable plan first, and that of the other seat."""
    analysis = Nash(seconds=seconds).analyse(game, view, seat)
    return {
        "plans": [_plain(candidate) for candidate in analysis.candidates],
        "value": analysis.value,
        "answers": [_plain(candidate) for candidate in analysis.answers],
        "gap": analysis.gap,
    }


def _plain(candidate: PlanCandidate) -> dict[str, Any]:
    return {"plan": candidate.text, "weight": candidate.weight, "value": candidate.value}
