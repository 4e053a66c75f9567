"""Fitting the evaluation: features are the engine's own, planted weights are found again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trireme.core.errors import TriremeError
from trireme.gomoku.engine import memory_kernels as mem
from trireme.gomoku.engine.alphabeta_kernels import evaluate
from trireme.gomoku.engine.board_kernels import (
    clear_board,
    grades_of,
    kind_of,
    make_move,
    move_score,
)
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.evaluation_weights import (
    EvaluationWeights,
    evaluation_weights,
    read_weights,
    rising_sets,
    write_weights,
)
from trireme.gomoku.engine.patterns import pattern_tables
from trireme.training.evaluation_fit import (
    POINTS_PER_LOGIT,
    STEPS_PER_LOGIT,
    FitPositions,
    constant_loss,
    fit_evaluation,
    judge,
    read_positions,
    set_numbers,
)
from trireme.training.gomoku_games import GameShard, PlayedGame, pack_games

SETS = len(rising_sets())


def number(*grades: int) -> int:
    return int(set_numbers()[sum(grade << (4 * d) for d, grade in enumerate(grades))])


def random_games(count: int, seed: int = 3) -> GameShard:
    """Stones at random in the middle, whoever wins."""
    rng = np.random.default_rng(seed)
    middle = [row * 15 + col for row in range(4, 11) for col in range(4, 11)]
    games = [
        PlayedGame(rng.permutation(middle)[:9].tolist(), int(rng.integers(-1, 2)), first=3)
        for _ in range(count)
    ]
    return pack_games(games)


def test_sets_are_numbered_whatever_their_order() -> None:
    assert SETS == 3060
    assert number(3, 11, 0, 12) == number(12, 3, 11, 0) != number(12, 3, 11, 1)
    assert number(0, 0, 0, 0) == 0
    assert number(14, 14, 14, 14) == SETS - 1


def engine_board(stones: list[tuple[tuple[int, int], int]]) -> mem.EngineBoard:
    """The engine's board with these stones, as they lie: `Engine` may turn a position."""
    board = mem.new_board(*pattern_tables(True))
    clear_board(board, 15, np.zeros(0, np.int32))
    for point, mark in stones:
        make_move(board, mem.cell_of(point), 1 if mark == 1 else 2)
    return board


