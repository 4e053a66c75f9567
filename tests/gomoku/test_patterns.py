"""Pattern tables and the incremental board agree with a slow recomputation from scratch."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.board_kernels import (
    clear_board,
    first_of,
    kind_of,
    make_move,
    mover_value,
    undo_move,
    waiter_value,
)
from trireme.gomoku.engine.pattern_kernels import line_key, score_points
from trireme.gomoku.engine.patterns import line_shapes, pattern_tables, rating_table
from trireme.gomoku.kernels import wins

EMPTY, OWN, OTHER, WALL = range(4)
Line = tuple[int, ...]


@cache
def shape(line: Line, exact: bool) -> int:
    """What a stone put between the fifth and sixth of these ten points makes, by definition."""
    run = 1
    for side in (line[4::-1], line[5:]):
        for point in side:
            if point != OWN:
                break
            run += 1
    if run >= 5:
        return mem.FIVE if run == 5 or not exact else mem.NOTHING
    then = successors(line, exact)
    if then.count(mem.FIVE) >= 2:
        return mem.OPEN_FOUR
    if mem.FIVE in then:
        return mem.FOUR
    weaker = {mem.OPEN_FOUR: mem.OPEN_THREE, mem.FOUR: mem.THREE, mem.OPEN_THREE: mem.OPEN_TWO}
    weaker |= {mem.THREE: mem.TWO, mem.OPEN_TWO: mem.OPEN_ONE, mem.TWO: mem.ONE}
    return weaker.get(max(then, default=mem.NOTHING), mem.NOTHING)


def successors(line: Line, exact: bool) -> list[int]:
    """The shapes that one more own stone in the line leads to."""
    return [shape((*line[:i], OWN, *line[i + 1 :]), exact) for i in range(10) if line[i] == EMPTY]


GRADED = {mem.OPEN_ONE: 5, mem.TWO: 3, mem.OPEN_TWO: 3, mem.THREE: 2, mem.OPEN_THREE: 2}
"""The shapes of two grades, and how many ways on the higher one has at least."""


def grade(line: Line, exact: bool) -> int:
    """The rank of the shape among all grades: two for each of `GRADED`, one for each other."""
    made = shape(line, exact)
    below = made + sum(weaker < made for weaker in GRADED)
    then = successors(line, exact)
    ways = then.count(max(then, default=mem.NOTHING))
    return below + (made in GRADED and ways >= GRADED[made])


def lines() -> st.SearchStrategy[Line]:
    """Ten points around a stone; walls only outward from the first wall."""

    def make(inner: list[int], before: int, after: int) -> Line:
        walled = [WALL] * before + inner[before : 10 - after] + [WALL] * after
        return tuple(walled)

    cells = st.lists(st.sampled_from([EMPTY, EMPTY, OWN, OWN, OTHER]), min_size=10, max_size=10)
    return st.builds(make, cells, st.integers(0, 5), st.integers(0, 5))


@given(lines(), st.booleans())
def test_the_tables_hold_shape_and_grade_of_every_line_for_both_colours(
    line: Line, exact: bool
) -> None:
    shapes, grades = line_shapes(exact)
    key = sum(value << (2 * i) for i, value in enumerate(line))
    assert shapes[key] & 15 == shape(line, exact)
    assert grades[key] & 15 == grade(line, exact)
    swapped = tuple({OWN: OTHER, OTHER: OWN}.get(value, value) for value in line)
    assert shapes[key] >> 4 == shape(swapped, exact)
    assert grades[key] >> 4 == grade(swapped, exact)


@pytest.mark.parametrize(
    ("text", "standard", "freestyle"),
    [
        (".XXX*X....", mem.FIVE, mem.FIVE),
        ("XXXX*X....", mem.NOTHING, mem.FIVE),
        (".XXX*.....", mem.OPEN_FOUR, mem.OPEN_FOUR),
        ("OXXX*.....", mem.FOUR, mem.FOUR),
        ("OXXX*O....", mem.NOTHING, mem.NOTHING),
        ("X.XX*.....", mem.FOUR, mem.FOUR),
        ("X.XX*.X...", mem.OPEN_FOUR, mem.OPEN_FOUR),
        ("..XX*.....", mem.OPEN_THREE, mem.OPEN_THREE),
        ("OXX.*.....", mem.THREE, mem.THREE),
        ("XX.XX*....", mem.THREE, mem.FOUR),  # the gap would make six
        ("X.XXX*....", mem.FOUR, mem.OPEN_FOUR),
    ],
)
def test_shapes_that_players_know(text: str, standard: int, freestyle: int) -> None:
    middle = text.index("*")
    around = ("." * 5 + text[:middle])[-5:] + (text[middle + 1 :] + "." * 5)[:5]
    line = tuple(".XO".index(c) for c in around)
    assert (shape(line, True), shape(line, False)) == (standard, freestyle)


def random_board(seed: int, size: int, share: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.choice(np.array([0, 1, -1], np.int8), (size, size), p=[1 - share, *[share / 2] * 2])


boards = st.builds(
    random_board, st.integers(0, 2**32), st.sampled_from([5, 9, 15]), st.floats(0.05, 0.8)
)


class Grid:
    """The engine's board, on its own."""

    def __init__(self, size: int, exact: bool) -> None:
        self.board = mem.new_board(*pattern_tables(exact))
        clear_board(self.board, size, np.zeros(0, np.int32))

    @staticmethod
    def cell(row: int, col: int) -> int:
        return mem.cell_of((int(row), int(col)))

    def fill(self, board: np.ndarray) -> None:
        for row, col in np.argwhere(board):
            make_move(self.board, self.cell(row, col), 1 if board[row, col] == 1 else 2)

    def derived(self) -> list[bytes]:
        """Everything derived that does not depend on the order of the stones."""
        board = self.board
        empty = board.stones == mem.EMPTY  # the rating of a taken point is not kept up
        forcing = [np.sort(board.forcing[c, : board.forcing_counts[c]]) for c in range(2)]
        parts = (board.stones, board.line_keys, board.grades, board.ratings * empty)
        sums = (board.mover_sums, board.waiter_sums)
        counts = (board.kind_counts, *sums, np.array((board.hash, board.stone_count)))
        return [part.tobytes() for part in (*parts, *counts, *forcing)]


