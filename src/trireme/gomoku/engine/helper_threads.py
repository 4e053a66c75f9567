"""Lazy SMP: helper threads that search the same root and share its transposition table.

A helper has a board and a memory of its own and searches a ply or more deeper than the main thread.
Its results are never read: they reach the main thread through the table only, which saves work
there. Races in the table are harmless, see `transposition_kernels`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from . import memory_kernels as mem
from .network_memory_kernels import NetworkMemory, new_network_memory
from .operations import EngineOperations
from .transposition_kernels import UNKNOWN

_NO_PROOFS = np.zeros((1, 3), np.int64)


class HelperThreads:
    """The records of `count` helpers, and the nodes that they have searched."""

    def __init__(self, count: int, network: NetworkMemory) -> None:
        """`network` is the one that evaluates; every helper gets accumulators of its own."""
        self.boards: list[mem.EngineBoard] = [mem.new_record(mem.EngineBoard) for _ in range(count)]
        self.memories = [mem.new_search_memory() for _ in range(count)]
        self.networks = [new_network_memory() for _ in range(count)]
        if network.loaded:
            for own in self.networks:
                mem.copy_record(network, own)
        self.nodes = 0

    @contextmanager
    def searching(
        self,
        board: mem.EngineBoard,
        memory: mem.SearchMemory,
        tables: mem.HashTables,
        depth: int,
        me: int,
        moves: mem.Int32s,
    ) -> Iterator[None]:
        """Let the helpers search `moves: int32[m]` meanwhile; they stop at the end."""
        threads, before = [], int(board.nodes)
        records = zip(self.boards, self.memories, self.networks, strict=True)
        for i, (own_board, own_memory, own_network) in enumerate(records):
            mem.copy_record(board, own_board)
            mem.copy_record(memory, own_memory)
            own_memory.node_limit = np.iinfo(np.int64).max
            order = np.roll(moves, -i - 1) if i % 2 else moves.copy()
            own_network.current = 0
            own_tables = tables._replace(network=own_network)
            own = EngineOperations(own_board, own_memory, own_tables, _NO_PROOFS)
            search = (depth + 1 + i // 2, me, order)
            zeros, values = np.zeros_like(moves), np.zeros_like(moves)
            thread = threading.Thread(
                target=own.search_root, args=(*search, zeros, 1, UNKNOWN, values), daemon=True
            )
            thread.start()
            threads.append(thread)
        try:
            yield
        finally:
            for own_memory in self.memories:
                own_memory.stop = 1
            for thread in threads:
                thread.join()
            self.nodes += sum(int(own_board.nodes) - before for own_board in self.boards)