def test_positions_have_the_evaluation_and_the_candidates_of_the_engine() -> None:
    shard = random_games(12)
    positions, weights = read_positions(shard), evaluation_weights()
    sets, at = rising_sets(), 0
    for game in range(len(shard)):
        stones = [(divmod(int(m), 15), 1 - 2 * (i % 2)) for i, m in enumerate(shard.moves[game])]
        for ply in range(3, 9):
            board, me = engine_board(stones[:ply]), 1 + ply % 2
            if board.kind_counts[:, mem.MAKES_FIVE].any():
                continue
            if board.kind_counts[me - 1, mem.MAKES_OPEN_FOUR]:
                continue
            part = positions.part(np.array([at]))
            values = np.concatenate([weights.mover[sets], -weights.waiter[sets]])
            value = (values[part.sets] * part.times).sum() + weights.threats[part.threats[0]]
            assert value == evaluate(board, me)
            assert part.results[0] == (1 + int(shard.results[game]) * (1 - 2 * (ply % 2))) / 2
            assert part.held_out[0] == (game in (0, 10))
            cells = [c for c in board.points[: board.area] if board.stones[c] == mem.EMPTY]
            listed = [c for c in cells if kind_of(board, me, c) or kind_of(board, 3 - me, c)]
            scores = weights.attack[sets][part.candidates[:, 0]]
            scores = scores + weights.defence[sets][part.candidates[:, 1]]
            assert scores.tolist() == [move_score(board, me, cell) for cell in listed]
            played = mem.cell_of(stones[ply][0])
            expected = listed.index(played) if played in listed else -1
            assert part.chosen[0] == expected
            rows = [(c // 32, c % 32) for c in listed]
            for k in (1, 2):
                last = mem.cell_of(stones[ply - k][0])
                near = [max(abs(r - last // 32), abs(c - last % 32)) <= 4 for r, c in rows]
                assert (part.candidates[:, 1 + k] > 0).tolist() == near
            at += 1
    assert at == len(positions.results) > 40


def test_the_grades_of_a_point_are_counted_for_both_sides() -> None:
    shard = random_games(11)
    part = read_positions(shard).part(np.array([0]))
    engine = Engine(rows=2)
    moves = [(divmod(int(m), 15), 1 - 2 * (i % 2)) for i, m in enumerate(shard.moves[0, :3])]
    engine.set_position(moves, -1)
    board, expected = engine.board, np.zeros(2 * SETS, int)
    for cell in board.points[: board.area]:
        if board.stones[cell] == mem.EMPTY:
            for side, colour in enumerate((2, 1)):
                expected[set_numbers()[grades_of(board.grades[cell], colour)] + side * SETS] += 1
    found = np.bincount(part.sets, part.times, 2 * SETS)
    assert found.tolist() == expected.tolist()


def synthetic(count: int, planted: float, choice: float, seed: int = 7) -> FitPositions:
    """Positions with one telling set, whose results and moves follow planted weights.

    Zero to two points have the set for the mover, zero to two for the waiter, whose weight is the
    negative. Of two candidates, the first has the set and the second has none.
    """
    rng = np.random.default_rng(seed)
    telling, dull = number(3, 3, 3, 7), number(0, 0, 0, 0)
    times = rng.integers(0, 3, (count, 2))
    chance = 1 / (1 + np.exp(-planted * (times[:, 0] - times[:, 1])))
    first = rng.random(count) < 1 / (1 + np.exp(-choice))
    index = np.arange(count)
    candidates = np.array([[telling, dull, 0, 0], [dull, dull, 0, 0]], np.int16)
    return FitPositions(
        (rng.random(count) < chance).astype(float),
        index % 10 == 0,
        np.zeros(count, np.int16),
        np.tile(np.array([telling, telling + SETS], np.int16), count),
        times.flatten().astype(np.int16),
        2 * (index + 1),
        np.tile(candidates, (count, 1)),
        2 * (index + 1),
        2 * index + ~first,
    )


def test_planted_weights_are_found_again() -> None:
    planted, choice = 1.0, 1.5
    positions = synthetic(20_000, planted, choice)
    weights = fit_evaluation(positions, value_penalty=0.01, ordering_penalty=0.01)
    telling, dull = rising_sets()[[number(3, 3, 3, 7), 0]]
    assert weights.mover[telling] / POINTS_PER_LOGIT == pytest.approx(planted, abs=0.08)
    assert weights.waiter[telling] / POINTS_PER_LOGIT == pytest.approx(planted, abs=0.08)
    assert abs(weights.threats[0]) < 0.08 * POINTS_PER_LOGIT
    gained = int(weights.attack[telling]) - int(weights.attack[dull])
    assert gained / STEPS_PER_LOGIT == pytest.approx(choice, abs=0.1)
    assert weights.defence.max() - weights.defence[rising_sets()].min() <= 1
    report = judge(positions, weights, held_out=True)
    assert report.positions == 2000
    assert report.log_loss < constant_loss(positions, held_out=True) - 0.05
    assert report.top[0] == pytest.approx(1 / (1 + np.exp(-choice)), abs=0.03)
    assert report.top[1] == 1.0


def test_a_penalty_keeps_weights_small() -> None:
    positions, telling = synthetic(2000, 1.0, 1.5), rising_sets()[number(3, 3, 3, 7)]
    free = fit_evaluation(positions, value_penalty=0.1)
    held = fit_evaluation(positions, value_penalty=1e4)
    assert 0 < held.mover[telling] < free.mover[telling] / 2


def test_held_out_games_are_not_learnt_from() -> None:
    positions = synthetic(2000, 1.0, 1.5)
    turned = np.where(positions.held_out, 1 - positions.results, positions.results)
    a, b = fit_evaluation(positions), fit_evaluation(positions._replace(results=turned))
    assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    assert judge(positions, a, True).sign_accuracy > 0.6
    assert judge(positions._replace(results=turned), a, True).sign_accuracy < 0.4


def test_moves_that_are_no_candidates_count_as_misses() -> None:
    positions = synthetic(1000, 1.0, 9.0)
    lost = positions._replace(chosen=np.where(np.arange(1000) % 20 == 0, -1, positions.chosen))
    weights = fit_evaluation(lost)
    assert judge(lost, weights, True).top[1] == 0.5  # every second held-out position


def test_the_file_holds_what_was_fitted(tmp_path: Path) -> None:
    path = tmp_path / "evaluation.npz"
    weights = fit_evaluation(synthetic(500, 1.0, 1.5))
    for some in (weights, evaluation_weights()):
        write_weights(path, some)
        found = read_weights(path)
        assert isinstance(found, EvaluationWeights)
        assert all(np.array_equal(x, y) for x, y in zip(found, some, strict=True))


def test_too_few_games_are_refused() -> None:
    for count in (0, 1):
        with pytest.raises(TriremeError, match="too few games: 0 quiet positions to learn from"):
            read_positions(random_games(count) if count else pack_games([]))
