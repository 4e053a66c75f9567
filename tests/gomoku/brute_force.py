"""Solvers that try every move, in plain Python: what the engine's results are held against."""

from typing import cast

import numpy as np
from hypothesis import assume

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.alphabeta_kernels import evaluate
from trireme.gomoku.engine.board_kernels import count_of, kind_of, make_move, undo_move, zobrist
from trireme.gomoku.rules import Point, Rule, makes_five

from .positions import judged

Stones = dict[Point, int]
"""A position: 1 black or -1 white by point."""


def rule_of(exact: bool) -> Rule:
    return "standard" if exact else "freestyle"


def scattered(seed: int, size: int, count: int) -> Stones:
    """Random stones on a small board, the colours alternating."""
    rng = np.random.default_rng(seed)
    cells = rng.permutation(size * size)[:count]
    return {(int(c) // size, int(c) % size): 1 - 2 * (i % 2) for i, c in enumerate(cells)}


def is_won(stones: Stones, size: int, exact: bool) -> bool:
    """Whether somebody has made five."""
    board = np.zeros((size, size), np.int8)
    for point, mark in stones.items():
        board[point] = mark
    return judged(board, exact) != 0


def tense(seed: int, size: int, empty: int, exact: bool) -> Stones:
    """Random stones with `empty` points left and lines of four about, nobody having won.

    Some points of a line in the middle go to one colour, so that fives are near.
    """
    rng = np.random.default_rng(seed)
    stones = scattered(seed, size, size * size)
    for _ in range(2):
        down, right = [(0, 1), (1, 0), (1, 1), (1, -1)][rng.integers(4)]
        row, col = rng.integers(size - 4, size=2)
        for i in range(5):
            point = (int(row) + i * down, int(col) + (i * right if right >= 0 else 4 - i))
            stones[point] = 1 if seed % 2 else -1
    for index in rng.permutation(size * size)[:empty]:
        del stones[int(index) // size, int(index) % size]
    assume(not is_won(stones, size, exact))
    return stones


class BruteForce:
    """The result of positions with few empty points, by trying every move."""

    def __init__(self, size: int, exact: bool) -> None:
        self.rule = rule_of(exact)
        self.known: dict[tuple[frozenset[tuple[Point, int]], int], int] = {}
        self.points = [(r, c) for r in range(size) for c in range(size)]

    def plies(self, stones: Stones, colour: int) -> int:
        """Plies to the end for `colour`, to move: n it wins in n, -n it loses in n, 0 a draw."""
        key = (frozenset(stones.items()), colour)
        if key not in self.known:
            self.known[key] = self._search(stones, colour)
        return self.known[key]

    def _search(self, stones: Stones, colour: int) -> int:
        results = []
        for move in self.points:
            if move in stones:
                continue
            own = {p for p, mark in stones.items() if mark == colour} | {move}
            if makes_five(own, move, self.rule):
                return 1
            stones[move] = colour
            value = self.plies(stones, -colour)
            del stones[move]
            results.append(0 if value == 0 else (-value + 1 if value < 0 else -value - 1))
        wins = [n for n in results if n > 0]
        if wins:
            return min(wins)
        return 0 if not results or 0 in results else min(results)


class Minimax:
    """Plain minimax to a fixed depth with the engine's evaluation: no window, no table, no order.

    `known` has the value of every node by its key in the transposition table and its depth, proven
    ones with the distance from the node itself.
    """

    def __init__(self, board: mem.EngineBoard) -> None:
        self.board = board
        self.known: dict[tuple[int, int], int] = {}

    def value(self, depth: int, me: int) -> int:
        key = (int(self.board.hash) ^ zobrist(me, 1), depth)
        if key not in self.known:
            self.known[key] = self._search(depth, me)
        return self.known[key]

    def _search(self, depth: int, me: int) -> int:
        board, other = self.board, 3 - me
        threats = count_of(board, other, mem.MAKES_FIVE)
        if board.stone_count == board.area:
            return 0
        if count_of(board, me, mem.MAKES_FIVE):
            return mem.WIN - 1
        if threats > 1:
            return 2 - mem.WIN
        if not threats and count_of(board, me, mem.MAKES_OPEN_FOUR):
            return mem.WIN - 3
        if not threats and depth <= 0:
            return cast(int, evaluate(board, me))
        best = max(self.after(move, depth - 1, me) for move in self.moves(me))
        complete = threats or count_of(board, other, mem.MAKES_OPEN_FOUR)
        return best if complete or best > -mem.PROVEN_WIN else -mem.LIKELY_WIN

    def after(self, move: int, depth: int, me: int) -> int:
        """The value of a move for the side that makes it, with `depth` plies after it."""
        make_move(self.board, move, me)
        value = -self.value(depth, 3 - me)
        undo_move(self.board, move)
        return value - np.sign(value) if abs(value) >= mem.PROVEN_WIN else value

    def moves(self, me: int) -> list[int]:
        """The answer to a four, every answer to an open four, else all that build or prevent."""
        board, other = self.board, 3 - me
        empty = [int(c) for c in board.points[: board.area] if board.stones[c] == mem.EMPTY]
        forced = [cell for cell in empty if kind_of(board, other, cell) == mem.MAKES_FIVE]
        if forced or count_of(board, other, mem.MAKES_OPEN_FOUR):
            return forced or empty
        building = [c for c in empty if any(kind_of(board, k, c) != mem.QUIET for k in (1, 2))]
        return building or empty[:1]
