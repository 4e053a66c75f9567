"""Replay buffer, n-step returns and symmetries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.gomoku.encode import GomokuEncoder
from trireme.gomoku.rules import Gomoku, GomokuState
from trireme.training.replay import UNFILLED, ReplayBuffer, Transitions, planes_at
from trireme.training.selfplay_kernels import returns_from
from trireme.training.sum_tree import SumTree
from trireme.training.symmetry import tables

CPU = torch.device("cpu")
SIZE = 5


def game_of(moves: list[int]) -> Transitions:
    """A game on 5×5 as its transitions, each worth its own number."""
    order = np.full(SIZE**2, UNFILLED, np.int16)
    order[moves] = np.arange(len(moves))
    count = len(moves)
    return Transitions(
        order=np.tile(order, (count, 1)),
        action=np.array(moves, np.int16),
        reward=np.arange(count, dtype=np.float32),
        discount=np.full(count, -0.9, np.float32),
        move_no=np.arange(count, dtype=np.int16),
        next_no=np.arange(1, count + 1, dtype=np.int16),
        game_id=np.full(count, 7, np.int64),
        demonstrated=np.arange(count) % 3 == 0,
    )


def plies(moves: list[int], count: int) -> GomokuState:
    game = Gomoku(size=SIZE)
    state = game.start()
    for move in moves[:count]:
        state = game.apply(state, {len(state.stones) % 2: divmod(move, SIZE)})
    return state


@settings(max_examples=50, deadline=None)
@given(moves=st.permutations(range(SIZE**2)), ply=st.integers(0, 12))
def test_the_order_of_moves_gives_every_position_of_a_game(moves: list[int], ply: int) -> None:
    found = planes_at(torch.from_numpy(game_of(moves).order[:1]), torch.tensor([ply]))[0]
    state = GomokuState(plies(moves, 0).stones + _points(moves[:ply]))
    wanted = GomokuEncoder(Gomoku(size=SIZE)).planes(state)
    assert (found.numpy() == wanted).all()


def _points(moves: list[int]) -> tuple[tuple[int, int], ...]:
    return tuple(divmod(move, SIZE) for move in moves)


@settings(max_examples=30, deadline=None)
@given(moves=st.permutations(range(SIZE**2)), seed=st.integers(0, 2**31))
def test_a_sample_is_a_symmetric_picture_of_what_was_stored(moves: list[int], seed: int) -> None:
    memory = ReplayBuffer(100, SIZE, CPU)
    memory.add(game_of(moves[:10]))
    drawn = memory.sample(16, torch.Generator().manual_seed(seed))
    points = torch.arange(16)
    empty = drawn.planes[:, 0] + drawn.planes[:, 1] == 0
    assert empty.flatten(1)[points, drawn.action].all(), "the move was legal"
    after = drawn.next_planes[:, 1].flatten(1)
    assert after[points, drawn.action].all(), "then it is a stone of the other side's"
    assert (drawn.next_planes[:, 3].flatten(1).argmax(1) == drawn.action).all()
    assert torch.equal(drawn.reward, drawn.move_no.float())
    assert (drawn.legal_next.sum(1) == SIZE**2 - drawn.move_no - 1).all()
    assert not drawn.done.any()
    assert torch.equal(drawn.demonstrated, drawn.move_no % 3 == 0)
    assert (drawn.game_id == 7).all()


def test_the_symmetries_are_eight_and_each_has_its_way_back() -> None:
    sources, targets = tables(SIZE, CPU)
    assert len({tuple(row.tolist()) for row in sources}) == 8
    points = torch.arange(SIZE**2)
    for source, target in zip(sources, targets, strict=True):
        assert torch.equal(source[target], points)


def test_the_newest_transitions_replace_the_oldest() -> None:
    memory = ReplayBuffer(12, SIZE, CPU)
    for _ in range(3):
        memory.add(game_of(list(range(10))))
    assert len(memory) == 12
    assert memory.added == 30
    assert sorted(memory.columns["reward"].tolist()) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9]


def test_more_than_fits_keeps_the_last() -> None:
    memory = ReplayBuffer(4, SIZE, CPU)
    memory.add(game_of(list(range(10))))
    assert sorted(memory.columns["reward"].tolist()) == [6, 7, 8, 9]


def test_large_errors_are_drawn_more_often_and_weigh_less() -> None:
    memory = ReplayBuffer(10, SIZE, CPU, prioritised=True, alpha=1.0)
    memory.add(game_of(list(range(10))))
    memory.update(torch.arange(10), torch.tensor([9.0] + [1.0] * 9))
    drawn = memory.sample(4000, torch.Generator().manual_seed(1), beta=1.0)
    share = (drawn.index == 0).float().mean().item()
    assert share == pytest.approx(0.5, abs=0.03)
    heavy, light = drawn.weight[drawn.index != 0][0], drawn.weight[drawn.index == 0][0]
    assert heavy == 1
    assert light == pytest.approx(1 / 9, rel=0.01)


@settings(max_examples=100, deadline=None)
@given(
    weights=st.lists(st.integers(0, 20), min_size=1, max_size=40).filter(any),
    changes=st.lists(st.tuples(st.integers(0, 39), st.integers(0, 20)), max_size=8),
    data=st.data(),
)
def test_a_sum_tree_finds_what_cumulative_sums_find(
    weights: list[int], changes: list[tuple[int, int]], data: st.DataObject
) -> None:
    tree = SumTree(len(weights), CPU)
    tree.set(torch.arange(len(weights)), torch.tensor(weights))
    for index, weight in changes:
        if index < len(weights) and sum(weights) - weights[index] + weight > 0:
            weights[index] = weight
            tree.set(torch.tensor([index]), torch.tensor([weight]))
    sums = torch.tensor(weights).cumsum(0).double()
    assert tree.total == sums[-1]
    assert tree.get(torch.arange(len(weights))).tolist() == weights
    heights = torch.tensor(
        data.draw(st.lists(st.integers(0, int(sums[-1]) - 1), min_size=1, max_size=10))
    ).double()
    wanted = torch.searchsorted(sums, heights, right=True)
    assert torch.equal(tree.find(heights), wanted)
    assert torch.equal(tree.find(heights + 0.5), wanted)


def test_no_draw_leaves_the_weights_of_a_sum_tree() -> None:
    tree = SumTree(5, CPU)
    tree.set(torch.arange(5), torch.tensor([0.1, 0.2, 0.3, 0.0, 0.0]))
    assert tree.find(torch.stack([tree.total, tree.total * 2])).tolist() == [2, 2]


def test_a_snapshot_on_disk_is_the_memory_again(tmp_path: Path) -> None:
    memory = ReplayBuffer(20, SIZE, CPU, prioritised=True)
    memory.add(game_of(list(range(10))))
    memory.update(torch.arange(3), torch.tensor([5.0, 2.0, 0.5]))
    memory.save(tmp_path / "replay.pt")
    again = ReplayBuffer(20, SIZE, CPU, prioritised=True)
    again.load(tmp_path / "replay.pt")
    ours, theirs = (m.sample(8, torch.Generator().manual_seed(5)) for m in (memory, again))
    assert torch.equal(ours.planes, theirs.planes)
    assert torch.equal(ours.weight, theirs.weight)


def ends(length: int, result: int, ply: int, n: int, random: set[int] = frozenset()) -> tuple:  # type: ignore[type-arg,assignment]
    drawn = np.array([p in random for p in range(225)])
    return tuple(float(x) for x in returns_from(drawn, length, result, ply, n, 0.9, 0.0))


def test_the_last_move_wins_and_the_one_before_loses() -> None:
    assert ends(10, 1, 9, 5) == pytest.approx((1, 0, 10))
    assert ends(10, 1, 8, 5) == pytest.approx((-0.9, 0, 10))
    assert ends(10, 1, 7, 5) == pytest.approx((0.81, 0, 10))
    assert ends(10, 0, 9, 5) == pytest.approx((0, 0, 10))


def test_far_from_the_end_the_position_after_n_plies_counts_with_its_own_sign() -> None:
    assert ends(50, 1, 3, 1) == pytest.approx((0, -0.9, 4))
    assert ends(50, 1, 3, 2) == pytest.approx((0, 0.81, 5))
    assert ends(50, 1, 3, 3) == pytest.approx((0, -0.729, 6))


def test_a_return_does_not_reach_past_a_random_move() -> None:
    assert ends(10, 1, 5, 5, {7}) == pytest.approx((0, 0.81, 7))
    assert ends(10, 1, 7, 5, {7}) == pytest.approx((0.81, 0, 10)), "its own move may be random"


def test_a_step_penalty_is_each_movers_own() -> None:
    drawn = np.zeros(225, np.bool_)
    reward, discount, _ = returns_from(drawn, 50, 1, 3, 2, 0.9, 0.01)
    assert reward == pytest.approx(-0.01 + 0.9 * 0.01)
    assert discount == pytest.approx(0.81)
