"""Insight for clients: the Nash equilibrium of a turn, as plain JSON values."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from trireme.core.game import AnyGame, Seat
from trireme.navigation.agents.nash import Nash
from trireme.navigation.plans import write_plan
from trireme.navigation.rules import NavigationState
from trireme.navigation.search.plan_analysis import PlanCandidate


def insight(
    game: AnyGame, view: NavigationState, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The mixed strategy of `seat`, most probable plan first, and that of the other seat.

    Every plan comes with its value against the other's mixed strategy, and with its value if the
    other foresaw it, against `answer`: the plans of a mixed strategy are worth about the same, and
    each is played only so often that it can't be foreseen.
    """
    analysis = Nash(seconds=seconds).analyse(game, view, seat)
    return {
        "plans": [_plain(candidate) for candidate in analysis.candidates],
        "value": analysis.value,
        "answers": [_plain(candidate) for candidate in analysis.answers],
        "gap": analysis.gap,
    }


def _plain(candidate: PlanCandidate) -> dict[str, Any]:
    return {
        "plan": candidate.text,
        "weight": candidate.weight,
        "value": candidate.value,
        "foreseen": candidate.foreseen,
        "answer": None if candidate.answer is None else write_plan(candidate.answer),
    }
