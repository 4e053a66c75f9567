"""The search engine: a position, limits, and an analysis of the position."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.random import Generator

from trireme.gomoku.rules import Point

from . import memory_kernels as mem
from .analysis import EngineAnalysis, Report, SearchLimits
from .board_kernels import clear_board, make_move
from .iterative_deepening import IterativeDeepening
from .network_memory_kernels import new_network_memory
from .patterns import pattern_tables
from .table_network import TableNetwork, install

TABLE_ROWS = 1 << 20
"""Rows of the transposition table, 16 bytes each."""
THREAT_ROWS = 1 << 18
"""Rows, 8 bytes each, for positions from which a threat search found no win."""


class Engine:
    """One searcher with its memory; not for two threads at once, except for `stop`."""

    def __init__(
        self,
        size: int = 15,
        exact: bool = True,
        *,
        rows: int = TABLE_ROWS,
        network: TableNetwork | None = None,
    ) -> None:
        """`network` evaluates positions in place of the patterns."""
        self.size, self.exact = size, exact
        self.network = new_network_memory()
        if network is not None:
            install(network, self.network)
        self.board = mem.new_board(*pattern_tables(exact))
        self.memory = mem.new_search_memory()
        self.tables = mem.new_hash_tables(rows, min(THREAT_ROWS, rows), self.network)
        self.set_position([], 1)

    def stop(self) -> None:
        """End a running analysis as soon as possible; it still gives its best move."""
        self.memory.stop = 1

    def set_position(
        self, stones: Iterable[tuple[Point, int]], to_move: int, walls: Iterable[Point] = ()
    ) -> None:
        """Put `stones` (a point and 1 black or -1 white, the newest last) on an empty board.

        `walls` are points that nobody may use, as if they were off the board.
        """
        self.network.current = 0
        clear_board(self.board, self.size, np.array([mem.cell_of(p) for p in walls], np.int32))
        self.last_stones: dict[int, tuple[int, int]] = {mem.BLACK: (-1, -1), mem.WHITE: (-1, -1)}
        for point, mark in stones:
            colour, cell = _colour(mark), mem.cell_of(point)
            make_move(self.board, cell, colour)
            self.last_stones[colour] = (cell, self.last_stones[colour][0])
        self.colour = _colour(to_move)

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
        after every iteration. With a node limit and no time limit the result is always the same.
        """
        noise = np.zeros(mem.CELLS, np.int32)
        if jitter is not None:
            noise[:] = jitter[0].integers(0, jitter[1] + 1, mem.CELLS)
        run = IterativeDeepening(
            self.board,
            self.memory,
            self.tables,
            self.colour,
            self.last_stones,
            limits,
            top,
            noise,
            report,
        )
        return run.run()


def _colour(mark: int) -> int:
    """The engine's colour for 1 (black) or -1 (white) of the rules."""
    return mem.BLACK if mark == 1 else mem.WHITE
