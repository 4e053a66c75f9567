"""The search engine: a position, a budget, and what it thinks of the position."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from trireme.gomoku.rules import Point

from . import memory_kernels as at
from .alphabeta_kernels import root_moves, search_root
from .board_kernels import clear, count_of, first_of, put, take
from .pattern_kernels import KEYS, fill_shapes, fill_worth
from .threat_search_kernels import defences, fours, threats

PROVEN_VALUE = at.PROVEN
SHAPE_VALUES = (0, 1, 3, 4, 14, 16, 60, 70, 2000, 20000)
KIND_BONUS = (0, 0, 0, 0, 400, 1000, 2000, 0)
TABLE_ROWS = 1 << 20
MEMO_ROWS = 1 << 18
NO_WALLS: NDArray[np.int32] = np.zeros(0, np.int32)
FOURS_NODES = 200_000
"""Nodes that the search for a win by fours may take at the root."""
TREE_LIMITS = (24, 60, 8, 3, 2)
"""The words LEAF_FOURS, INNER_FOURS, BREADTH, WIDENING and QUIESCENCE of the kernels."""
ATTACK_SHARE, GUARD_SHARE = 0.15, 0.2
"""Parts of the nodes so far that the search for own wins by threats, and for the other side's after
the move in mind, may take at each depth."""
DEEPEST_THREATS = 30
FORCED_DEPTH = 4
"""How deep a position is searched, for its value alone, when there is only one move."""


@dataclass(frozen=True)
class Limits:
    """When to stop thinking, whichever comes first; None is no limit."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int = 60
    fours: bool = True
    """Whether wins by fours are searched for, at the root and in the tree."""
    threats: bool = True
    """Whether wins by threes and fours are, too."""


@dataclass(frozen=True)
class Candidate:
    """One move and what it is worth to the side that makes it."""

    move: Point
    value: int
    """Pattern points, or, from 20000 up or down, a proven win or loss."""
    plies: int | None = None
    """For a proven win or loss: plies to the five."""


@dataclass(frozen=True)
class Analysis:
    """What the engine thinks of a position, for the side to move."""

    depth: int
    """Plies searched in full; threats reach deeper."""
    nodes: int
    seconds: float
    value: int
    proven: bool
    """Whether the value is a proof: a win, or a loss whatever is played."""
    line: tuple[Point, ...]
    """The best line, beginning with the move to play."""
    moves: tuple[Candidate, ...]
    """The best moves, best first, each with its value."""

    @property
    def best(self) -> Point:
        return self.moves[0].move


Report = Callable[[Analysis], object]


class Scope(Enum):
    """Which threats a threat search looks at, fewest first."""

    ONWARD = "those that build on the newest stones, as the rest of a win found before does"
    NARROW = "any first, then those that build on the last two"
    WIDE = "any at any time"


