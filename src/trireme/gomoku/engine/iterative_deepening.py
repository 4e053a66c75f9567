"""Iterative deepening: threat searches first, then deeper and deeper alpha-beta between them."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Sequence

import numpy as np

from trireme.gomoku.rules import Point

from . import memory_kernels as mem
from .analysis import CandidateMove, EngineAnalysis, Report, SearchLimits
from .helper_threads import HelperThreads
from .operations import EngineOperations
from .transposition_kernels import UNKNOWN

ROOT_VCF_NODES = 200_000
"""Nodes that a VCF search may take at the root."""
TREE_LIMITS = {
    "leaf_vcf_nodes": 5,
    "inner_vcf_nodes": 15,
    "moves_base": 4,
    "moves_per_depth": 2,
    "quiescence_plies": 1,
    "reverse_futility_depth": 7,
    "reverse_futility_margin": 55,
    "futility_depth": 5,
    "futility_base": 100,
    "futility_margin": 50,
    "reduction_start": 2,
    "reduction_divisor": 65,
    "killer_score": 60,
    "max_history": 100,
    "iterative_reduction_depth": 4,
    "aspiration": 60,
}
"""The fields of `SearchMemory` that shape the tree."""
ATTACK_SHARE, DEFENCE_SHARE = 0.5, 0.2
"""Parts of the nodes so far that the search for own VCT wins, and for the other side's after the
best move, may take at each depth."""
MIN_SHARE = 500
"""Nodes that each of them gets at least."""
FORCED_DEPTH = 4
"""How deep a position is searched, for its value alone, when there is only one move."""


class IterativeDeepening:
    """One analysis under way: iterative deepening with threat searches between the iterations."""

    def __init__(
        self,
        board: mem.EngineBoard,
        memory: mem.SearchMemory,
        tables: mem.HashTables,
        proofs: mem.Int64s,
        colour: int,
        limits: SearchLimits,
        top: int,
        jitter: mem.Int32s,
        report: Report | None,
        helpers: HelperThreads,
    ) -> None:
        """`proofs: int64[2**k, 3]` is the proof table; `jitter: int32[CELLS]` is added to the
        values of root moves that are not proven."""
        self.board, self.memory, self.tables = board, memory, tables
        self.kernels = EngineOperations(board, memory, tables, proofs)
        self.limits, self.top, self.jitter, self.report = limits, top, jitter, report
        self.helpers, self.helped = helpers, helpers.nodes
        self.me, self.other = colour, 3 - colour
        self.began = time.perf_counter()
        self.refuted: dict[int, int] = {}
        """Moves after which the other side has a VCT, with its plies."""
        self.defended: dict[int, int] = {}
        """The nodes spent so far on looking for a VCT against a move."""
        self.complete = False
        """Whether all moves that are not searched are known to lose."""
        self.no_vct = False
        """Whether the side to move is known to have no VCT."""
        self.values: dict[int, int] = {}
        self._reset()

    def _reset(self) -> None:
        """Set the limits; what is known of the positions of the same game stays in the tables."""
        memory, limits = self.memory, self.limits
        memory.kept_generations += 1
        memory.generation = (int(memory.generation) + 1) % 256
        if memory.generation == 0:  # or entries of 256 analyses ago would look new
            self.tables.transpositions[:] = 0
        self.board.nodes = memory.stop = 0
        for field, value in TREE_LIMITS.items():
            setattr(memory, field, value)
        if not limits.fours:
            memory.leaf_vcf_nodes = memory.inner_vcf_nodes = 0
        memory.node_limit = np.iinfo(np.int64).max if limits.nodes is None else limits.nodes
        memory.killers[:] = 0
        memory.history[:] //= 2

    def run(self) -> EngineAnalysis:
        """Search until a limit is reached or the result is proven."""
        if self.limits.seconds is None:
            return self._deepen()
        timer = threading.Timer(max(0.0, self.limits.seconds), self._stop)
        timer.daemon = True
        timer.start()
        try:
            return self._deepen()
        finally:
            timer.cancel()

    def _stop(self) -> None:
        self.memory.stop = 1

    @property
    def stopped(self) -> bool:
        return bool(self.memory.stop)

    @property
    def nodes(self) -> int:
        return int(self.board.nodes)

    def _deepen(self) -> EngineAnalysis:
        if self.limits.fours or self.kernels.count_of(self.me, mem.MAKES_FIVE) > 0:
            won = self._vcf(self.me)
            if won:
                return self._proven_win(won)
        moves = self._root_moves()
        best = self._analysis(0, moves[:1], [0], ())
        if len(moves) == 1:
            found = self._search(min(FORCED_DEPTH, self.limits.depth), moves)
            return best if found is None else found[0]
        for depth in range(2, self.limits.depth + 1):
            if self.limits.threats and not self.stopped:
                won = self._attack()
                if won:
                    return self._proven_win(won)
            found = self._iterate(depth, moves)
            if found is None:
                break
            best, moves = found
            if best.proven or self.stopped:
                break
        return best

    def _iterate(self, depth: int, moves: list[int]) -> tuple[EngineAnalysis, list[int]] | None:
        """Search to `depth`, again without its best move as long as a VCT refutes that."""
        while True:
            found = self._search(depth, self._not_refuted(moves))
            if found is None or not self.limits.threats or found[0].proven:
                return found
            if self.stopped or self._withstands(found[1][0]) or not set(moves) - set(self.refuted):
                return found

    def _attack(self) -> int:
        """Look for a VCT, going on where the search was cut last time; its plies, 0 for none."""
        if self.no_vct:
            return 0
        won = self._vct(self.me, self._share(ATTACK_SHARE))
        self.no_vct = won < 0
        return max(won, 0)

    def _share(self, part: float) -> int:
        return max(MIN_SHARE, int(part * self.nodes))

    def _limit_threats(self, nodes: int) -> None:
        """Let the next threat search take this many nodes."""
        self.memory.threats_cut = 0
        self.memory.threat_node_limit = min(self.nodes + nodes, int(self.memory.node_limit))

    def _vcf(self, attacker: int, nodes: int = ROOT_VCF_NODES) -> int:
        """Plies to the five of a VCF, 0 when none was found; its sequence is left at ply 0."""
        self._limit_threats(nodes)
        return self.kernels.vcf(attacker, 0)

    def _vct(self, attacker: int, nodes: int) -> int:
        """The same for a VCT; -1 when there is none."""
        limit = min(self.nodes + nodes, int(self.memory.node_limit))
        return self.kernels.prove_vct(attacker, limit)

    def _root_moves(self) -> list[int]:
        """The moves to search: all that may stop what the other side threatens, else the best."""
        forced = self.kernels.first_of(self.other, mem.MAKES_FIVE)
        if forced >= 0:
            self.complete = True
            return [forced]
        out = np.zeros(mem.MAX_MOVES, np.int32)
        size = self.kernels.root_moves(self.me, out)
        moves = [int(cell) for cell in out[:size]]
        if self.limits.fours and self._vcf(self.other):
            count = self.kernels.vcf_defences(self.other, 0, 1)
            if count > 0:
                defences = [int(cell) for cell in self.memory.moves[1, :count]]
                self.complete = True
                order = {cell: rank for rank, cell in enumerate(moves)}
                return sorted(defences, key=lambda cell: order.get(cell, len(order)))
        return moves

    def _not_refuted(self, moves: list[int]) -> list[int]:
        """The moves that are not refuted; if all are, those that lose last come first."""
        fine = [cell for cell in moves if cell not in self.refuted]
        return fine or sorted(self.refuted, key=lambda cell: -self.refuted[cell])

    def _withstands(self, cell: int) -> bool:
        """Whether the other side finds no VCT after this move."""
        nodes = self._share(DEFENCE_SHARE)
        if cell in self.refuted or self.defended.get(cell, 0) * 2 > nodes:
            return cell not in self.refuted
        self.kernels.make_move(cell, self.me)
        lost = self._vct(self.other, nodes)
        self.kernels.undo_move(cell)
        if lost > 0:
            self.refuted[cell] = lost
        self.defended[cell] = nodes if lost == 0 else sys.maxsize
        return lost <= 0

    def _search(self, depth: int, moves: list[int]) -> tuple[EngineAnalysis, list[int]] | None:
        """One iteration: the analysis and the moves in their new order; None when cut short."""
        cells, values = np.array(moves, np.int32), np.zeros(len(moves), np.int32)
        rest = (self.jitter[cells], self.top, self._guess(moves[0]), values)
        records = (self.board, self.memory, self.tables)
        with self.helpers.searching(*records, depth, self.me, cells):
            done = self.kernels.search_root(depth, self.me, cells, *rest)
        if done == 0:
            return None
        known = dict(zip(moves[:done], values[:done].tolist(), strict=True))
        best = max(moves[:done], key=lambda cell: known[cell])
        for cell in moves[done:]:  # what a shallower search said, but nothing above the best
            known[cell] = min(self.values.get(cell, -mem.LIKELY_WIN), known[best])
        ordered = [best, *sorted((c for c in moves if c != best), key=lambda c: -known[c])]
        self.values = known
        analysis = self._analysis(depth, ordered, [known[c] for c in ordered], self._pv())
        if self.report is not None:
            self.report(analysis)
        return analysis, ordered

    def _guess(self, cell: int) -> int:
        """What a move is likely worth: as much as in the last iteration."""
        value = self.values.get(cell, UNKNOWN)
        return value if value == UNKNOWN else value - int(self.jitter[cell])

    def _proven_win(self, plies: int) -> EngineAnalysis:
        pv, value = self._pv(), mem.WIN - plies
        move = CandidateMove(pv[0], value, plies)
        return EngineAnalysis(0, self.nodes, self._seconds(), value, True, pv, (move,))

    def _analysis(
        self, depth: int, cells: Sequence[int], values: Sequence[int], pv: tuple[Point, ...]
    ) -> EngineAnalysis:
        shown = max(self.top, 1)
        moves = tuple(
            self._candidate(cell, value)
            for cell, value in zip(cells[:shown], values[:shown], strict=False)
        )
        value = moves[0].value
        pv = pv if pv and pv[0] == moves[0].move else (moves[0].move,)
        proven = value >= mem.PROVEN_WIN or (value <= -mem.PROVEN_WIN and self.complete)
        nodes = self.nodes + self.helpers.nodes - self.helped
        return EngineAnalysis(depth, nodes, self._seconds(), value, proven, pv, moves)

    def _candidate(self, cell: int, value: int) -> CandidateMove:
        if cell in self.refuted:
            value = min(value, self.refuted[cell] + 1 - mem.WIN)
        plies = mem.WIN - abs(value) if abs(value) >= mem.PROVEN_WIN else None
        return CandidateMove(mem.point_of(cell), value, plies)

    def _pv(self) -> tuple[Point, ...]:
        """The principal variation at the root."""
        length = int(self.memory.pv_lengths[0])
        return tuple(mem.point_of(cell) for cell in self.memory.pv[0, :length])

    def _seconds(self) -> float:
        return time.perf_counter() - self.began
