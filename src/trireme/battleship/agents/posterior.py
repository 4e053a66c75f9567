"""The exact posterior: fire at the cell that most likely holds a ship."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.battleship.belief.posterior import LIMIT, SAMPLES, Belief, Believer
from trireme.battleship.board import Board
from trireme.core.options import option

from .book import booked
from .gunner import Gunner, Sight, best


class Believing(Gunner):
    """A gunner that keeps a believer for every kind of board it meets."""

    def believer(self, sight: Sight) -> Believer:
        known: dict[tuple[Board, bool], Believer] = self.__dict__.setdefault("_believers", {})
        key = sight.board, sight.uniform
        if key not in known:
            known[key] = Believer(sight.board, uniform=sight.uniform)
        return known[key]


@dataclass
class Posterior(Believing):
    """Weighs every fleet that agrees with the answers, and fires at the likeliest cell."""

    name: ClassVar[str] = "posterior"

    limit: int = option(LIMIT, "steps of exact counting before it samples fleets instead")
    samples: int = option(SAMPLES, "fleets to sample where exact counting is too long")
    book: bool = option(True, "use the opening book")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        if self.book and sight.salvo == 1:
            cell = booked(sight)
            if cell is not None:
                return [cell]
        return best(self.belief(sight, rng).cells, sight, None)

    def rehearse(self, sight: Sight) -> None:
        brief = replace(self, book=False, limit=1_000, samples=16)
        brief.aim(sight, np.random.default_rng(0))

    def belief(self, sight: Sight, rng: Generator) -> Belief:
        """The posterior about the fleet, given all answers."""
        return self.believer(sight).believe(
            sight.shots, rng, limit=self.limit, samples=self.samples
        )
