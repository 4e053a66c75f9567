"""Batched self-play and its opponents, held to the rules and to the agents they stand for."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.gomoku.agents.heuristic import scores_of
from trireme.gomoku.encode import GomokuEncoder
from trireme.gomoku.rules import Gomoku
from trireme.training import selfplay_kernels as kernels
from trireme.training.opponents import heuristic_moves, random_moves
from trireme.training.selfplay import (
    MatchScore,
    Rules,
    match,
    new_batch,
    new_finished_games,
    planes_of,
)

RULES = Rules(9, True, 6)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), plies=st.integers(0, 30))
def test_tables_agree_with_the_rulebook(seed: int, plies: int) -> None:
    game = Gomoku(size=RULES.size)
    batch = new_batch(RULES, np.zeros((4, 2), np.int8), seed)
    planes = planes_of(batch, torch.device("cpu")).numpy()
    out = new_finished_games(4, RULES.size**2)
    for _ in range(plies):
        planes = planes_of(batch, torch.device("cpu")).numpy()
        before = [batch.moves[b, : batch.counts[b]].tolist() for b in range(4)]
        moves = random_moves(batch, np.arange(4))
        ended = kernels.advance(batch, moves, np.zeros(4), True, RULES.stones, out)
        finished = 0
        for b in range(4):
            state = game.start()
            for move in before[b]:
                state = game.apply(state, {0: divmod(int(move), game.size)})
            assert (planes[b] == GomokuEncoder(game).planes(state)).all()
            then = game.apply(state, {0: divmod(int(moves[b]), game.size)})
            if not game.to_move(then):
                assert out.results[finished] == then.winner
                assert out.lengths[finished] == len(then.stones)
                finished += 1
        assert finished == ended


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_the_batched_heuristic_plays_as_the_agent_does(seed: int) -> None:
    batch = new_batch(Rules(9, True, 8), np.zeros((6, 2), np.int8), seed)
    moves = heuristic_moves(batch, np.arange(6), True)
    for b, move in enumerate(moves):
        colour = 1 if batch.counts[b] % 2 == 0 else -1
        scores = scores_of(batch.boards[b], colour, True)
        best = np.argwhere(scores == scores.max())
        nearest = np.abs(2 * best - 8).max(axis=1)
        chosen = best[nearest == nearest.min()].tolist()
        assert list(divmod(int(move), 9)) in chosen


def test_threads_do_not_change_the_heuristics_moves() -> None:
    tables = [new_batch(RULES, np.zeros((64, 2), np.int8), 5) for _ in range(2)]
    alone, shared = (
        heuristic_moves(t, np.arange(64), True, threads)
        for t, threads in zip(tables, (1, 3), strict=True)
    )
    assert (alone == shared).all()


def test_random_moves_are_legal_and_varied() -> None:
    batch = new_batch(RULES, np.zeros((200, 2), np.int8), 5)
    moves = random_moves(batch, np.arange(200))
    assert (batch.boards.reshape(200, -1)[np.arange(200), moves] == 0).all()
    assert len(set(moves.tolist())) > 50


def test_a_match_swaps_colours_over_the_same_openings() -> None:
    def heuristic(batch: kernels.GameBatch, places: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        return heuristic_moves(batch, places, True)

    won = match(heuristic, random_moves, 40, RULES, 3)
    lost = match(random_moves, heuristic, 40, RULES, 3)
    assert won.won + won.drawn + won.lost == 40
    assert won.rate > 0.9
    assert lost.rate < 0.1


def test_a_draw_is_half_a_point() -> None:
    assert MatchScore(won=1, drawn=2, lost=1).rate == 0.5


def test_colours_change_hands_from_game_to_game() -> None:
    batch = new_batch(RULES, np.array([[1, 2]], np.int8), 1)
    first = batch.players[0].tolist()
    kernels.restart(batch, 0, 4)
    assert batch.players[0].tolist() == first[::-1]


def test_openings_hold_at_most_the_stones_asked_for() -> None:
    batch = new_batch(Rules(15, True, 8), np.zeros((300, 2), np.int8), 2)
    assert batch.counts.min() == 0
    assert batch.counts.max() == 8
    assert (np.abs(batch.boards).sum((1, 2)) == batch.counts).all()