@given(boards, st.booleans())
def test_points_that_win_are_those_where_the_rules_see_a_win(
    board: np.ndarray, exact: bool
) -> None:
    grid = Grid(len(board), exact)
    grid.fill(board)
    for row, col in np.argwhere(board == 0):
        for colour, mark in ((1, 1), (2, -1)):
            board[row, col] = mark
            kind = kind_of(grid.board, colour, grid.cell(row, col))
            assert (kind == mem.MAKES_FIVE) == wins(board, row, col, exact)
            board[row, col] = 0


@given(boards, st.booleans())
def test_a_four_is_a_stone_after_which_another_makes_five(board: np.ndarray, exact: bool) -> None:
    grid = Grid(len(board), exact)
    grid.fill(board)
    empty = [(int(r), int(c)) for r, c in np.argwhere(board == 0)]
    for point in empty[:12]:
        kind = kind_of(grid.board, 1, grid.cell(*point))
        if kind == mem.MAKES_FIVE:
            continue
        before = {p for p in empty if p != point and _wins_at(board, p, exact)}
        board[point] = 1
        after = {p for p in empty if p != point and _wins_at(board, p, exact)}
        board[point] = 0
        new = len(after - before)
        fours = {0: 0, 1: 1}.get(new, 2)
        expected = {mem.MAKES_FOUR: 1, mem.FOUR_THREE: 1, mem.MAKES_OPEN_FOUR: 2}.get(int(kind), 0)
        if not before:
            assert fours == expected


def _wins_at(board: np.ndarray, point: tuple[int, int], exact: bool) -> bool:
    board[point] = 1
    won = wins(board, *point, exact)
    board[point] = 0
    return bool(won)


@given(boards, st.integers(0, 2**32), st.booleans())
def test_putting_and_taking_back_in_any_order_leads_to_the_same_board(
    board: np.ndarray, seed: int, exact: bool
) -> None:
    rng = np.random.default_rng(seed)
    grid, fresh = Grid(len(board), exact), Grid(len(board), exact)
    grid.fill(board)
    before = grid.derived()
    empty = [tuple(p) for p in np.argwhere(board == 0)]
    stack = [grid.cell(*empty[i]) for i in rng.permutation(len(empty))[:20]]
    for i, cell in enumerate(stack):
        make_move(grid.board, cell, 1 + i % 2)
    for cell in reversed(stack):
        undo_move(grid.board, cell)
    assert grid.derived() == before
    for row, col in rng.permutation(np.argwhere(board)):
        make_move(fresh.board, fresh.cell(row, col), 1 if board[row, col] == 1 else 2)
    assert fresh.derived() == before


@given(boards)
def test_counts_and_lists_agree_with_the_points(board: np.ndarray) -> None:
    grid = Grid(len(board), True)
    grid.fill(board)
    cells = [grid.cell(row, col) for row, col in np.argwhere(board == 0)]
    for colour in (1, 2):
        kinds = np.array([kind_of(grid.board, colour, cell) for cell in cells], int)
        counts = grid.board.kind_counts[colour - 1]
        np.testing.assert_array_equal(counts, np.bincount(kinds, minlength=8))
        for kind in range(mem.MAKES_THREE, mem.MAKES_FIVE + 1):
            found = first_of(grid.board, colour, kind)
            assert found == min(
                (c for c, k in zip(cells, kinds, strict=True) if k == kind), default=-1
            )


@given(boards)
def test_scores_add_up_the_shapes_of_the_four_lines(board: np.ndarray) -> None:
    own, against = np.arange(10, dtype=np.int32) ** 3, np.arange(10, dtype=np.int32) ** 2
    shapes, scores = line_shapes(True)[0], np.zeros(board.shape, np.int32)
    score_points(board, -1, shapes, own, against, scores)
    for row, col in np.argwhere(board == 0)[:10]:
        made = [shapes[line_key(board, row, col, *d)] for d in ((0, 1), (1, 0), (1, 1), (1, -1))]
        assert scores[row, col] == sum(own[s >> 4] + against[s & 15] for s in made)
    assert (scores[board != 0] == np.iinfo(np.int32).min).all()


def test_a_rating_packs_kind_ordering_scores_and_values() -> None:
    tables = np.zeros((4, mem.SHAPE_SETS), np.int32)
    rising = 3 | 11 << 4 | 11 << 8 | 12 << 12  # an open one, two open threes and a four
    tables[:, rising] = 1023, 512, -20_000, -7
    ratings = rating_table(*tables)
    for order in ((3, 11, 11, 12), (12, 11, 3, 11)):
        rating = ratings[sum(grade << (4 * d) for d, grade in enumerate(order))]
        assert rating & 15 == mem.FOUR_THREE
        assert (rating >> 4 & 1023, rating >> 14 & 1023) == (1023, 512)
        assert (mover_value(rating), waiter_value(rating)) == (-20_000, -7)
