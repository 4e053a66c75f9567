"""Proof-number search: whatever it claims, an independent checker and a brute-force solver confirm.

The checker and the solver are plain Python on the rules and share nothing with the engine.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.board_kernels import clear_board, make_move
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.iterative_deepening import TREE_LIMITS
from trireme.gomoku.engine.network_memory_kernels import new_network_memory
from trireme.gomoku.engine.patterns import pattern_tables
from trireme.gomoku.engine.proof_number_kernels import prove_vct
from trireme.gomoku.proof_checker import ProofChecker
from trireme.gomoku.rules import Gomoku, GomokuState, Point, Rule, makes_five, read_points

from .brute_force import BruteForce, Stones, is_won, rule_of, scattered, tense

NODES = 30_000
FORCED_WINS = Path(__file__).parents[2] / "benchmarks" / "gomoku_forced_wins.jsonl"


class ProofSearch:
    """Proof-number search on any position of one board, with a proof table that is kept."""

    def __init__(self, size: int, exact: bool, rows: int = 1 << 14) -> None:
        self.size = size
        self.board = mem.new_board(*pattern_tables(exact))
        self.memory = mem.new_search_memory()
        self.tables = mem.new_hash_tables(2, 1 << 14, new_network_memory())
        self.proofs = np.zeros((rows, 3), np.int64)

    def prove(self, stones: Mapping[Point, int], colour: int, nodes: int = NODES) -> int:
        """Plies to the five, 0 unknown, -1 disproven; the line is left in `line`."""
        clear_board(self.board, self.size, np.zeros(0, np.int32))
        for point, mark in stones.items():
            make_move(self.board, mem.cell_of(point), 1 if mark == 1 else 2)
        self.board.nodes = 0
        memory = (self.board, self.memory, self.tables, self.proofs)
        plies = int(prove_vct(*memory, 1 if colour == 1 else 2, nodes))
        length = int(self.memory.pv_lengths[0]) if plies > 0 else 0
        self.line = [mem.point_of(cell) for cell in self.memory.pv[0, :length]]
        return plies

    def forget(self) -> None:
        self.proofs[:] = 0
        self.tables.no_win[:] = 0

    def strategy(self, stones: Mapping[Point, int], colour: int) -> Point | None:
        return self.line[0] if self.prove(stones, colour) > 0 else None


def claims(
    size: int, exact: bool, rows: int, least: int, many: int
) -> Iterator[tuple[Stones, ProofSearch, int]]:
    """Random positions in which black is proven to win in `least` plies or more."""
    seed, search = 0, ProofSearch(size, exact, rows)
    while many:
        seed += 1
        stones = scattered(seed, size, 8 + seed % 13)
        search.forget()
        if is_won(stones, size, exact):
            continue
        plies = search.prove(stones, 1)
        if plies >= least:
            yield stones, search, plies
            many -= 1


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("size", [7, 9])
def test_every_proven_win_is_confirmed_by_the_checker(size: int, exact: bool) -> None:
    checker = ProofChecker(size, rule_of(exact))
    for stones, search, plies in claims(size, exact, 1 << 14, 5, 6):
        assert checker.escapes(dict(stones), 1, search.strategy, plies) is None


def test_a_proof_stands_where_the_table_loses_rows() -> None:
    """Its distance is found anew then, and may be longer."""
    checker = ProofChecker(9)
    for stones, search, _ in claims(9, True, 1 << 6, 7, 2):
        assert checker.escapes(dict(stones), 1, search.strategy, 81) is None


@pytest.mark.parametrize("exact", [True, False])
def test_the_line_of_a_proof_can_be_played_and_ends_within_its_plies(exact: bool) -> None:
    checker = ProofChecker(9, rule_of(exact))
    for stones, search, plies in claims(9, exact, 1 << 14, 1, 20):
        line, mark = list(search.line), 1
        assert len(line) <= plies
        for point in line:
            assert point not in stones
            stones[point] = mark
            mark = -mark
        own = {p for p, colour in stones.items() if colour == 1}
        if not makes_five(own, line[-1], rule_of(exact)):
            # it ends with a move after which no reply is left
            assert mark == -1
            assert checker.reply_that_escapes(stones, 1, search.strategy, plies - len(line)) is None


small_positions = st.tuples(
    st.integers(0, 2**32), st.integers(5, 7), st.integers(5, 7), st.booleans(), st.booleans()
)
"""A seed, the size, how many points are empty, the rule and the side to move."""
AGGRESSIVE = {
    "moves_base": 1,
    "moves_per_depth": 1,
    "reverse_futility_depth": 9,
    "reverse_futility_margin": 10,
    "futility_depth": 9,
    "futility_base": 0,
    "futility_margin": 0,
    "reduction_divisor": 50,
    "aspiration": 5,
}
"""Selective search as reckless as can be."""


@settings(max_examples=60)
@given(small_positions)
def test_proofs_agree_with_brute_force_on_small_boards(
    small_searches: dict[tuple[int, bool], ProofSearch], case: tuple[int, int, int, bool, bool]
) -> None:
    seed, size, empty, exact, black = case
    stones, colour = tense(seed, size, empty, exact), 1 if black else -1
    truth = BruteForce(size, exact).plies(stones, colour)
    search = small_searches[size, exact]
    search.forget()
    plies = search.prove(stones, colour)
    if truth in (1, 3):
        assert plies == truth
    if plies > 0:
        assert 0 < truth <= plies


@pytest.fixture(scope="module")
def small_searches() -> dict[tuple[int, bool], ProofSearch]:
    return {(n, exact): ProofSearch(n, exact) for n in (5, 6, 7) for exact in (True, False)}


@pytest.fixture(scope="module")
def small_engines() -> dict[tuple[int, bool], Engine]:
    """By size, negative for one with next to no table, and rule."""
    return {
        (n, exact): Engine(abs(n), exact, rows=1 << 10 if n > 0 else 2)
        for n in (5, 6, 7, -5, -6, -7)
        for exact in (True, False)
    }


@pytest.mark.parametrize("parts", [{}, AGGRESSIVE], ids=["as shipped", "aggressive"])
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(case=small_positions)
def test_proven_analyses_agree_with_brute_force_on_small_boards(
    small_engines: dict[tuple[int, bool], Engine],
    monkeypatch: pytest.MonkeyPatch,
    parts: dict[str, int],
    case: tuple[int, int, int, bool, bool],
) -> None:
    """With whatever pruning, a table of a thousand rows or none (2), threat search or not."""
    seed, size, empty, exact, black = case
    for field, value in parts.items():
        monkeypatch.setitem(TREE_LIMITS, field, value)
    stones, colour = tense(seed, size, empty, exact), 1 if black else -1
    truth = BruteForce(size, exact).plies(stones, colour)
    proven = set()
    for engine in (small_engines[size, exact], small_engines[-size, exact]):
        for fours in (True, False):
            engine.set_position(stones.items(), colour)
            found = engine.analyse(SearchLimits(nodes=3000, fours=fours, threats=fours))
            plies = found.moves[0].plies or 0
            if truth in (1, 3) or truth == -2:
                assert found.proven
                assert plies == abs(truth)
            if found.proven:
                assert 0 < truth <= plies if found.value > 0 else 0 < -truth <= plies
                proven.add((engine, fours))
    assert parts or len(proven) in (0, 2, 4)  # the table changes nothing


def test_the_proof_table_is_kept_within_a_game_and_only_there(
    small_engines: dict[tuple[int, bool], Engine],
) -> None:
    engine = small_engines[7, True]
    three: Stones = {(3, 2): 1, (0, 0): -1, (3, 3): 1, (6, 0): -1}

    def rows_after(stones: Stones, walls: tuple[Point, ...] = ()) -> int:
        engine.set_position(stones.items(), 1, walls)
        return int(np.count_nonzero(engine.proofs[:, 0]))

    def fill() -> None:
        rows_after(three)
        engine.analyse(SearchLimits(nodes=3000))

    fill()
    assert rows_after({**three, (2, 2): 1, (6, 6): -1}) > 0
    fill()
    assert rows_after({**three, (2, 2): 1, (6, 6): -1}, ((0, 6),)) == 0
    fill()
    assert rows_after({(3, 2): 1, (0, 1): -1, (3, 3): 1, (6, 0): -1, (1, 1): 1}) == 0
    fill()
    assert rows_after(three) == 0


def test_a_search_that_was_cut_goes_on_where_it_stopped() -> None:
    pieces = ProofSearch(9, True)
    needed = 0
    for stones, search, plies in claims(9, True, 1 << 14, 11, 2):
        search.forget()
        assert search.prove(stones, 1) == plies
        needed, times = int(search.board.nodes), 0
        pieces.forget()
        while (found := pieces.prove(stones, 1, 40)) == 0:
            times += 1
            assert times < needed  # each of them gets on by some nodes
        assert found > 0
    assert needed > 100


@pytest.mark.parametrize(
    "moves",
    [
        "b12f14c11f12f10f11e9d10e11g9b11e12",
        "g10e11d7d10e7c9b8f12g13d6",
        "b12f14c11f11c10f12f10e9e11g9d9f13f15i9",
    ],
)
def test_the_best_threat_is_searched_deep_before_others(moves: str) -> None:
    """With equal first numbers for all threats these proofs take 25 to 66 thousand nodes."""
    points, nodes = read_points(Gomoku(), moves), 2500
    stones = {point: 1 if i % 2 == 0 else -1 for i, point in enumerate(points)}
    assert ProofSearch(15, True).prove(stones, 1 if len(points) % 2 == 0 else -1, nodes) > 0


def test_the_checker_refuses_false_claims() -> None:
    stones: Stones = dict(_double_three().board().items())
    search, checker = ProofSearch(15, True), ProofChecker()
    plies = search.prove(stones, 1)
    assert checker.escapes(dict(stones), 1, search.strategy, plies) is None
    assert checker.escapes(dict(stones), 1, search.strategy, 3) is not None
    assert checker.escapes(dict(stones), 1, lambda *_: (0, 14), 225) is not None
    assert checker.escapes(dict(stones), 1, lambda *_: None, 225) is not None
    assert checker.escapes(dict(stones), 1, lambda *_: next(iter(stones)), 225) is not None


@pytest.mark.parametrize(("rule", "wins"), [("standard", False), ("freestyle", True)])
def test_the_checker_knows_that_six_are_not_five(rule: Rule, wins: bool) -> None:
    six = dict(GomokuState(tuple(read_points(Gomoku(), "g8a1h8c5i8e11k8g14l8i2"))).board().items())
    checker = ProofChecker(15, rule)
    assert ((9, 7) in checker.fives(six, 1)) is False
    assert ((7, 9) in checker.fives(six, 1)) is wins


@pytest.mark.parametrize(
    ("black", "white", "plies"),
    [
        ("h8i8j8k8", "a1b5c9l8", 1),  # a four
        ("h8i8j8", "a1b5c9", 3),  # an open three
        ("c8h9h10h11", "d8e8f8g8", 3),  # the answer to a four makes an open four
    ],
)
def test_distances_of_short_wins_are_exact(black: str, white: str, plies: int) -> None:
    stones: Stones = dict.fromkeys(read_points(Gomoku(), black), 1)
    stones |= dict.fromkeys(read_points(Gomoku(), white), -1)
    assert ProofSearch(15, True).prove(stones, 1) == plies


def test_a_double_three_is_a_vct_but_no_vcf() -> None:
    stones: Stones = dict(_double_three().board().items())
    search = ProofSearch(15, True)
    assert ProofChecker().vcf(dict(stones), 1, 9, []) is None
    assert search.prove(stones, 1) == 5
    assert search.line[0] == (7, 7)


def test_the_shipped_forced_wins_are_positions_and_the_first_short_ones_are_confirmed() -> None:
    lines = FORCED_WINS.read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    assert [case["id"] for case in cases] == list(range(len(cases)))
    assert len({case["stones"] for case in cases}) == len(cases)
    for case in cases:
        state = Gomoku(position=case["stones"]).start()
        assert (1 if state.colour == 1 else 2) == case["side"]
        assert case["mate_plies"] % 2 == 1
    search, checker = ProofSearch(15, True), ProofChecker()
    for case in [case for case in cases if 5 <= case["mate_plies"] <= 9][:3]:
        state = Gomoku(position=case["stones"]).start()
        stones: Stones = dict(state.board().items())
        plies = search.prove(stones, state.colour)
        assert plies > 0  # not always as short as the proof that was shipped
        assert checker.escapes(stones, state.colour, search.strategy, plies) is None


def _double_three() -> GomokuState:
    return GomokuState(tuple(read_points(Gomoku(), "g8a1i8c15h9o5h7k1")))


@pytest.mark.parametrize(
    ("white", "line"),
    [
        ("g8 a1 c1 e1 a3", [(7, 10), (4, 10)]),
        ("g8 l9 l10 l11 a3", None),  # the answer to the four makes white's own open four
    ],
)
def test_the_checker_follows_fours_and_their_answers(
    white: str, line: list[tuple[int, int]] | None
) -> None:
    """A closed four at k8, whose answer is l8, prepares an open one in the column."""
    black = "h8 i8 j8 k6 k7"
    moves = "".join(f"{b}{w}" for b, w in zip(black.split(), white.split(), strict=True))
    stones: Stones = dict(GomokuState(tuple(read_points(Gomoku(), moves))).board().items())
    assert ProofChecker().vcf(stones, 1, 9, []) == line
    assert ProofChecker().vcf(stones, 1, 5, []) == line
    assert ProofChecker().vcf(stones, 1, 4, []) is None


def test_a_single_four_is_answered_and_proves_nothing() -> None:
    stones: Stones = dict.fromkeys(read_points(Gomoku(), "h8i8j8"), 1)
    stones |= dict.fromkeys(read_points(Gomoku(), "g8a1c1"), -1)
    four, answer = read_points(Gomoku(), "k8l8")
    escape = ProofChecker().escapes(stones, 1, lambda s, _: None if four in s else four, 7)
    assert escape == [four, answer]


def test_a_stone_at_the_left_end_of_a_four_makes_fives_at_both_ends() -> None:
    position = GomokuState(tuple(read_points(Gomoku(), "i8m8j8a1k8c3"))).board()
    assert ProofChecker().vcf(dict(position.items()), 1, 3, []) == [(7, 7)]


def test_the_checker_grants_a_win_exactly_the_plies_that_it_needs() -> None:
    stones = dict.fromkeys(read_points(Gomoku(), "h8i8j8"), 1)
    stones |= dict.fromkeys(read_points(Gomoku(), "a1b5c9"), -1)
    checker = ProofChecker()
    open_four = read_points(Gomoku(), "k8")[0]
    assert checker.escapes(stones, 1, lambda *_: open_four, 3) is None
    assert checker.positions == 1
    assert checker.escapes(stones, 1, lambda *_: open_four, 2) == [open_four]
    assert checker.positions == 1


def test_the_checker_finds_the_fours_at_the_end_without_the_strategy() -> None:
    stones: Stones = dict(_double_three().board().items())

    def first_move(position: Mapping[Point, int], _: int) -> Point | None:
        return None if (7, 7) in position else (7, 7)

    assert ProofChecker().escapes(dict(stones), 1, first_move, 5) is None
    assert ProofChecker().escapes(dict(stones), 1, first_move, 4) is not None
