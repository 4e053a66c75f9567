"""The engine's kernels as methods, on the records of one search."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from . import operation_kernels as op
from .memory_kernels import EngineBoard, HashTables, Int32s, Int64s, SearchMemory

_NONE = np.zeros(0, np.int32)


class EngineOperations:
    """Runs kernels on a board, a memory and tables; each method is the kernel of its name."""

    def __init__(
        self, board: EngineBoard, memory: SearchMemory, tables: HashTables, proofs: Int64s
    ) -> None:
        """`proofs: int64[2**k, 3]` is the proof table."""
        self._records = (board, memory, tables, proofs)

    def _run(
        self,
        operation: int,
        *numbers: int,
        cells: Int32s = _NONE,
        jitter: Int32s = _NONE,
        values: Int32s = _NONE,
    ) -> int:
        a, b, c, d = (*map(int, numbers), 0, 0, 0, 0)[:4]
        arrays = (cells, jitter, values)
        return int(op.run_operation(operation, *self._records, a, b, c, d, *arrays))

    def clear_board(self, n: int, walls: Iterable[int] = ()) -> None:
        self._run(op.CLEAR_BOARD, n, cells=np.array([*walls], np.int32))

    def make_move(self, cell: int, colour: int) -> None:
        self._run(op.MAKE_MOVE, cell, colour)

    def undo_move(self, cell: int) -> None:
        self._run(op.UNDO_MOVE, cell)

    def count_of(self, colour: int, kind: int) -> int:
        return self._run(op.COUNT_OF, colour, kind)

    def first_of(self, colour: int, kind: int) -> int:
        return self._run(op.FIRST_OF, colour, kind)

    def vcf(self, attacker: int, ply: int) -> int:
        return self._run(op.VCF, attacker, ply)

    def vcf_defences(self, attacker: int, line: int, ply: int) -> int:
        return self._run(op.VCF_DEFENCES, attacker, line, ply)

    def prove_vct(self, attacker: int, node_limit: int) -> int:
        return self._run(op.PROVE_VCT, attacker, node_limit)

    def root_moves(self, me: int, out: Int32s) -> int:
        return self._run(op.ROOT_MOVES, me, values=out)

    def search_root(
        self,
        depth: int,
        me: int,
        moves: Int32s,
        jitter: Int32s,
        top: int,
        guess: int,
        values: Int32s,
    ) -> int:
        numbers = (depth, me, top, guess)
        return self._run(op.SEARCH_ROOT, *numbers, cells=moves, jitter=jitter, values=values)
