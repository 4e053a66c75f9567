"""Victory by continuous fours: every VCF is found, and every defence against it listed."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.board_kernels import clear_board, make_move, undo_move
from trireme.gomoku.engine.network_memory_kernels import new_network_memory
from trireme.gomoku.engine.proof_number_kernels import open_four_defences
from trireme.gomoku.engine.threat_search_kernels import vcf, vcf_defences
from trireme.gomoku.rules import Gomoku, Point, read_points

from .test_patterns import Grid

SIZE = 9


class Prober(Grid):
    """A position that can be asked for forced wins."""

    def __init__(self, size: int, exact: bool) -> None:
        super().__init__(size, exact)
        self.memory = mem.new_search_memory()
        self.tables = mem.new_hash_tables(2, 1 << 14, new_network_memory())

    def ask(self, attacker: int, nodes: int = 200_000) -> int:
        """Plies to the win by fours that was proven, 0 when none was."""
        self.tables.no_win[:] = 0
        self.board.nodes, self.memory.threat_node_limit, self.memory.threats_cut = 0, nodes, 0
        return int(vcf(self.board, self.memory, self.tables, attacker, 0))

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


@cache
def shared_prober(exact: bool) -> Prober:
    return Prober(SIZE, exact)


def prober(seed: int, stones: int, exact: bool) -> Prober:
    grid = shared_prober(exact)
    clear_board(grid.board, SIZE, np.zeros(0, np.int32))
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


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(8, 26), st.booleans())
def test_a_vcf_is_found_exactly_when_there_is_one(seed: int, stones: int, exact: bool) -> None:
    grid = prober(seed, stones, exact)
    assume(not grid.fives(1) and len(grid.fives(2)) < 2)
    found = grid.ask(1)
    assert grid.memory.threats_cut == 0
    if found:
        assert has_vcf(grid, 1, (found - 1) // 2)
        assert found == plies_of_line(grid, 1)
    else:
        assert not has_vcf(grid, 1, 3)


def plies_of_line(grid: Prober, attacker: int) -> int:
    """How long the sequence at ply 0 takes when it is played out to the five."""
    line = [int(cell) for cell in grid.memory.pv[0, : grid.memory.pv_lengths[0]]]
    for i, cell in enumerate(line[:-1]):
        make_move(grid.board, cell, attacker if i % 2 == 0 else 3 - attacker)
    wins = line[-1] in grid.fives(attacker)
    for cell in reversed(line[:-1]):
        undo_move(grid.board, cell)
    return len(line) if wins else len(line) + 2


def vcfs(least: int, many: int) -> Iterator[Prober]:
    """Random positions with a VCF of black's of so many plies or more, white without a five."""
    seed = 0
    while many:
        seed += 1
        grid = prober(seed, 8 + seed % 23, seed % 2 == 0)
        if not grid.fives(2) and grid.ask(1) >= least:
            yield grid
            many -= 1


def replies_that_escape(grid: Prober) -> set[int]:
    """White's moves after which black has no VCF."""
    found = set()
    for reply in grid.empty():
        make_move(grid.board, reply, 2)
        if grid.ask(1) == 0:
            found.add(reply)
        undo_move(grid.board, reply)
    return found


@pytest.mark.parametrize("least", [3, pytest.param(7, marks=pytest.mark.slow)])
def test_only_listed_defences_can_refute_a_vcf(least: int) -> None:
    for grid in vcfs(least, 40):
        assert grid.ask(1) == plies_of_line(grid, 1)
        count = vcf_defences(grid.board, grid.memory, 1, 0, 1)
        listed = [int(cell) for cell in grid.memory.moves[1, :count]]
        assert len(set(listed)) == count
        assert replies_that_escape(grid) <= set(listed)


def test_defences_are_listed_once_after_any_number_of_lists() -> None:
    grid = next(vcfs(7, 1))
    grid.memory.mark = 2**31
    count = vcf_defences(grid.board, grid.memory, 1, 0, 1)
    assert len(set(grid.memory.moves[1, :count].tolist())) == count > 0


def test_only_listed_replies_stop_all_open_fours() -> None:
    tried = 0
    for seed in range(600):
        grid = prober(seed, 8 + seed % 23, seed % 2 == 0)
        counts = grid.board.kind_counts
        if counts[:, mem.MAKES_FIVE].any() or not counts[0, mem.MAKES_OPEN_FOUR]:
            continue
        tried += 1
        count = open_four_defences(grid.board, grid.memory, 1, 1)
        listed = {int(cell) for cell in grid.memory.moves[1, :count]}
        for reply in set(grid.empty()) - listed:
            make_move(grid.board, reply, 2)
            assert counts[0, mem.MAKES_OPEN_FOUR]
            assert not counts[1, mem.MAKES_FIVE]
            undo_move(grid.board, reply)
    assert tried > 100


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
        assert (grid.ask(1) > 0) == expected
