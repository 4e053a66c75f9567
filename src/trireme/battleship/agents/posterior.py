"""Posterior: fire at the cell that most probably holds a ship, given all answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.battleship.belief.posterior import LIMIT, SAMPLES, Belief
from trireme.core.options import option

from .belief_agent import BeliefAgent
from .opening_book import book_cell
from .shooting_agent import TargetView, top_cells


@dataclass
class Posterior(BeliefAgent):
    """Computes the posterior over all fleets and fires at the most probable cell."""

    name: ClassVar[str] = "posterior"

    limit: int = option(
        LIMIT,
        "steps of exact enumeration before it samples instead; more: exact more often, but slower",
    )
    samples: int = option(
        SAMPLES,
        "fleets to sample where enumeration is too long; more: better estimates, but slower",
    )
    book: bool = option(True, "play the first shots from the opening book")

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        if self.book and (cell := book_cell(target)) is not None:
            return [cell]
        return top_cells(self.belief(target, rng).cells, target, None)

    def warm_up(self, target: TargetView) -> None:
        brief = replace(self, book=False, limit=1_000, samples=16)
        brief.aim(target, np.random.default_rng(0))

    def belief(self, target: TargetView, rng: Generator) -> Belief:
        """The posterior over fleets, given all answers."""
        return self.inference(target).posterior(
            target.shots, rng, limit=self.limit, samples=self.samples
        )