@cache
def tables(exact: bool) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Shapes by line key and worth by four shapes, under the rule in force."""
    shapes, worth = np.zeros(KEYS, np.uint8), np.zeros(1 << 16, np.int32)
    fill_shapes(exact, shapes)
    fill_worth(np.array(SHAPE_VALUES, np.int32), np.array(KIND_BONUS, np.int32), worth)
    return shapes, worth


class Engine:
    """One searcher with its memory; not for two threads at once, except for `stop`."""

    def __init__(self, size: int = 15, exact: bool = True, *, rows: int = TABLE_ROWS) -> None:
        self.size, self.exact = size, exact
        shapes, worth = tables(exact)
        self._state = np.zeros(at.WORDS, np.int32)
        self._control = np.zeros(at.CONTROLS, np.int64)
        self._memo = np.zeros(min(MEMO_ROWS, rows), np.int64)
        self._table = np.zeros((rows, 2), np.int64)
        self._base = (self._state, self._control, shapes, worth)
        self._stopped = False
        self.colour = at.BLACK
        self.newest: dict[int, list[int]] = {at.BLACK: [-1, -1], at.WHITE: [-1, -1]}
        clear(*self._base, size, NO_WALLS)

    def stop(self) -> None:
        """End a running analysis as soon as possible; it still gives its best move."""
        self._stopped = True
        self._control[at.STOP] = 1

    def set_position(
        self, stones: Iterable[tuple[Point, int]], to_move: int, walls: Iterable[Point] = ()
    ) -> None:
        """Put `stones` (a point and 1 black or -1 white, the newest last) on an empty board.

        `walls` are points that nobody may use, as if they were off the board.
        """
        blocked = np.array([self._cell(point) for point in walls], np.int32)
        clear(*self._base, self.size, blocked)
        self.newest = {at.BLACK: [-1, -1], at.WHITE: [-1, -1]}
        for point, mark in stones:
            colour, cell = at.BLACK if mark == 1 else at.WHITE, self._cell(point)
            put(*self._base, cell, colour)
            self.newest[colour] = [cell, self.newest[colour][0]]
        self.colour = at.BLACK if to_move == 1 else at.WHITE

    def analyse(
        self,
        limits: Limits,
        *,
        top: int = 1,
        jitter: tuple[Generator, int] | None = None,
        report: Report | None = None,
    ) -> Analysis:
        """Think within `limits` and say what was found.

        `top` is how many moves get exact values. `jitter`, a generator and a size in pattern
        points, varies the choice among moves of nearly the same value. `report` gets every
        analysis on the way. With a node limit and no time limit the result is always the same.
        """
        return Thought(self, limits, top, jitter, report).run()

    def _cell(self, point: Point) -> int:
        return (point[0] + at.MARGIN) * at.WIDTH + point[1] + at.MARGIN

    def _point(self, cell: int) -> Point:
        return int(cell) // at.WIDTH - at.MARGIN, int(cell) % at.WIDTH - at.MARGIN


class Thought:
    """One analysis under way: threats first, then deeper and deeper searches between them."""

    def __init__(
        self,
        engine: Engine,
        limits: Limits,
        top: int,
        jitter: tuple[Generator, int] | None,
        report: Report | None,
    ) -> None:
        self.engine, self.limits, self.top, self.report = engine, limits, top, report
        self.base, self.memo, self.table = engine._base, engine._memo, engine._table
        self.state, self.control = engine._state, engine._control
        self.me, self.other = engine.colour, 3 - engine.colour
        self.began = time.perf_counter()
        self.refuted: dict[int, int] = {}
        self.guarded: dict[int, int] = {}
        self.complete = False
        self.reached = dict.fromkeys(Scope, 1)
        self.values: dict[int, int] = {}
        age = (self.control[at.AGE] + 1) % 256
        engine._stopped = False
        self.control[at.NODES :] = 0
        self.control[at.AGE] = age
        self.control[at.LEAF_FOURS :] = TREE_LIMITS
        if not limits.fours:
            self.control[[at.LEAF_FOURS, at.INNER_FOURS]] = 0
        self.control[at.LIMIT] = np.iinfo(np.int64).max if limits.nodes is None else limits.nodes
        self.state[at.KILLERS : at.SEEN] = 0
        self.memo[:] = 0
        if age == 0:
            self.table[:] = 0
        self._scatter(jitter)

    def _scatter(self, jitter: tuple[Generator, int] | None) -> None:
        bonus = self.state[at.JITTER : at.JITTER + at.CELLS]
        bonus[:] = 0 if jitter is None else jitter[0].integers(0, jitter[1] + 1, at.CELLS)

    def run(self) -> Analysis:
        if self.limits.seconds is None:
            return self._think()
        timer = threading.Timer(max(0.0, self.limits.seconds), self._time_up)
        timer.daemon = True
        timer.start()
        try:
            return self._think()
        finally:
            timer.cancel()

    def _time_up(self) -> None:
        self.control[at.STOP] = 1

    @property
    def over(self) -> bool:
        return bool(self.control[at.STOP]) or self.engine._stopped

    def _think(self) -> Analysis:
        if self.limits.fours or count_of(self.state, self.me, at.WINS) > 0:
            won = self._probe(self.me, 0, FOURS_NODES)
            if won:
                return self._won(won)
        moves = self._choices()
        best = self._analysis(0, moves[:1], [0], ())
        if len(moves) == 1:
            found = self._search(min(FORCED_DEPTH, self.limits.depth), moves)
            return best if found is None else found[0]
        for depth in range(2, self.limits.depth + 1):
            if self.limits.threats and not self.over:
                won = self._attack()
                if won:
                    return self._won(won)
            found = self._iterate(depth, moves)
            if found is None:
                break
            best, moves = found
            if best.proven or self.over:
                break
        return best

    def _iterate(self, depth: int, moves: list[int]) -> tuple[Analysis, list[int]] | None:
        """Search to `depth`, again without its best move as long as that is refuted by threats."""
        while True:
            found = self._search(depth, self._live(moves))
            if found is None or not self.limits.threats or found[0].proven:
                return found
            if self.over or self._stands(found[1][0]) or not set(moves) - set(self.refuted):
                return found

    def _attack(self) -> int:
        """Look for a win by threats in every scope, each going on where it was cut last time."""
        for scope in Scope:
            last = int(self.control[at.NODES]) + self._share(ATTACK_SHARE)
            while self.reached[scope] <= DEEPEST_THREATS:
                left = last - int(self.control[at.NODES])
                won = self._probe(self.me, self.reached[scope], left, scope)
                if won or self.over:
                    return won
                if self.control[at.CUT]:
                    break
                self.reached[scope] += 1
        return 0

    def _share(self, part: float) -> int:
        return max(500, int(part * self.control[at.NODES]))

    def _probe(self, attacker: int, depth: int, nodes: int, scope: Scope = Scope.WIDE) -> int:
        """Plies to a win by threats, 0 when none was found; the line is left at ply 0."""
        self.control[at.CUT] = 0
        self.control[at.THREAT_LIMIT] = min(self.control[at.NODES] + nodes, self.control[at.LIMIT])
        if depth == 0:
            return int(fours(*self.base, self.memo, attacker, 0))
        last, before = self.engine.newest[attacker] if scope is Scope.ONWARD else (-1, -1)
        narrow = scope is not Scope.WIDE
        return int(threats(*self.base, self.memo, attacker, depth, 0, narrow, last, before))

    def _deepening(self, attacker: int, nodes: int) -> int:
        """The same with more and more threats, until a win, the end of all threats or of nodes."""
        for scope in Scope:
            last = int(self.control[at.NODES]) + nodes // len(Scope)
            for depth in range(0 if scope is Scope.ONWARD else 1, DEEPEST_THREATS):
                won = self._probe(attacker, depth, last - int(self.control[at.NODES]), scope)
                if won or self.over:
                    return won
                if self.control[at.CUT]:
                    break
        return 0

    def _choices(self) -> list[int]:
        """The moves to search: all that may stop what the other side threatens, else the best."""
        forced = int(first_of(self.state, self.other, at.WINS))
        if forced >= 0:
            self.complete = True
            return [forced]
        out = np.zeros(at.ROOM, np.int32)
        promising = [int(cell) for cell in out[: root_moves(self.state, self.me, out)]]
        if self.limits.fours and self._probe(self.other, 0, FOURS_NODES):
            many = int(defences(*self.base, self.other, 0, 1))
            base = at.MOVES + 2 * at.ROOM
            if many > 0:
                stops = [int(cell) for cell in self.state[base : base + many]]
                self.complete = True
                order = {cell: rank for rank, cell in enumerate(promising)}
                return sorted(stops, key=lambda cell: order.get(cell, len(order)))
        return promising

    def _live(self, moves: list[int]) -> list[int]:
        """The moves that are not refuted; if all are, those that lose last come first."""
        fine = [cell for cell in moves if cell not in self.refuted]
        return fine or sorted(self.refuted, key=lambda cell: -self.refuted[cell])

    def _stands(self, cell: int) -> bool:
        """Whether the other side finds no win by threats after this move."""
        nodes = self._share(GUARD_SHARE)
        if cell in self.refuted or self.guarded.get(cell, 0) * 2 > nodes:
            return cell not in self.refuted
        put(*self.base, cell, self.me)
        lost = self._deepening(self.other, nodes)
        take(*self.base, cell)
        if lost:
            self.refuted[cell] = lost
        self.guarded[cell] = nodes
        return not lost

    def _search(self, depth: int, moves: list[int]) -> tuple[Analysis, list[int]] | None:
        """One iteration: the analysis and the moves in their new order; None when cut short."""
        cells, values = np.array(moves, np.int32), np.zeros(len(moves), np.int32)
        done = search_root(
            *self.base, self.memo, self.table, depth, self.me, cells, values, self.top
        )
        if done == 0:
            return None
        known = dict(zip(moves[:done], values[:done].tolist(), strict=True))
        known |= {cell: self.values.get(cell, -at.LIKELY) for cell in moves[done:]}
        best = moves[int(np.argmax(values[:done]))]
        ordered = [best, *sorted((c for c in moves if c != best), key=lambda c: -known[c])]
        self.values = known
        analysis = self._analysis(depth, ordered, [known[c] for c in ordered], self._line())
        if self.report is not None:
            self.report(analysis)
        return analysis, ordered

    def _won(self, plies: int) -> Analysis:
        line = self._line()
        value = at.WIN - plies
        move = Candidate(line[0], value, plies)
        return Analysis(0, self._nodes(), self._spent(), value, True, line, (move,))

    def _analysis(
        self, depth: int, cells: Sequence[int], values: Sequence[int], line: tuple[Point, ...]
    ) -> Analysis:
        shown = max(self.top, 1)
        moves = tuple(
            self._candidate(cell, value)
            for cell, value in zip(cells[:shown], values[:shown], strict=False)
        )
        value = moves[0].value
        line = line if line and line[0] == moves[0].move else (moves[0].move,)
        proven = value >= at.PROVEN or (value <= -at.PROVEN and self.complete)
        return Analysis(depth, self._nodes(), self._spent(), value, proven, line, moves)

    def _candidate(self, cell: int, value: int) -> Candidate:
        if cell in self.refuted:
            value = min(value, self.refuted[cell] + 1 - at.WIN)
        plies = at.WIN - abs(value) if abs(value) >= at.PROVEN else None
        return Candidate(self.engine._point(cell), value, plies)

    def _line(self) -> tuple[Point, ...]:
        cells = self.state[at.LINE : at.LINE + int(self.state[at.LINE_LENGTH])]
        return tuple(self.engine._point(cell) for cell in cells)

    def _nodes(self) -> int:
        return int(self.control[at.NODES])

    def _spent(self) -> float:
        return time.perf_counter() - self.began
