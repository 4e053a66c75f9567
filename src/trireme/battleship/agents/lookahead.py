"""Lookahead: one step of policy improvement over the posterior, on a tree of beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.agents.lookahead_kernels import Listed, compare, compare_deep, unpack
from trireme.battleship.batch import ships_of
from trireme.battleship.belief.posterior import LIMIT, Fleets
from trireme.battleship.board import Board
from trireme.core.options import option

from .book import booked
from .gunner import Floats, Sight, best
from .posterior import Believing

SURE = 1 - 1e-9
ROUNDS = ((1_500, 4), (4_000, 2))
"""Fleets over which all candidates, then the better ones, are compared, and how many go on."""
REACH = 5
"""Candidates for each of two shots, where it searches two."""


@dataclass
class Lookahead(Believing):
    """Compares its best shots by the misses that greedy play would need after each.

    It does so over all fleets that agree with the answers where they are few enough to list, else
    over a sample drawn by the exact posterior; when they are very few, the second shot is searched
    too. While counting takes long, it fires as the posterior does.
    """

    name: ClassVar[str] = "lookahead"

    fleets: int = option(8_000, "fleets to list; where there are more, so many are drawn")
    deep: int = option(2_000, "most fleets for which it searches the second shot too")
    width: int = option(10, "candidates to compare")
    ratio: float = option(0.5, "least probability of a candidate, relative to the likeliest cell")
    search: int = option(150_000, "steps of exact counting up to which it looks ahead at all")
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
        slow = not belief.exact or believer.steps > self.search
        if slow or sight.salvo > 1 or belief.cells.max() >= SURE or len(cells) == 1:
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
        shot = sight.fired
        listed = listed_fleets(sight.board, fleets.layouts[order], fleets.weights[order], shot)
        for some, kept in ROUNDS:
            if some < len(order) and kept < len(cells):
                cells = cells[compare(cells, shot, listed, some).argsort(kind="stable")[:kept]]
        misses = compare(cells, shot, listed, len(order))
        if len(order) <= self.deep:
            cells = cells[misses.argsort(kind="stable")[:REACH]]
            misses = compare_deep(cells, shot, listed, REACH)
        return int(cells[misses.argmin()])


def listed_fleets(
    board: Board,
    layouts: NDArray[np.int16],
    weights: NDArray[np.float64],
    shot: NDArray[np.uint64],
) -> Listed:
    """Fleets as the kernels of the tree want them; `shot` uint64[3] are the cells shot at."""
    ships = ships_of(board)
    n, cells = len(weights), board.rows * board.cols
    listed = Listed(
        owner=np.empty((n, cells), np.int8),
        cells=np.empty((n, sum(board.sizes)), np.uint8),
        left=np.empty(n, np.uint8),
        masks=np.empty((n, len(board.sizes), 3), np.uint64),
        whole=np.empty((n, 3), np.uint64),
        weights=np.ascontiguousarray(weights),
        kinds=ships.kinds,
    )
    unpack(np.ascontiguousarray(layouts), ships, shot, listed)
    return listed
