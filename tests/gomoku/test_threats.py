"""Threat-space search: what it proves is true, and every VCF is found."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.board_kernels import make_move, undo_move
from trireme.gomoku.engine.network_memory_kernels import new_network_memory
from trireme.gomoku.engine.threat_search_kernels import vcf, vcf_defences, vct
from trireme.gomoku.rules import Gomoku, GomokuState, Point, read_points

from .test_patterns import Grid

SIZE = 9


class Prober(Grid):
    """A position that can be asked for forced wins."""

    def __init__(self, size: int, exact: bool) -> None:
        super().__init__(size, exact)
        self.memory = mem.new_search_memory()
        self.tables = mem.new_hash_tables(2, 1 << 14, new_network_memory())

    def ask(self, attacker: int, depth: int, nodes: int = 200_000, narrow: bool = False) -> int:
        """Plies to the win that was proven, 0 when none was."""
        self.tables.no_win[:] = 0
        self.board.nodes, self.memory.threat_node_limit, self.memory.threats_cut = 0, nodes, 0
        memory = (self.board, self.memory, self.tables)
        if depth == 0:
            return int(vcf(*memory, attacker, 0))
        return int(vct(*memory, attacker, depth, 0, narrow, -1, -1))

    def first(self) -> int:
        """The first move of the sequence that was found."""
        return int(self.memory.pv[0, 0])

    def empty(self) -> list[int]:
        points = self.board.points[: self.board.area]
        return [int(cell) for cell in points if self.board.stones[cell] == mem.EMPTY]

    def fives(self, colour: int) -> list[int]:
        """Points where `colour` wins at once, by the kind that other tests hold to the rules."""
        kinds = self.board.ratings[colour - 1] & 15
        return [cell for cell in self.empty() if kinds[cell] == mem.MAKES_FIVE]


def scattered(seed: int, stones: int) -> list[tuple[Point, int]]:
    """Random stones near the middle of a small board, the colours alternating."""
    rng = np.random.default_rng(seed)
    points = [(r, c) for r in range(1, SIZE - 1) for c in range(1, SIZE - 1)]
    return [(points[i], 1 + n % 2) for n, i in enumerate(rng.permutation(len(points))[:stones])]


def prober(seed: int, stones: int, exact: bool) -> Prober:
    grid = Prober(SIZE, exact)
    for point, colour in scattered(seed, stones):
        make_move(grid.board, grid.cell(*point), colour)
    return grid


def has_vcf(grid: Prober, attacker: int, left: int) -> bool:
    """VCF the slow way: try every four, let the defender answer it, look again."""
    other = 3 - attacker
    if grid.fives(attacker):
        return True
    threatened = grid.fives(other)
    if left == 0 or len(threatened) > 1:
        return False
    for move in threatened or grid.empty():
        make_move(grid.board, move, attacker)
        made = grid.fives(attacker)
        won = len(made) > 1
        if len(made) == 1:
            make_move(grid.board, made[0], other)
            won = has_vcf(grid, attacker, left - 1)
            undo_move(grid.board, made[0])
        undo_move(grid.board, move)
        if won:
            return True
    return False


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(8, 26), st.booleans())
def test_a_vcf_is_found_exactly_when_there_is_one(seed: int, stones: int, exact: bool) -> None:
    grid = prober(seed, stones, exact)
    assume(not grid.fives(1) and len(grid.fives(2)) < 2)
    found = grid.ask(1, 0)
    assert grid.memory.threats_cut == 0
    if found:
        assert has_vcf(grid, 1, (found - 1) // 2)
    else:
        assert not has_vcf(grid, 1, 3)


def holds(grid: Prober, attacker: int, budget: list[int]) -> bool:
    """Whether a win just proven wins against every single reply, asked anew at every step.

    `budget` bounds how many steps are looked into.
    """
    other = 3 - attacker
    budget[0] -= 1
    move = grid.first()
    if budget[0] < 0 or move in grid.fives(attacker):
        return True
    make_move(grid.board, move, attacker)
    escaped = bool(grid.fives(other))
    mine = grid.fives(attacker)
    replies = grid.empty() if not mine else (mine if len(mine) == 1 else [])
    for reply in replies:
        if escaped or budget[0] < 0:
            break
        make_move(grid.board, reply, other)
        still = any(grid.ask(attacker, depth, 10**7) for depth in range(5))
        escaped = not still or not holds(grid, attacker, budget)
        undo_move(grid.board, reply)
    undo_move(grid.board, move)
    return not escaped


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(6, 16), st.booleans(), st.booleans())
def test_a_proven_win_stands_against_every_reply(
    seed: int, stones: int, exact: bool, narrow: bool
) -> None:
    grid = prober(seed, stones, exact)
    assume(not grid.fives(1) and not grid.fives(2))
    plies = grid.ask(1, 4, narrow=narrow)
    assume(plies > 3)
    assert holds(grid, 1, [400])


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(8, 24), st.booleans())
def test_only_listed_defences_can_refute_a_vcf(seed: int, stones: int, exact: bool) -> None:
    grid = prober(seed, stones, exact)
    assume(not grid.fives(2))
    assume(grid.ask(1, 0) > 1)
    count = vcf_defences(grid.board, grid.memory, 1, 0, 1)
    listed = {int(cell) for cell in grid.memory.moves[1, :count]}
    for reply in grid.empty():
        if reply not in listed:
            make_move(grid.board, reply, 2)
            assert grid.ask(1, 0) > 0
            undo_move(grid.board, reply)


@pytest.mark.parametrize(
    ("stones", "wins_standard", "wins_freestyle"),
    [
        # X.XXX on both sides of a gap: filling it makes six or more unless freestyle
        ("e5a1f5a2g5a4b5b7c5b9", False, True),
        # an open three makes an open four
        ("e5a1f5a3g5a7", True, True),
    ],
)
def test_overlines_make_no_vcf(stones: str, wins_standard: bool, wins_freestyle: bool) -> None:
    for exact, expected in ((True, wins_standard), (False, wins_freestyle)):
        game = Gomoku(size=SIZE, rule="standard" if exact else "freestyle")
        grid = Prober(SIZE, exact)
        for i, point in enumerate(read_points(game, stones)):
            make_move(grid.board, grid.cell(*point), 1 + i % 2)
        assert (grid.ask(1, 0) > 0) == expected


def test_a_double_three_is_a_vct_but_no_vcf() -> None:
    game = Gomoku()
    state = GomokuState(tuple(read_points(game, "g8a1i8c15h9o5h7k1")))
    grid = Prober(15, True)
    for point, colour in state.board().items():
        make_move(grid.board, grid.cell(*point), 1 if colour == 1 else 2)
    assert grid.ask(1, 0) == 0
    assert grid.ask(1, 1) > 0
    assert grid.first() == grid.cell(7, 7)
