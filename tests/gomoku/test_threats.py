"""Threat search: what it proves is true, and wins by fours are all found."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from trireme.gomoku.engine import memory_kernels as at
from trireme.gomoku.engine.board_kernels import put, take
from trireme.gomoku.engine.threat_search_kernels import defences, fours, threats
from trireme.gomoku.rules import Gomoku, Point, State, read_points

from .test_patterns import Grid

SIZE = 9


class Prober(Grid):
    """A position that can be asked for forced wins."""

    def __init__(self, size: int, exact: bool) -> None:
        super().__init__(size, exact)
        self.memo = np.zeros(1 << 14, np.int64)

    def ask(self, attacker: int, depth: int, nodes: int = 200_000, narrow: bool = False) -> int:
        """Plies to the win that was proven, 0 when none was."""
        self.memo[:] = 0
        self.control[at.NODES], self.control[at.THREAT_LIMIT], self.control[at.CUT] = 0, nodes, 0
        if depth == 0:
            return int(fours(*self.arrays, self.memo, attacker, 0))
        return int(threats(*self.arrays, self.memo, attacker, depth, 0, narrow, -1, -1))

    def first(self) -> int:
        """The first move of the line that was found."""
        return int(self.state[at.LINE])

    def empty(self) -> list[int]:
        return [int(c) for c in self.state[at.POINTS :][: self.state[at.AREA]] if not self.state[c]]

    def fives(self, colour: int) -> list[int]:
        """Points where `colour` wins at once, by the kind that other tests hold to the rules."""
        worth = self.state[at.WORTH + (colour - 1) * at.CELLS :]
        return [cell for cell in self.empty() if worth[cell] & 15 == at.WINS]


def scattered(seed: int, stones: int) -> list[tuple[Point, int]]:
    """Stones thrown near the middle of a small board, the colours alternating."""
    rng = np.random.default_rng(seed)
    points = [(r, c) for r in range(1, SIZE - 1) for c in range(1, SIZE - 1)]
    return [(points[i], 1 + n % 2) for n, i in enumerate(rng.permutation(len(points))[:stones])]


def prober(seed: int, stones: int, exact: bool) -> Prober:
    grid = Prober(SIZE, exact)
    for point, colour in scattered(seed, stones):
        put(*grid.arrays, grid.cell(*point), colour)
    return grid


def wins_by_fours(grid: Prober, attacker: int, left: int) -> bool:
    """The slow way: try every four, let the defender answer it, look again."""
    other = 3 - attacker
    if grid.fives(attacker):
        return True
    pressing = grid.fives(other)
    if left == 0 or len(pressing) > 1:
        return False
    for move in pressing or grid.empty():
        put(*grid.arrays, move, attacker)
        made = grid.fives(attacker)
        won = len(made) > 1
        if len(made) == 1:
            put(*grid.arrays, made[0], other)
            won = wins_by_fours(grid, attacker, left - 1)
            take(*grid.arrays, made[0])
        take(*grid.arrays, move)
        if won:
            return True
    return False


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(8, 26), st.booleans())
def test_a_win_by_fours_is_found_exactly_when_there_is_one(
    seed: int, stones: int, exact: bool
) -> None:
    grid = prober(seed, stones, exact)
    assume(not grid.fives(1) and len(grid.fives(2)) < 2)
    found = grid.ask(1, 0)
    assert grid.control[at.CUT] == 0
    if found:
        assert wins_by_fours(grid, 1, (found - 1) // 2)
    else:
        assert not wins_by_fours(grid, 1, 3)


def holds(grid: Prober, attacker: int, budget: list[int]) -> bool:
    """Whether a win just proven wins against every single reply, asked anew at every step.

    `budget` bounds how many steps are looked into.
    """
    other = 3 - attacker
    budget[0] -= 1
    move = grid.first()
    if budget[0] < 0 or move in grid.fives(attacker):
        return True
    put(*grid.arrays, move, attacker)
    escaped = bool(grid.fives(other))
    mine = grid.fives(attacker)
    replies = grid.empty() if not mine else (mine if len(mine) == 1 else [])
    for reply in replies:
        if escaped or budget[0] < 0:
            break
        put(*grid.arrays, reply, other)
        still = any(grid.ask(attacker, depth, 10**7) for depth in range(5))
        escaped = not still or not holds(grid, attacker, budget)
        take(*grid.arrays, reply)
    take(*grid.arrays, move)
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
def test_only_listed_defences_can_spoil_a_win_by_fours(seed: int, stones: int, exact: bool) -> None:
    grid = prober(seed, stones, exact)
    assume(not grid.fives(2))
    assume(grid.ask(1, 0) > 1)
    many = defences(*grid.arrays, 1, 0, 1)
    listed = {int(c) for c in grid.state[at.MOVES + 2 * at.ROOM :][:many]}
    for reply in grid.empty():
        if reply not in listed:
            put(*grid.arrays, reply, 2)
            assert grid.ask(1, 0) > 0
            take(*grid.arrays, reply)


@pytest.mark.parametrize(
    ("stones", "wins_standard", "wins_freestyle"),
    [
        # X.XXX on both sides of a gap: filling it makes six or more unless freestyle
        ("e5a1f5a2g5a4b5b7c5b9", False, True),
        # an open three makes an open four
        ("e5a1f5a3g5a7", True, True),
    ],
)
def test_overlines_do_not_win_by_fours(
    stones: str, wins_standard: bool, wins_freestyle: bool
) -> None:
    for exact, expected in ((True, wins_standard), (False, wins_freestyle)):
        game = Gomoku(size=SIZE, rule="standard" if exact else "freestyle")
        grid = Prober(SIZE, exact)
        for i, point in enumerate(read_points(game, stones)):
            put(*grid.arrays, grid.cell(*point), 1 + i % 2)
        assert (grid.ask(1, 0) > 0) == expected


def test_a_three_and_a_three_win_by_threats_but_not_by_fours() -> None:
    game = Gomoku()
    state = State(tuple(read_points(game, "g8a1i8c15h9o5h7k1")))
    grid = Prober(15, True)
    for point, colour in state.board().items():
        put(*grid.arrays, grid.cell(*point), 1 if colour == 1 else 2)
    assert grid.ask(1, 0) == 0
    assert grid.ask(1, 1) > 0
    assert grid.first() == grid.cell(7, 7)
