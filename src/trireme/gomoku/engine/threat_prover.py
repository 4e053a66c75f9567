"""Exact threat search for other searches: wins and forced answers by VCF and VCT, on one board.

A point is flat, `row * size + col`. Moves are pushed onto the position and popped off again, so
that a tree search can ask at every node. Limits are nodes, never seconds: equal questions about
the positions of a game get equal answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from trireme.gomoku.rules import Point

from . import memory_kernels as mem
from .network_memory_kernels import new_network_memory
from .operations import EngineOperations
from .patterns import pattern_tables

ROWS = 1 << 18
"""Rows of each table; fewer are forgotten faster when another position is set."""


class PositionProof(NamedTuple):
    """What is known for certain of a position, for the side to move."""

    value: float | None
    """1 won, -1 lost, 0 drawn, None unknown."""
    moves: tuple[int, ...] | None
    """The moves that win where it is won; else the only ones that may not lose; None: any."""


class WinningLine(NamedTuple):
    """A forced sequence."""

    plies: int | None
    """To the five at most, None if nobody counted."""
    points: tuple[int, ...]
    """Its moves against the longest defence; they may end before the five."""


class ThreatProver:
    """Runs the engine's threat searches on one position and those after it."""

    def __init__(self, size: int, exact: bool, rows: int = ROWS) -> None:
        self.size, self.exact = size, exact
        self._board = mem.new_board(*pattern_tables(exact))
        self._memory = mem.new_search_memory()
        self._tables = mem.new_hash_tables(1, rows, new_network_memory())
        self._proofs = np.zeros((rows, 3), np.int64)
        records = (self._board, self._memory, self._tables, self._proofs)
        self._kernels = EngineOperations(*records)
        self._stones: set[tuple[int, int]] = set()
        """Cell and colour of each stone of the position, without the pushed ones."""
        self._colour = mem.BLACK
        self._pushed: list[int] = []

    def set_position(self, stones: Iterable[tuple[Point, int]], to_move: int) -> None:
        """Begin with `stones`: a point and 1 (black) or -1 (white) each; `to_move` likewise.

        What was found out is kept where the position continues the one before, else forgotten: so
        answers do not depend on other games.
        """
        before = self._stones
        self._stones = {(mem.cell_of(point), _colour(mark)) for point, mark in stones}
        if not before < self._stones:
            self._proofs[:] = 0
            self._tables.no_win[:] = 0
        self._colour = _colour(to_move)
        self._pushed.clear()
        self._kernels.clear_board(self.size)
        for cell, colour in sorted(self._stones):
            self._kernels.make_move(cell, colour)
        self._memory.generation = (int(self._memory.generation) + 1) % 256
        self._board.nodes = 0

    @property
    def _mover(self) -> int:
        return self._colour if len(self._pushed) % 2 == 0 else 3 - self._colour

    def push(self, point: int) -> None:
        """Make a move of the side to move."""
        cell = mem.cell_of(divmod(point, self.size))
        self._kernels.make_move(cell, self._mover)
        self._pushed.append(cell)

    def pop(self) -> None:
        """Take the last pushed move back."""
        self._kernels.undo_move(self._pushed.pop())

    def pop_all(self) -> None:
        """Take all pushed moves back."""
        while self._pushed:
            self.pop()

    def taken(self, point: int) -> bool:
        """Whether a stone lies there, pushed ones included."""
        return bool(self._board.stones[mem.cell_of(divmod(point, self.size))] != mem.EMPTY)

    def fives_threatened(self) -> tuple[int, int | None]:
        """At how many points the other side threatens five, and one of them."""
        other = 3 - self._mover
        count = self._kernels.count_of(other, mem.MAKES_FIVE)
        if not count:
            return 0, None
        return count, self._point(self._kernels.first_of(other, mem.MAKES_FIVE))

    def prove(self, nodes: int) -> PositionProof:
        """A win by continuous fours or threes (VCF, VCT), a loss by two fives, or the moves that
        answer the opponent's VCF; each search is limited to `nodes`."""
        board, me, other = self._board, self._mover, 3 - self._mover
        if board.stone_count == board.area:
            return PositionProof(0.0, None)
        if self._plies(me, nodes):
            return PositionProof(1.0, self._line()[:1])
        fives = self._kernels.count_of(other, mem.MAKES_FIVE)
        if fives:
            block = self._point(self._kernels.first_of(other, mem.MAKES_FIVE))
            return PositionProof(-1.0 if fives > 1 else None, (block,))
        if self._vcf(other, nodes):
            memory = self._memory
            count = self._kernels.vcf_defences(other, 0, 1)
            if count > 0:
                defences = sorted(self._point(int(cell)) for cell in memory.moves[1, :count])
                return PositionProof(None, tuple(defences))
        return PositionProof(None, None)

    def winning_line(self, nodes: int) -> WinningLine | None:
        """A win of the side to move by fours (VCF) or threes (VCT), each within `nodes`."""
        return self._win(self._mover, nodes)

    def winning_fours(self, nodes: int) -> WinningLine | None:
        """A win of the side to move by fours alone (VCF), within `nodes`."""
        plies = self._vcf(self._mover, nodes)
        return WinningLine(plies, self._line()) if plies else None

    def winning_threats(self, nodes: int) -> WinningLine | None:
        """A win of the side to move by threes and fours (VCT), within `nodes`: within a win that
        was proven before, it takes no more plies than that has left. `winning_line` may take more,
        because it prefers fours."""
        plies = self._vct(self._mover, nodes)
        return WinningLine(plies, self._line()) if plies else None

    def no_win(self, nodes: int) -> bool:
        """Whether threats do not win for the side to move: a search by fours and threes (VCT) came
        to its end within `nodes` and found nothing. False: a win, or nothing is known."""
        return self._search_vct(self._mover, nodes) < 0

    def threat(self, nodes: int) -> WinningLine | None:
        """The same for the other side, if the side to move passed."""
        return self._win(3 - self._mover, nodes)

    def _win(self, attacker: int, nodes: int) -> WinningLine | None:
        plies = self._plies(attacker, nodes)
        return WinningLine(plies, self._line()) if plies else None

    def _plies(self, attacker: int, nodes: int) -> int:
        """Plies to the five at most, 0 where no win was found; the line is left in the memory."""
        return self._vcf(attacker, nodes) or self._vct(attacker, nodes)

    def _vcf(self, attacker: int, nodes: int) -> int:
        self._memory.threats_cut = 0
        self._memory.threat_node_limit = self._board.nodes + nodes
        return self._kernels.vcf(attacker, 0)

    def _vct(self, attacker: int, nodes: int) -> int:
        return max(0, self._search_vct(attacker, nodes))

    def _search_vct(self, attacker: int, nodes: int) -> int:
        """Plies to the five at most, 0 unknown, -1 where threats do not win."""
        limit = int(self._board.nodes) + nodes
        return self._kernels.prove_vct(attacker, limit)

    def _line(self) -> tuple[int, ...]:
        length = int(self._memory.pv_lengths[0])
        return tuple(self._point(int(cell)) for cell in self._memory.pv[0, :length])

    def _point(self, cell: int) -> int:
        row, col = mem.point_of(cell)
        return row * self.size + col


def _colour(mark: int) -> int:
    """The engine's colour for 1 (black) or -1 (white) of the rules."""
    return mem.BLACK if mark == 1 else mem.WHITE
