"""Lookahead: one step of policy improvement by rollouts of the greedy policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.agents.lookahead_kernels import (
    FleetArrays,
    rollout_misses,
    two_shot_misses,
    unpack_layouts,
)
from trireme.battleship.batch import ships_of
from trireme.battleship.belief.posterior import LIMIT, SAMPLES, WeightedFleets
from trireme.battleship.board import Board
from trireme.core.options import option

from .belief_agent import BeliefAgent
from .opening_book import book_cell
from .shooting_agent import Floats, TargetView, top_cells

CERTAIN = 1 - 1e-9
ROUNDS = ((1_500, 4), (4_000, 2))
"""Successive halving: fleets to compare all candidates over, and how many of them remain."""
DEEP_WIDTH = 5
"""Candidates for each of the two shots of a deep search."""


@dataclass
class Lookahead(BeliefAgent):
    """Policy improvement: compares its best shots by the expected misses of greedy play after each.

    The rollouts run over all fleets that agree with the answers where they are few enough to list,
    else over a sample of the exact posterior; when they are very few, the second shot is searched
    too. While exact enumeration takes long, it fires as the posterior agent does.
    """

    name: ClassVar[str] = "lookahead"

    fleets: int = option(
        8_000, "fleets in a rollout, sampled if there are more; more: better shots, but slower"
    )
    deep: int = option(
        2_000,
        "search the second shot too with up to so many fleets; more: better shots, but slower",
    )
    width: int = option(10, "candidate cells at most; more: a wider search, but slower")
    ratio: float = option(
        0.5, "least probability of a candidate relative to the best cell; lower: a wider search"
    )
    search: int = option(
        150_000, "look ahead only where exact enumeration takes at most so many steps"
    )
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
        inference = self.inference(target)
        belief = inference.posterior(target.shots, rng, limit=self.limit, samples=self.samples)
        cells = self.candidates(belief.cells)
        slow = not belief.exact or inference.steps > self.search
        if slow or target.salvo > 1 or belief.cells.max() >= CERTAIN or len(cells) == 1:
            return top_cells(belief.cells, target, None)
        fleets = inference.fleets(target.shots, belief, self.fleets, rng)
        return [self.best_candidate(target, cells, fleets, rng)]

    def warm_up(self, target: TargetView) -> None:
        rng = np.random.default_rng(0)
        inference = self.inference(target)
        belief = inference.posterior(target.shots, rng, limit=1_000, samples=16)
        fleets = inference.fleets(target.shots, belief, 16, rng)
        self.best_candidate(target, self.candidates(belief.cells), fleets, rng)

    def candidates(self, chances: Floats) -> NDArray[np.int64]:
        """The cells worth comparing, most probable first."""
        order = np.argsort(-chances, kind="stable")[: self.width]
        kept = order[chances[order] >= self.ratio * chances[order[0]]]
        return np.asarray(kept, np.int64)

    def best_candidate(
        self, target: TargetView, cells: NDArray[np.int64], fleets: WeightedFleets, rng: Generator
    ) -> int:
        """The one of `cells` with the fewest expected misses after it."""
        order = rng.permutation(len(fleets.weights))
        shot = target.fired_bits
        arrays = fleet_arrays(target.board, fleets.layouts[order], fleets.weights[order], shot)
        for some, kept in ROUNDS:
            if some < len(order) and kept < len(cells):
                misses = rollout_misses(cells, shot, arrays, some)
                cells = cells[misses.argsort(kind="stable")[:kept]]
        misses = rollout_misses(cells, shot, arrays, len(order))
        if len(order) <= self.deep:
            cells = cells[misses.argsort(kind="stable")[:DEEP_WIDTH]]
            misses = two_shot_misses(cells, shot, arrays, DEEP_WIDTH)
        return int(cells[misses.argmin()])


def fleet_arrays(
    board: Board,
    layouts: NDArray[np.int16],
    weights: NDArray[np.float64],
    shot: NDArray[np.uint64],
) -> FleetArrays:
    """Layouts int16[n, S] unpacked for kernels; `shot` uint64[3] are the cells shot at."""
    ships = ships_of(board)
    n, cells = len(weights), board.rows * board.cols
    arrays = FleetArrays(
        owner=np.empty((n, cells), np.int8),
        cells=np.empty((n, sum(board.sizes)), np.uint8),
        left=np.empty(n, np.uint8),
        masks=np.empty((n, len(board.sizes), 3), np.uint64),
        whole=np.empty((n, 3), np.uint64),
        weights=np.ascontiguousarray(weights),
        kinds=ships.kinds,
    )
    unpack_layouts(np.ascontiguousarray(layouts), ships, shot, arrays)
    return arrays
