"""The kernels play by the plain rules, board by board and batch by batch."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.gomoku import kernels
from trireme.gomoku.encode import board_array, encoder
from trireme.gomoku.rules import DIRECTIONS, Gomoku, GomokuState, makes_five

from .positions import judged

GAMES = [Gomoku(), Gomoku(rule="freestyle"), Gomoku(size=6), Gomoku(size=5)]


def batch(b: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros((b, n, n), np.int8), np.zeros(b, np.int32), np.zeros(b, np.int8)


@given(st.integers(0, 2**32), st.sampled_from(GAMES))
def test_a_batched_step_does_what_the_rules_do(seed: int, game: Gomoku) -> None:
    rng, code = np.random.default_rng(seed), encoder(game)
    b, exact = 3, game.rule == "standard"
    boards, counts, results = batch(b, game.size)
    states = [game.start()] * b
    for _ in range(60):
        actions = np.array([code.index(game.legal(s, 0).sample(rng)) for s in states])
        kernels.step(boards, counts, actions, results, exact, True)
        for i, state in enumerate(states):
            (seat,) = game.to_move(state)
            after = game.apply(state, {seat: code.action(int(actions[i]))})
            over = not game.to_move(after)
            won = kernels.WON if after.winner else kernels.DRAWN
            assert results[i] == (won if over else kernels.GOING_ON)
            states[i] = game.start() if over else after
            assert counts[i] == len(states[i].stones)
            np.testing.assert_array_equal(boards[i], board_array(game, states[i]))


@settings(max_examples=15)
@given(st.integers(1, 2**62), st.sampled_from(GAMES))
def test_random_play_makes_legal_moves_and_ends_games_as_the_rules_do(
    seed: int, game: Gomoku
) -> None:
    code = encoder(game)
    boards, counts, results = batch(2, game.size)
    streams, actions = np.array([seed, seed + 1], np.uint64), np.zeros(2, np.int64)
    states = [game.start()] * 2
    for _ in range(2 * game.size**2):
        kernels.random_step(boards, counts, streams, actions, results, game.rule == "standard")
        for i, state in enumerate(states):
            (seat,) = game.to_move(state)
            move = code.action(int(actions[i]))
            game.check(state, seat, move)
            after = game.apply(state, {seat: move})
            assert (results[i] == kernels.GOING_ON) == bool(game.to_move(after))
            assert (results[i] == kernels.WON) == bool(after.winner)
            states[i] = after if results[i] == kernels.GOING_ON else game.start()
            np.testing.assert_array_equal(boards[i], board_array(game, states[i]))


def test_random_play_draws_every_empty_point_equally_often() -> None:
    b = 20_000
    boards, counts, results = batch(b, 5)
    boards[:, 0, :3] = 1
    streams = np.random.default_rng(5).integers(1, 2**63, b, dtype=np.uint64)
    actions = np.zeros(b, np.int64)
    kernels.random_step(boards, counts, streams, actions, results, True)
    drawn = np.bincount(actions, minlength=25)
    assert drawn[:3].sum() == 0
    expected = b / 22
    assert (((drawn[3:] - expected) ** 2) / expected).sum() < 60  # chi², 21 degrees: p < 1e-5


@pytest.mark.parametrize("action", [-1, 25, 7, 2**40, -(2**40)])
def test_an_illegal_action_changes_nothing(action: int) -> None:
    boards, counts, results = batch(1, 5)
    kernels.step(boards, counts, np.array([7]), results, True, True)
    before = boards.copy()
    kernels.step(boards, counts, np.array([action]), results, True, True)
    assert results[0] == kernels.ILLEGAL
    assert counts[0] == 1
    np.testing.assert_array_equal(boards, before)


def test_without_reset_a_finished_board_stays_to_be_looked_at() -> None:
    boards, counts, results = batch(1, 15)
    for point in (0, 30, 1, 31, 2, 32, 3, 33, 4):
        kernels.step(boards, counts, np.array([point]), results, True, False)
    assert results[0] == kernels.WON
    assert counts[0] == 9
    assert boards[0, 0, :5].tolist() == [1] * 5


def lines() -> st.SearchStrategy[tuple[np.ndarray, tuple[int, int]]]:
    """Boards crowded with stones along one line, at any place and edge, with the stone to judge."""

    def make(
        direction: tuple[int, int], first: tuple[int, int], cells: list[int], at: int, noise: int
    ) -> tuple[np.ndarray, tuple[int, int]]:
        rng = np.random.default_rng(noise)
        board = rng.choice(np.array([-1, 0, 0, 1], np.int8), (15, 15))
        on = [(first[0] + i * direction[0], first[1] + i * direction[1]) for i in range(len(cells))]
        inside = [(p, v) for p, v in zip(on, cells, strict=True) if all(0 <= i < 15 for i in p)]
        for point, value in inside:
            board[point] = value
        point = inside[at % len(inside)][0]
        board[point] = 1 if at % 2 else -1
        return board, point

    edge = st.sampled_from([0, 1, 4, 5, 9, 10, 13, 14])
    place = st.one_of(edge, st.integers(0, 14))
    cells = st.lists(st.sampled_from([1, 1, 1, 1, 0, -1]), min_size=5, max_size=15)
    return st.builds(
        make,
        st.sampled_from(DIRECTIONS),
        st.tuples(place, place),
        cells,
        st.integers(0, 1000),
        st.integers(0, 2**32),
    )


@given(lines())
def test_winning_lines_are_judged_as_the_rulebook_judges_them(
    case: tuple[np.ndarray, tuple[int, int]],
) -> None:
    board, (row, col) = case
    own = {(int(r), int(c)) for r, c in np.argwhere(board == board[row, col])}
    for rule in ("standard", "freestyle"):
        assert kernels.wins(board, row, col, rule == "standard") == makes_five(
            own, (row, col), rule
        )


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_lone_line_of_any_length_anywhere_wins_only_at_five(direction: tuple[int, int]) -> None:
    for length, (row, col) in product((4, 5, 6, 9), Gomoku().points):
        last = row + (length - 1) * direction[0], col + (length - 1) * direction[1]
        if not all(0 <= i < 15 for i in last):
            continue
        board = np.zeros((15, 15), np.int8)
        for i in range(length):
            board[row + i * direction[0], col + i * direction[1]] = -1
        for i in range(length):
            at = row + i * direction[0], col + i * direction[1]
            assert kernels.wins(board, *at, True) == (length == 5)
            assert kernels.wins(board, *at, False) == (length >= 5)
        assert judged(board, True) == (-1 if length == 5 else 0)


def test_placing_and_taking_back_leaves_the_board_as_it_was() -> None:
    board = np.zeros((15, 15), np.int8)
    board[3, 4:8] = 1
    before = board.copy()
    assert kernels.place(board, 3, 8, 1, True)
    kernels.take_back(board, 3, 8)
    np.testing.assert_array_equal(board, before)


@given(st.integers(0, 2**32), st.sampled_from(GAMES))
def test_planes_and_masks_of_a_batch_equal_those_of_the_plain_encoder(
    seed: int, game: Gomoku
) -> None:
    rng, code = np.random.default_rng(seed), encoder(game)
    points = list(game.points)
    states = []
    for _ in range(4):
        chosen = rng.permutation(len(points))[: rng.integers(0, len(points))]
        states.append(GomokuState(tuple(points[i] for i in chosen)))
    boards = np.stack([board_array(game, s) for s in states])
    counts = np.array([len(s.stones) for s in states], np.int32)
    lasts = np.array([-1 if s.last is None else code.index(s.last) for s in states])
    out = np.full((4, *code.shape), 7, np.int8)
    kernels.planes(boards, counts, lasts, out)
    legal = np.zeros((4, code.num_actions), np.bool_)
    kernels.masks(boards, legal)
    for i, state in enumerate(states):
        np.testing.assert_array_equal(out[i], code.planes(state))
        np.testing.assert_array_equal(legal[i], code.mask(state))
