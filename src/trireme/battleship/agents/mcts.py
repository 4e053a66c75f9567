"""Monte-Carlo tree search (MCTS) over sampled fleets; an anytime algorithm."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.battleship.agents.lookahead_kernels import FleetArrays, misses_by_fleet
from trireme.battleship.agents.mcts_kernels import CERTAIN, SearchTree, simulate
from trireme.battleship.belief.posterior import LIMIT, SAMPLES, WeightedFleets
from trireme.core.options import option

from .belief_agent import BeliefAgent
from .lookahead import fleet_arrays
from .opening_book import book_cell
from .shooting_agent import TargetView, top_cells

NODES = 20_000
"""Nodes that the tree has room for."""
POOL = 100
"""Places for fleets in all nodes, in multiples of the root's fleets."""
DEFAULT_SECONDS = 0.1
"""What ends the search of a shot where no option says otherwise."""
SHARE_OF_TIME = 0.8
"""The part of the game's time budget that is spent on searching."""
BATCH = 2_000
"""Fleets that the simulations between two checks of the clock go through, about."""


@dataclass
class Mcts(BeliefAgent):
    """Searches a tree of shots and answers over sampled fleets until its time is up.

    It begins with the greedy shot, the most probable cell, and leaves it only for a better one:
    where the fleets are all there are, by the values of the tree; where they are a sample, if a
    paired test over fresh fleets confirms the gain.
    """

    name: ClassVar[str] = "mcts"

    seconds: float | None = option(
        None, "seconds a shot at most; none: 0.1 seconds, or no clock with simulations"
    )
    simulations: int | None = option(
        None, "simulations a shot at most, more: a stronger choice, but slower; none: no limit"
    )
    fleets: int = option(
        4_000, "fleets in the tree at most; more: a better belief, but slower simulations"
    )
    width: int = option(8, "candidate shots in a node; more: a wider, shallower tree")
    ratio: float = option(
        0.5, "least probability of a candidate relative to the best cell; lower: a wider tree"
    )
    explore: float = option(
        0.3, "UCB exploration constant, in misses; higher: explores more before it commits"
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

    @property
    def timed(self) -> bool:
        """Whether a clock of its own stops the search, so that results depend on the machine."""
        return self.seconds is not None or self.simulations is None

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        until = time.perf_counter() + self._budget(target.seconds)
        if self.book and (cell := book_cell(target)) is not None:
            return [cell]
        inference = self.inference(target)
        belief = inference.posterior(target.shots, rng, limit=self.limit, samples=self.samples)
        greedy = top_cells(belief.cells, target, None)
        if target.salvo > 1 or belief.cells.max() >= CERTAIN:
            return greedy
        found = inference.fleets(target.shots, belief, 2 * self.fleets, rng)
        if time.perf_counter() >= until:
            return greedy
        order = rng.permutation(len(found.weights))
        if found.exact:
            return [self._search(target, _arrays(target, found, order), until)]
        half = len(order) // 2
        chosen = self._search(target, _arrays(target, found, order[:half]), until)
        fresh = _arrays(target, found, order[half:])
        return [chosen] if better(chosen, greedy[0], target, fresh) else greedy

    def _budget(self, allowed: float | None) -> float:
        """Seconds for a shot, of which the game has `allowed` so many; infinite without a clock."""
        own = DEFAULT_SECONDS if self.seconds is None else self.seconds
        return min(
            own if self.timed else math.inf,
            math.inf if allowed is None else SHARE_OF_TIME * allowed,
        )

    def warm_up(self, target: TargetView) -> None:
        brief = replace(self, simulations=1, limit=1_000, fleets=16, samples=16, book=False)
        brief.aim(target, np.random.default_rng(0))

    def _search(self, target: TargetView, fleets: FleetArrays, until: float) -> int:
        """The shot of the least cost that the tree has found when its time is up."""
        tree = self.root(target, fleets)
        simulate(0, self.explore, self.ratio, tree, fleets)
        batch = max(1, BATCH // len(fleets.weights))
        left = math.inf if self.simulations is None else self.simulations
        while left > 0 and time.perf_counter() < until:
            rounds = int(min(batch, left))
            if simulate(rounds, self.explore, self.ratio, tree, fleets) < rounds:
                break
            left -= rounds
        return int(tree.actions[0, tree.cost[0, : tree.width[0]].argmin()])

    def root(self, target: TargetView, fleets: FleetArrays) -> SearchTree:
        """A tree of one node, which owns all fleets."""
        n, answers = len(fleets.weights), len(set(target.board.sizes)) + 2
        tree = SearchTree(
            first=np.zeros(NODES, np.int64),
            size=np.zeros(NODES, np.int64),
            weight=np.zeros(NODES),
            seen=np.zeros((NODES, 3), np.uint64),
            width=np.zeros(NODES, np.int64),
            actions=np.zeros((NODES, self.width), np.uint64),
            visits=np.zeros((NODES, self.width), np.int64),
            cost=np.zeros((NODES, self.width)),
            unsolved=np.zeros((NODES, self.width, answers)),
            followed=np.zeros((NODES, self.width, answers), np.int64),
            child=np.zeros((NODES, self.width, answers), np.int32),
            pool=np.zeros(POOL * n, np.uint64),
            used=np.array([1, n]),
        )
        tree.pool[:n] = np.arange(n, dtype=np.uint64)
        tree.size[0], tree.weight[0] = n, fleets.weights.sum()
        tree.seen[0] = target.fired_bits
        return tree


def better(cell: int, than: int, target: TargetView, fleets: FleetArrays) -> bool:
    """Whether `cell` costs fewer misses than the other one, by more than the standard error.

    The test is paired: both shots, followed by the greedy policy, meet the same fleets.
    """
    if cell == than:
        return False
    shot = target.fired_bits
    gains = misses_by_fleet(than, shot, fleets) - misses_by_fleet(cell, shot, fleets)
    mean = float(np.average(gains, weights=fleets.weights))
    share = fleets.weights / fleets.weights.sum()
    return mean > math.sqrt(float(np.sum((share * (gains - mean)) ** 2)))


def _arrays(target: TargetView, found: WeightedFleets, which: NDArray[np.intp]) -> FleetArrays:
    """Some of the fleets, unpacked, with weights that sum to 1."""
    weights = found.weights[which] / found.weights[which].sum()
    return fleet_arrays(target.board, found.layouts[which], weights, target.fired_bits)
