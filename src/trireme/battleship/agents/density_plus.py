"""Density that knows that ships never touch and what a sinking reveals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.core.options import option

from .density import Ties, counted
from .gunner import Gunner, Sight, best


@dataclass
class DensityPlus(Gunner):
    """Density without placements that touch: round sunk ships, beside hits, or wholly hit."""

    name: ClassVar[str] = "density+"

    ties: Ties = option("first", "among equal cells, fire at the first from the top left or any")
    hit: float = option(100.0, "how much more a placement counts for every open hit it covers")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        worth = self.hit ** np.arange(1 + max(sight.board.sizes), dtype=np.float64)
        scores = counted(sight, worth, apart=True)
        return best(scores, sight, rng if self.ties == "random" else None)
