"""Alpha-beta: with pruning off it equals plain minimax; what prunes never touches a proof."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.alphabeta_kernels import alphabeta, evaluate, search_root, threat_index
from trireme.gomoku.engine.board_kernels import as_int, clear_board, make_move, zobrist
from trireme.gomoku.engine.iterative_deepening import TREE_LIMITS
from trireme.gomoku.engine.network_memory_kernels import new_network_memory
from trireme.gomoku.engine.patterns import pattern_tables
from trireme.gomoku.engine.transposition_kernels import (
    EXACT,
    LOWER_BOUND,
    UNKNOWN,
    UPPER_BOUND,
    probe,
)
from trireme.gomoku.rules import Gomoku, read_points

from .brute_force import Minimax, Stones, is_won, scattered
from .test_threats import vcfs

SIZE = 7
NO_PRUNING = {
    **TREE_LIMITS,
    "leaf_vcf_nodes": 0,
    "inner_vcf_nodes": 0,
    "moves_base": mem.MAX_MOVES,
    "quiescence_plies": 0,
    "reverse_futility_depth": 0,
    "futility_depth": 0,
    "reduction_start": mem.MAX_MOVES,
    "iterative_reduction_depth": 99,
    "aspiration": 0,
}


class TreeSearch:
    """Alpha-beta on one position, with the parts of selective search that are asked for."""

    def __init__(self, stones: Stones, size: int = SIZE, exact: bool = True, **parts: int) -> None:
        self.board = mem.new_board(*pattern_tables(exact))
        clear_board(self.board, size, np.zeros(0, np.int32))
        for point, mark in stones.items():
            make_move(self.board, mem.cell_of(point), 1 if mark == 1 else 2)
        self.board.nodes = 0
        self.memory = mem.new_search_memory()
        for field, value in {**NO_PRUNING, "node_limit": 1 << 40, **parts}.items():
            setattr(self.memory, field, value)
        self.tables = mem.new_hash_tables(1 << 14, 2, new_network_memory())

    def value(
        self, depth: int, me: int, alpha: int = -mem.WIN, beta: int = mem.WIN, ply: int = 1
    ) -> int:
        at = (as_int(depth), as_int(alpha), as_int(beta), as_int(me), as_int(ply))
        return int(alphabeta(self.board, self.memory, self.tables, *at))

    def root(self, depth: int, me: int, moves: list[int], top: int, guess: int) -> list[int]:
        cells, values = np.array(moves, np.int32), np.zeros(len(moves), np.int32)
        memory, jitter = (self.board, self.memory, self.tables), np.zeros(len(moves), np.int32)
        search_root(*memory, depth, me, cells, jitter, top, as_int(guess), values)
        return [int(value) for value in values]

    def key(self, me: int) -> int:
        return int(self.board.hash) ^ int(zobrist(me, 1))


def position(text: str) -> Stones:
    points = read_points(Gomoku(), text)
    return {point: 1 - 2 * (i % 2) for i, point in enumerate(points)}


def at_ply(value: int, ply: int) -> int:
    """A value of `Minimax`, its distance counted from the root."""
    if abs(value) < mem.PROVEN_WIN:
        return value
    return value - ply if value > 0 else value + ply


@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.slow)])
@settings(max_examples=6)
@given(st.integers(0, 2**32), st.integers(16, 26), st.booleans(), st.integers(1, 2))
def test_without_pruning_it_is_minimax_and_every_row_of_its_table_a_bound(
    depth: int, seed: int, count: int, exact: bool, me: int
) -> None:
    size = SIZE if depth == 2 else 6
    stones = scattered(seed, size, count)
    assume(not is_won(stones, size, exact))
    search, plain = (TreeSearch(stones, size, exact) for _ in range(2))
    check_against_minimax(search, Minimax(plain.board), depth, me)


def check_against_minimax(search: TreeSearch, plain: Minimax, depth: int, me: int) -> None:
    truth = plain.value(depth, me)
    assert search.value(depth, me, ply=3) == at_ply(truth, 3)  # no generation kept: no row is used
    root = int(probe(search.tables.transpositions, 0, 1, search.key(me)))
    assert root < 0 or (root >> 8) & 3 == EXACT
    for key, entry in search.tables.transpositions.tolist():
        bound, value = (entry >> 8) & 3, ((entry >> 24) & 0xFFFFF) - 65536
        if key:
            exactly = plain.known[key ^ entry, entry & 255]
            assert value == exactly or bound != EXACT
            assert value <= exactly or bound != LOWER_BOUND
            assert value >= exactly or bound != UPPER_BOUND


def against_vcf(many: int, **parts: int) -> Iterator[TreeSearch]:
    """Positions in which black, were it to move, had a VCF of five plies or more."""
    for grid in vcfs(5, many):
        board = grid.board
        cells = [int(cell) for cell in board.points[: board.area]]
        marks = {mem.point_of(c): int(3 - 2 * board.stones[c]) for c in cells if board.stones[c]}
        yield TreeSearch(marks, 9, **parts)


def test_a_loss_is_no_proof_where_moves_were_left_out() -> None:
    parts = {"moves_base": 1, "moves_per_depth": 0}
    searches = against_vcf(40, **parts)
    values = [search.value(2, 2) for search in searches]
    assert values.count(-mem.LIKELY_WIN) > 1
    assert min(values) == -mem.LIKELY_WIN


@pytest.mark.slow
@settings(max_examples=6)
@given(st.integers(0, 2**32), st.integers(6, 14), st.integers(1, 3))
def test_root_values_are_those_of_minimax_whatever_was_guessed(
    seed: int, count: int, top: int
) -> None:
    stones = scattered(seed, SIZE, count)
    assume(not is_won(stones, SIZE, True))
    plain = Minimax(TreeSearch(stones).board)
    assume(abs(plain.value(1, 1)) < mem.LIKELY_WIN)
    moves = plain.moves(1)
    truth = {move: at_ply(plain.after(move, 1, 1), 0) for move in moves}
    best = sorted(truth.values(), reverse=True)[:top]
    for miss in (-300, -3, 0, 3, 300):
        for width in (0, 5):
            search = TreeSearch(stones, aspiration=width)
            values = search.root(2, 1, moves, top, truth[moves[0]] + miss)
            assert sorted(values, reverse=True)[:top] == best
            assert values[0] == truth[moves[0]]
            assert all(value >= truth[move] for move, value in zip(moves, values, strict=True))


@pytest.mark.parametrize("ply", [1, 4])
@pytest.mark.parametrize(
    ("stones", "me", "sign", "plies"),
    [
        ("h8a1i8b5j8c9k8d13", 1, 1, 1),  # four in a row: five
        ("h8a1i8b5j8c9k8", 2, -1, 2),  # an open four against the side to move
        ("h8a1i8b5j8c9", 1, 1, 3),  # an open three: open four, five
    ],
)
def test_the_plies_to_the_end_count_from_the_root(
    stones: str, me: int, sign: int, plies: int, ply: int
) -> None:
    search = TreeSearch(position(stones), 15)
    assert search.value(2, me, ply=ply) == sign * (mem.WIN - ply - plies)


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 30), st.integers(1, 2))
def test_the_evaluation_adds_what_points_are_worth_to_the_mover_and_to_the_waiter(
    seed: int, count: int, me: int
) -> None:
    stones = scattered(seed, SIZE, count)
    board = TreeSearch(stones).board
    empty = [mem.cell_of((r, c)) for r in range(SIZE) for c in range(SIZE) if (r, c) not in stones]
    own = (board.ratings[me - 1, empty] >> 24).astype(np.int16).sum(dtype=int)
    others = (board.ratings[2 - me, empty] >> 40).sum(dtype=int)
    total = own - others + board.threat_table[threat_index(board, me)]
    assert evaluate(board, me) == np.clip(total, 1 - mem.LIKELY_WIN, mem.LIKELY_WIN - 1)
    swapped = TreeSearch({point: -mark for point, mark in stones.items()}).board
    assert evaluate(swapped, 3 - me) == evaluate(board, me)


def test_it_is_good_to_be_to_move() -> None:
    boards = [TreeSearch(scattered(seed, SIZE, 8)).board for seed in range(20)]
    assert sum(evaluate(board, 1) + evaluate(board, 2) for board in boards) > 20 * 20


QUIET, UNDER_THREAT = "h8a1i9b5", "h8a1h9b5h10c9"
"""White, or in the second black with an open three, has just moved."""


def test_reverse_futility_needs_a_position_without_threats() -> None:
    parts = {"reverse_futility_depth": 9, "reverse_futility_margin": 0}
    for stones, me, prunes in ((QUIET, 1, True), (UNDER_THREAT, 2, False)):
        pruned, full = (TreeSearch(position(stones), 15, **some) for some in (parts, {}))
        static = int(evaluate(full.board, me))
        values = [search.value(1, me, static - 1, static) for search in (pruned, full)]
        assert (pruned.board.nodes == 0) == prunes
        assert values[0] == static if prunes else pruned.board.nodes == full.board.nodes


def test_futility_skips_quiet_moves_but_no_answer_to_a_threat() -> None:
    parts = {"futility_depth": 9, "futility_base": 0, "futility_margin": 0}
    pruned, full = (TreeSearch(position(QUIET), 15, **some) for some in (parts, {}))
    for search in (pruned, full):
        search.value(1, 1, 5000, 5001)
    assert pruned.board.nodes < full.board.nodes
    seen = {"leaf_vcf_nodes": 500, "inner_vcf_nodes": 500}
    pairs = zip(against_vcf(30, **parts, **seen), against_vcf(30, **seen), strict=True)
    for pruned, full in pairs:
        for search in (pruned, full):
            search.value(2, 2, 5000, 5001)
        assert replies_searched(pruned) == replies_searched(full)


def replies_searched(search: TreeSearch) -> set[int]:
    """White's moves after which the position has a row in the table."""
    table, key = search.tables.transpositions, search.key(1)
    return {c for c in range(mem.CELLS) if probe(table, 0, 1, key ^ int(zobrist(c, 2))) >= 0}


def test_an_unknown_guess_opens_no_aspiration_window() -> None:
    search = TreeSearch(position(QUIET), 15, aspiration=1)
    moves = [mem.cell_of((7, 8)), mem.cell_of((6, 7))]
    assert search.root(2, 1, moves, 2, UNKNOWN) == TreeSearch(position(QUIET), 15).root(
        2, 1, moves, 2, UNKNOWN
    )
