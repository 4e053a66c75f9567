"""Exact counts: how many games there are, by the kernel, by the rules and by formula."""

from itertools import combinations
from math import perm

import numpy as np
import pytest

from trireme.gomoku import kernels
from trireme.gomoku.encode import board_array
from trireme.gomoku.rules import Gomoku, GomokuState

CROWDED = "a1d3c2b3a3c5b1d1c3e3b5e4e1a4e2c1b2"
"""17 of the 25 points of the smallest board, nobody has won."""


def counted(game: Gomoku, depth: int) -> tuple[int, int, int]:
    """Games going on, won and drawn within `depth` moves, by the kernel."""
    tally = np.zeros(3, np.int64)
    board = board_array(game, game.start())
    kernels.perft(board, len(game.start().stones), depth, game.rule == "standard", tally)
    return tuple(int(n) for n in tally)  # type: ignore[return-value]


def walked(game: Gomoku, state: GomokuState, depth: int) -> tuple[int, int, int]:
    """The same by the plain rules."""
    to_move = game.to_move(state)
    if not to_move:
        return (0, 1, 0) if state.winner else (0, 0, 1)
    if depth == 0:
        return (1, 0, 0)
    seat = to_move[0]
    after = (game.apply(state, {seat: a}) for a in game.legal(state, seat))
    return tuple(map(sum, zip(*(walked(game, s, depth - 1) for s in after), strict=True)))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("size", "depth"), [(5, 4), (9, 3), pytest.param(15, 3, marks=pytest.mark.slow)]
)
def test_before_anybody_can_win_every_order_of_points_is_a_game(size: int, depth: int) -> None:
    assert counted(Gomoku(size=size), depth) == (perm(size**2, depth), 0, 0)


@pytest.mark.parametrize("rule", ["standard", "freestyle"])
@pytest.mark.parametrize("depth", range(1, 7))
def test_the_kernel_counts_the_games_that_the_rules_count(rule: str, depth: int) -> None:
    game = Gomoku(size=5, rule=rule, position=CROWDED)  # type: ignore[arg-type]
    assert counted(game, depth) == walked(game, game.start(), depth)


def test_all_games_from_a_crowded_board_to_their_end() -> None:
    game = Gomoku(size=5, position=CROWDED)
    going_on, won, drawn = counted(game, 8)
    assert going_on == 0
    assert (won, drawn) == (15972, 17280)


@pytest.mark.parametrize(
    ("size", "stones", "winning"),
    [
        (5, 5, 5 + 5 + 2),  # rows, columns, diagonals
        # A line of five and any sixth stone; then: each line of six holds two fives.
        pytest.param(5, 6, 12 * 20, marks=pytest.mark.slow),
        pytest.param(6, 5, 6 * 2 + 6 * 2 + 2 * 2 + 4, marks=pytest.mark.slow),
    ],
)
def test_how_many_ways_to_put_stones_make_a_five(size: int, stones: int, winning: int) -> None:
    found = 0
    board = np.zeros(size**2, np.int8)
    for points in combinations(range(size**2), stones):
        board[list(points)] = 1
        square = board.reshape(size, size)
        found += any(kernels.wins(square, *divmod(p, size), True) for p in points)
        board[list(points)] = 0
    assert found == winning
