"""Lookahead: one step of policy improvement over the posterior, on a tree of beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...core.options import option
from ..batch import ships_of, words
from ..belief import LIMIT, Fleets
from ..board import Board
from ..lookahead_kernels import Listed, compare, compare_deep, unpack
from .book import booked
from .gunner import Floats, Sight, best
from .posterior import Believing

SURE = 1 - 1e-9
KEPT = 3
"""Candidates that go from the screening to the full comparison."""
REACH = 5
"""Candidates for each of two shots, where it searches two."""
FEW = 2_000
"""Fleets that are compared without a screening."""


@dataclass
class Lookahead(Believing):
    """Compares its best shots by the misses that greedy play would need after each.

    It does so once the fleets that agree with the answers are few enough to list; when they are
    very few, the second shot is searched too. Before that it fires as the posterior does: trees
    over samples of more fleets did not make it stronger, because good shots differ by less than
    the noise.
    """

    name: ClassVar[str] = "lookahead"

    fleets: int = option(10_000, "most fleets that it lists and searches")
    deep: int = option(2_500, "most fleets for which it searches the second shot too")
    width: int = option(10, "candidates to compare")
    ratio: float = option(0.5, "least probability of a candidate, relative to the likeliest cell")
    limit: int = option(LIMIT, "steps of exact counting before it samples fleets instead")
    book: bool = option(True, "use the opening book")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        if self.book and sight.salvo == 1:
            cell = booked(sight)
            if cell is not None:
                return [cell]
        believer = self.believer(sight)
        belief = believer.believe(sight.shots, rng, limit=self.limit)
        cells = self.candidates(belief.cells)
        many = not belief.exact or belief.fleets > self.fleets
        if many or sight.salvo > 1 or belief.cells.max() >= SURE or len(cells) == 1:
            return best(belief.cells, sight, None)
        fleets = believer.fleets(sight.shots, belief, self.fleets, rng)
        return [self.compared(sight, cells, fleets, rng)]

    def rehearse(self, sight: Sight) -> None:
        rng = np.random.default_rng(0)
        believer = self.believer(sight)
        belief = believer.believe(sight.shots, rng, limit=1_000, samples=16)
        fleets = believer.fleets(sight.shots, belief, 16, rng)
        self.compared(sight, self.candidates(belief.cells), fleets, rng)

    def candidates(self, chances: Floats) -> NDArray[np.int64]:
        """The cells worth comparing, likeliest first."""
        order = np.argsort(-chances, kind="stable")[: self.width]
        kept = order[chances[order] >= self.ratio * chances[order[0]]]
        return np.asarray(kept, np.int64)

    def compared(
        self, sight: Sight, cells: NDArray[np.int64], fleets: Fleets, rng: Generator
    ) -> int:
        """The one of `cells` that leaves the fewest misses to expect."""
        order = rng.permutation(len(fleets.weights))
        listed = listed_fleets(sight.board, fleets.layouts[order], fleets.weights[order])
        fired = sum(sight.board.bit(shot.cell) for shot in sight.shots)
        shot = np.array(words(fired), np.uint64)
        misses = np.zeros(len(cells))
        if len(order) > FEW and len(cells) > KEPT:
            compare(cells, shot, listed, len(order) // 4, misses)
            cells = cells[np.argsort(misses, kind="stable")[:KEPT]]
            misses = np.zeros(len(cells))
        compare(cells, shot, listed, len(order), misses)
        if len(order) <= self.deep:
            cells = cells[np.argsort(misses, kind="stable")[:REACH]]
            misses = np.zeros(len(cells))
            compare_deep(cells, shot, listed, REACH, misses)
        return int(cells[misses.argmin()])


def listed_fleets(board: Board, layouts: NDArray[np.int16], weights: NDArray[np.float64]) -> Listed:
    """Fleets as the kernels of the tree want them."""
    ships = ships_of(board)
    n, cells = len(weights), board.rows * board.cols
    listed = Listed(
        owner=np.empty((n, cells), np.int8),
        cells=np.empty((n, sum(board.sizes)), np.uint8),
        masks=np.empty((n, len(board.sizes), 3), np.uint64),
        weights=np.ascontiguousarray(weights),
        kinds=ships.kinds,
    )
    unpack(np.ascontiguousarray(layouts), ships, listed)
    return listed
