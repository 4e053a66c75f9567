"""Monte-Carlo tree search (UCB1) over determinizations; an anytime algorithm."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.battleship.agents.mcts_kernels import SearchTree, open_node, simulate
from trireme.battleship.belief.posterior import WeightedFleets
from trireme.core.options import option

from .belief_agent import BeliefAgent
from .lookahead import CERTAIN, fleet_arrays
from .shooting_agent import TargetView, top_cells

NODES = 20_000
"""Nodes that the tree has room for."""
DEFAULT_SECONDS, DEFAULT_SIMULATIONS = 0.1, 2000
"""What ends the search of a shot, whichever comes first, where no option says otherwise."""
SHARE_OF_TIME = 0.8
"""The part of the game's time budget that is spent on searching."""
ROUNDS = 32
"""Simulations between two checks of the clock."""


@dataclass
class Mcts(BeliefAgent):
    """Searches a tree of shots and answers over sampled fleets until its time is up."""

    name: ClassVar[str] = "mcts"

    seconds: float | None = option(
        None, "seconds a shot at most; none: 0.1 seconds, or no clock with simulations"
    )
    simulations: int | None = option(
        None, "simulations a shot at most, more: a stronger choice, but slower; none: 2000"
    )
    fleets: int = option(
        500, "fleets sampled from the posterior; more: a better belief, but slower simulations"
    )
    width: int = option(8, "candidate shots in a node; more: a wider, shallower tree")
    explore: float = option(
        1.0, "UCB exploration constant, in misses; higher: explores more before it commits"
    )
    limit: int = option(
        200_000,
        "steps of exact enumeration before it samples instead; more: exact more often, but slower",
    )
    samples: int = option(
        5_000,
        "fleets to sample where enumeration is too long; more: better estimates, but slower",
    )

    @property
    def timed(self) -> bool:
        """Whether a clock of its own stops the search, so that results depend on the machine."""
        return self.seconds is not None or self.simulations is None

    def aim(self, target: TargetView, rng: Generator) -> Sequence[int]:
        started = time.perf_counter()
        inference = self.inference(target)
        belief = inference.posterior(target.shots, rng, limit=self.limit, samples=self.samples)
        if target.salvo > 1 or belief.cells.max() >= CERTAIN:
            return top_cells(belief.cells, target, None)
        fleets = inference.fleets(target.shots, belief, self.fleets, rng)
        return [self._search(target, fleets, rng, started + self._budget(target.seconds))]

    def _budget(self, allowed: float | None) -> float:
        """Seconds for a shot, of which the game has `allowed` so many; infinite without a clock."""
        own = DEFAULT_SECONDS if self.seconds is None else self.seconds
        return min(
            own if self.timed else math.inf,
            math.inf if allowed is None else SHARE_OF_TIME * allowed,
        )

    def warm_up(self, target: TargetView) -> None:
        brief = replace(self, simulations=1, limit=1_000)
        brief.aim(target, np.random.default_rng(0))

    def _search(
        self, target: TargetView, fleets: WeightedFleets, rng: Generator, until: float
    ) -> int:
        sampled = rng.choice(len(fleets.weights), self.fleets, p=fleets.weights)
        drawn, weights = fleets.layouts[sampled], np.ones(self.fleets)
        arrays = fleet_arrays(target.board, drawn, weights, target.fired_bits)
        cells = target.board.rows * target.board.cols
        tree = self.root(target)
        chances, part = np.zeros(cells), np.zeros(self.fleets, np.uint64)
        path = np.zeros((cells + 1, 3), np.int64)
        open_node(0, tree, arrays, chances)
        if tree.width[0] == 0:
            return int(target.open_mask.argmax())
        state = np.uint64(rng.integers(2**63))
        most = DEFAULT_SIMULATIONS if self.simulations is None else self.simulations
        for _ in range(0, most, ROUNDS):
            after = simulate(ROUNDS, state, self.explore, tree, arrays, chances, part, path)
            state = np.uint64(after)
            if time.perf_counter() >= until:
                break
        return int(tree.actions[0, tree.visits[0].argmax()])

    def root(self, target: TargetView) -> SearchTree:
        """A tree of one node, which owns all fleets."""
        answers = len(set(target.board.sizes)) + 2
        tree = SearchTree(
            first=np.zeros(NODES, np.int64),
            size=np.zeros(NODES, np.int64),
            seen=np.zeros((NODES, 3), np.uint64),
            width=np.zeros(NODES, np.int64),
            actions=np.zeros((NODES, self.width), np.uint64),
            visits=np.zeros((NODES, self.width), np.int64),
            misses=np.zeros((NODES, self.width)),
            child=np.zeros((NODES, self.width, answers), np.int32),
            pool=np.zeros(100 * self.fleets, np.uint64),
            used=np.array([1, self.fleets]),
        )
        tree.pool[: self.fleets] = np.arange(self.fleets, dtype=np.uint64)
        tree.size[0] = self.fleets
        tree.seen[0] = target.fired_bits
        return tree
