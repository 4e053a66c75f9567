"""The search engine: a position, limits, and an analysis of the position."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.random import Generator

from trireme.gomoku.rules import Point

from . import memory_kernels as mem
from .analysis import EngineAnalysis, Report, SearchLimits
from .helper_threads import HelperThreads
from .iterative_deepening import IterativeDeepening
from .network_memory_kernels import new_network_memory
from .operations import EngineOperations
from .orientation import orientations
from .patterns import pattern_tables
from .table_network import TableNetwork, install

TABLE_ROWS = 1 << 20
"""Rows of the transposition table, 16 bytes each."""
THREAT_ROWS = 1 << 18
"""Rows, 8 bytes each, for positions from which a threat search found no win."""
PROOF_ROWS = 1 << 18
"""Rows of the proof table, 24 bytes each."""

Placed = list[tuple[int, int]]
"""Stones and walls: the cell and the colour or WALL of each, in order."""


class Engine:
    """One searcher with its memory; not for two threads at once, except for `stop`."""

    def __init__(
        self,
        size: int = 15,
        exact: bool = True,
        *,
        rows: int = TABLE_ROWS,
        network: TableNetwork | None = None,
        threads: int = 1,
    ) -> None:
        """`network` evaluates positions and orders moves in place of the patterns.

        With more than one thread (lazy SMP) an analysis depends on timing; its nodes are those of
        all threads, but a node limit stops the first one.
        """
        self.size, self.exact = size, exact
        self.network = new_network_memory()
        if network is not None:
            install(network, self.network)
        self.board = mem.new_board(*pattern_tables(exact))
        self.memory = mem.new_search_memory()
        self.tables = mem.new_hash_tables(rows, min(THREAT_ROWS, rows), self.network)
        self.proofs = np.zeros((min(PROOF_ROWS, rows), 3), np.int64)
        self.kernels = EngineOperations(self.board, self.memory, self.tables, self.proofs)
        self.helpers = HelperThreads(threads - 1, self.network)
        self._orientations = orientations(size)
        self._placed: Placed = []
        self.set_position([], 1)

    def stop(self) -> None:
        """End a running analysis as soon as possible; it still gives its best move."""
        self.memory.stop = 1

    def set_position(
        self, stones: Iterable[tuple[Point, int]], to_move: int, walls: Iterable[Point] = ()
    ) -> None:
        """Put `stones` (a point and 1 black or -1 white) on an empty board.

        `walls` are points that nobody may use, as if they were off the board. The order of both
        does not matter, and all eight images of a position are analysed alike: the board gets the
        least of them, or, where some continue the position before, the least of those. Then what
        was found out is kept, else forgotten.
        """
        marks = [(point, _colour(mark)) for point, mark in stones]
        marks += [(point, mem.WALL) for point in walls]
        images = [
            (sorted((mem.cell_of(orientation.image(p)), mark) for p, mark in marks), number)
            for number, orientation in enumerate(self._orientations)
        ]
        continuing = [image for image in images if _continues(image[0], self._placed)]
        if not continuing:
            self._forget()
        self._placed, number = min(continuing or images)
        self._orientation = self._orientations[number]
        self._place()
        self.colour = _colour(to_move)

    def _place(self) -> None:
        """Set up the board."""
        self.network.current = 0
        walls = [cell for cell, mark in self._placed if mark == mem.WALL]
        self.kernels.clear_board(self.size, walls)
        for cell, mark in self._placed:
            if mark != mem.WALL:
                self.kernels.make_move(cell, mark)

    def _forget(self) -> None:
        """Forget all that was found out: the next analysis is not to depend on another game.

        Entries of the transposition table need no clearing: only those of the newest
        `kept_generations` count.
        """
        self.memory.kept_generations = 0
        self.memory.history[:] = 0
        self.proofs[:] = 0
        self.tables.no_win[:] = 0

    def analyse(
        self,
        limits: SearchLimits,
        *,
        top: int = 1,
        jitter: tuple[Generator, int] | None = None,
        report: Report | None = None,
    ) -> EngineAnalysis:
        """Search within `limits` and say what was found.

        `top` is how many moves get exact values. `jitter`, a generator and a size in pattern
        points, varies the choice among moves of nearly the same value. `report` gets the analysis
        after every iteration. With a node limit and no time limit the result depends only on the
        positions of the game that were analysed.
        """
        noise = np.zeros(mem.CELLS, np.int32)
        if jitter is not None:
            noise[:] = jitter[0].integers(0, jitter[1] + 1, mem.CELLS)
        original = self._orientation.original_analysis
        run = IterativeDeepening(
            self.board,
            self.memory,
            self.tables,
            self.proofs,
            self.colour,
            limits,
            top,
            noise,
            None if report is None else lambda analysis: report(original(analysis)),
            self.helpers,
        )
        return original(run.run())


def _colour(mark: int) -> int:
    """The engine's colour for 1 (black) or -1 (white) of the rules."""
    return mem.BLACK if mark == 1 else mem.WHITE


def _continues(placed: Placed, before: Placed) -> bool:
    """Whether there are more stones than before, in their places, and the same walls."""
    new = set(placed) - set(before)
    return set(before) < set(placed) and all(mark != mem.WALL for _, mark in new)
