"""The search engine: a position, limits, and an analysis of the position."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.random import Generator

from trireme.gomoku.rules import Point

from . import memory_kernels as mem
from .analysis import EngineAnalysis, Report, SearchLimits
from .board_kernels import clear_board, make_move
from .helper_threads import HelperThreads
from .iterative_deepening import IterativeDeepening
from .network_memory_kernels import new_network_memory
from .patterns import pattern_tables
from .table_network import TableNetwork, install

TABLE_ROWS = 1 << 20
"""Rows of the transposition table, 16 bytes each."""
THREAT_ROWS = 1 << 18
"""Rows, 8 bytes each, for positions from which a threat search found no win."""
PROOF_ROWS = 1 << 18
"""Rows of the proof table, 24 bytes each."""


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
        """`network` evaluates positions in place of the patterns, in one thread only.

        With more than one thread (lazy SMP) an analysis depends on timing; its nodes are those of
        all threads, but a node limit stops the first one.
        """
        self.size, self.exact = size, exact
        self.network = None if network is None else new_network_memory()
        if network is not None and self.network is not None:
            install(network, self.network)
        self.board = mem.new_board(*pattern_tables(exact))
        self.memory = mem.new_search_memory()
        self.tables = mem.new_hash_tables(rows, min(THREAT_ROWS, rows), self.network)
        self.proofs = np.zeros((min(PROOF_ROWS, rows), 3), np.int64)
        self.helpers = HelperThreads(threads - 1)
        self._stones: set[tuple[int, int]] = set()
        self._walls: list[int] = []
        self.set_position([], 1)

    def stop(self) -> None:
        """End a running analysis as soon as possible; it still gives its best move."""
        self.memory.stop = 1

    def set_position(
        self, stones: Iterable[tuple[Point, int]], to_move: int, walls: Iterable[Point] = ()
    ) -> None:
        """Put `stones` (a point and 1 black or -1 white, the newest last) on an empty board.

        `walls` are points that nobody may use, as if they were off the board. What was found out is
        kept where the position continues the one before, else forgotten.
        """
        if self.network is not None:
            self.network.current = 0
        placed = [(mem.cell_of(point), _colour(mark)) for point, mark in stones]
        off = sorted(mem.cell_of(point) for point in walls)
        clear_board(self.board, self.size, np.array(off, np.int32))
        for cell, colour in placed:
            make_move(self.board, cell, colour)
        if self._stones < set(placed) and self._walls == off and self.memory.kept_generations < 255:
            self.memory.kept_generations += 1
        else:
            self._forget()
        self._stones, self._walls = set(placed), off
        self.colour = _colour(to_move)

    def _forget(self) -> None:
        """Forget all that was found out: the next analysis is not to depend on another game.

        Entries of the transposition table need no clearing: only those of the newest
        `kept_generations` count.
        """
        self.memory.kept_generations = 1
        self.memory.history[:] = 0
        self.memory.countermoves[:] = 0
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
        run = IterativeDeepening(
            self.board,
            self.memory,
            self.tables,
            self.proofs,
            self.colour,
            limits,
            top,
            noise,
            report,
            self.helpers,
        )
        return run.run()


def _colour(mark: int) -> int:
    """The engine's colour for 1 (black) or -1 (white) of the rules."""
    return mem.BLACK if mark == 1 else mem.WHITE
