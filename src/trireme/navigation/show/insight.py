"""What can be known of a position: the equilibrium of its turn, as plain values."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from trireme.core.game import AnyGame, Seat
from trireme.navigation.agents.nash import Nash
from trireme.navigation.rules import NavigationState
from trireme.navigation.search.equilibrium import Candidate


def insight(
    game: AnyGame, view: NavigationState, seat: Seat, seconds: float, rng: Generator
) -> dict[str, Any]:
    """The mixture that the solver would play for `seat`, heaviest plan first, and the answers."""
    thought = Nash(seconds=seconds).weigh(game, view, seat)
    return {
        "plans": [_plain(candidate) for candidate in thought.candidates],
        "value": thought.value,
        "answers": [_plain(candidate) for candidate in thought.answers],
        "gap": thought.gap,
    }


def _plain(candidate: Candidate) -> dict[str, Any]:
    return {"plan": candidate.text, "weight": candidate.weight, "value": candidate.value}
