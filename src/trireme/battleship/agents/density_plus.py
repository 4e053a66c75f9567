"""Probability density without placements that the rules or the answers exclude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.core.options import option

from .density import Ties, placement_density
from .shooting_agent import ShootingAgent, TargetView, top_cells


@dataclass
class DensityPlus(ShootingAgent):
    """Density without placements that touch a sunk ship or an uncovered hit, or are wholly hit."""

    name: ClassVar[str] = "density+"

    ties: Ties = option(
        "first", "which of equal cells to fire at: the first from the top left, or a random one"
    )
    hit: float = option(
        100.0,
        "factor by which each open hit covered raises a placement's weight; higher: targets more",
    )

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        weights = self.hit ** np.arange(1 + max(target.board.sizes), dtype=np.float64)
        scores = placement_density(target, weights, exclude_impossible=True)
        return top_cells(scores, target, rng if self.ties == "random" else None)
