"""Monte-Carlo tree search in the shooter's game against nature; it can stop at any time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.random import Generator

from trireme.battleship.agents.mcts_kernels import Tree, open_node, simulate
from trireme.battleship.belief.posterior import Fleets
from trireme.core.options import option

from .gunner import Sight, best
from .lookahead import SURE, listed_fleets
from .posterior import Believing

NODES = 20_000
ROUNDS = 32
"""Simulations between two looks at the clock."""


@dataclass
class Mcts(Believing):
    """Searches a tree of shots and answers over sampled fleets, as long as its time lasts."""

    name: ClassVar[str] = "mcts"

    seconds: float = option(0.1, "time for a shot, unless the game allows less")
    simulations: int = option(2000, "simulations after which it is sure enough")
    fleets: int = option(500, "fleets in its belief")
    width: int = option(8, "shots that a position considers")
    explore: float = option(1.0, "misses by which an untried shot is thought better than it looks")
    limit: int = option(200_000, "steps of exact counting before it samples fleets instead")

    def aim(self, sight: Sight, rng: Generator) -> Sequence[int]:
        started = time.perf_counter()
        believer = self.believer(sight)
        belief = believer.believe(sight.shots, rng, limit=self.limit, samples=5_000)
        if sight.salvo > 1 or belief.cells.max() >= SURE:
            return best(belief.cells, sight, None)
        fleets = believer.fleets(sight.shots, belief, self.fleets, rng)
        budget = self.seconds if sight.seconds is None else min(self.seconds, 0.8 * sight.seconds)
        return [self._search(sight, fleets, rng, started + budget)]

    def rehearse(self, sight: Sight) -> None:
        brief = replace(self, simulations=1, limit=1_000)
        brief.aim(sight, np.random.default_rng(0))

    def _search(self, sight: Sight, fleets: Fleets, rng: Generator, until: float) -> int:
        alike = rng.choice(len(fleets.weights), self.fleets, p=fleets.weights)
        drawn, weights = fleets.layouts[alike], np.ones(self.fleets)
        listed = listed_fleets(sight.board, drawn, weights, sight.fired)
        cells = sight.board.rows * sight.board.cols
        tree = self.root(sight)
        chances, part = np.zeros(cells), np.zeros(self.fleets, np.uint64)
        path = np.zeros((cells + 1, 3), np.int64)
        open_node(0, tree, listed, chances)
        if tree.width[0] == 0:
            return int(sight.open.argmax())
        state = np.uint64(rng.integers(2**63))
        for _ in range(0, self.simulations, ROUNDS):
            after = simulate(ROUNDS, state, self.explore, tree, listed, chances, part, path)
            state = np.uint64(after)
            if time.perf_counter() >= until:
                break
        return int(tree.actions[0, tree.visits[0].argmax()])

    def root(self, sight: Sight) -> Tree:
        """A tree of one node, which owns all fleets."""
        answers = len(set(sight.board.sizes)) + 2
        tree = Tree(
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
        tree.seen[0] = sight.fired
        return tree
