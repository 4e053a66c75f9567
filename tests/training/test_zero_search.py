"""Zero's batched search and proofs agree with plain ones, game by game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from trireme.gomoku.agents.sequential_halving import visit_schedule
from trireme.gomoku.agents.zero_tree import GumbelTree
from trireme.gomoku.engine.threat_prover import PositionProof
from trireme.training.gomoku_threats import ThreatDetector
from trireme.training.gumbel_search import GumbelSearch

from . import plain_zero
from .plain_zero import Board, PlainProof, PlainSearch, empties, prove

CPU = torch.device("cpu")


def some_boards(size: int, games: int, rng: np.random.Generator) -> list[Board]:
    """Random positions without a five, some crowded into rows so that threats arise."""
    boards = []
    for _ in range(games):
        area = size * size
        stones = int(rng.integers(0, area - 2))
        weights = np.exp(rng.normal(0, 1.5, size)).repeat(size) * np.exp(rng.normal(0, 0.5, area))
        points = rng.choice(area, stones, replace=False, p=weights / weights.sum())
        board = [0] * area
        mine = rng.permutation(stones) < stones // 2  # the side to move has no stone more
        for point, own in zip(points, mine, strict=True):
            board[point] = 1 if own else -1
        boards.append(tuple(board))
    return boards


@settings(max_examples=settings().max_examples * 2 // 5)
@given(st.integers(5, 8), st.booleans(), st.integers(0, 2**32))
def test_proofs_equal_a_game_tree_search_of_three_plies(size: int, exact: bool, seed: int) -> None:
    boards = some_boards(size, 4, np.random.default_rng(seed))
    proof = ThreatDetector(size, exact, CPU).prove(torch.tensor(boards, dtype=torch.int8))
    for i, board in enumerate(boards):
        plain = prove(board, exact=exact)
        assert int(proof.value[i]) == plain.value
        assert bool(proof.proven[i]) == (plain.value != 0)
        assert proof.moves[i].nonzero().flatten().tolist() == sorted(plain.moves)


@pytest.mark.parametrize(
    ("stones", "exact", "value"),
    [
        (".XXXX.....", True, 1),  # a five
        (".XXXX.X...", True, 1),  # one end makes six, the other five
        ("OXXXX.X...", True, 0),  # only six
        ("OXXXX.X...", False, 1),
        ("..XXX.....", True, 1),  # an open four
        ("OXXX......", True, 0),  # a four that one stone stops
        ("X.XXX..XX.", True, 1),  # a five in the gap
        ("..OOOO....", True, -1),  # two fives to block
        ("XOOOO.....", True, 0),  # one
        ("..OOO.....", True, 0),
        ("XXX..X.XXX", True, 1),  # two fours in one line
    ],
)
def test_threats_in_one_row(stones: str, exact: bool, value: int) -> None:
    size = len(stones)
    row = [{".": 0, "X": 1, "O": -1}[s] for s in stones]
    board = [0] * size * size
    board[3 * size : 4 * size] = row
    tensor = torch.tensor([board, [board[p % size * size + p // size] for p in range(size**2)]])
    proof = ThreatDetector(size, exact, CPU).prove(tensor.to(torch.int8))
    assert proof.value.tolist() == [value, value]


class RandomNetwork:
    """A fixed function of the position, the same for batches and for single boards."""

    def __init__(self, area: int, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.weights = torch.randn(area, area + 1, generator=generator, dtype=torch.float64)
        self.last = torch.randn(area + 1, area, generator=generator, dtype=torch.float64)

    def batch(self, board: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
        out = board.double() @ self.weights
        logits = torch.sin(out[:, :-1] + self.last[last]) * 2
        return logits.float(), torch.sin(out[:, -1]).float() * 0.9

    def single(self, board: Board, last: int) -> tuple[list[float], float]:
        logits, value = self.batch(torch.tensor([board]), torch.tensor([last]))
        return logits[0].tolist(), float(value[0])


@settings(max_examples=settings().max_examples // 10)
@given(
    size=st.integers(5, 7),
    exact=st.booleans(),
    simulations=st.integers(1, 24),
    considered=st.integers(1, 12),
    max_depth=st.integers(1, 6),
    seed=st.integers(0, 2**32),
)
def test_the_batched_search_equals_the_plain_one(
    size: int, exact: bool, simulations: int, considered: int, max_depth: int, seed: int
) -> None:
    games, rng = 4, np.random.default_rng(seed)
    boards = some_boards(size, games, rng)
    last = rng.integers(0, size**2 + 1, games).tolist()
    gumbel = rng.gumbel(size=(games, size**2)).astype(np.float32)
    network = RandomNetwork(size**2, seed)
    batched = GumbelSearch(
        network.batch,
        ThreatDetector(size, exact, CPU),
        games,
        simulations=simulations + 3,
        considered=considered,
        max_depth=max_depth,
        c_visit=50.0,
        c_scale=0.3,
    )
    plain = PlainSearch(network.single, exact, simulations, considered, max_depth, 50.0, 0.3)
    position = torch.tensor(boards, dtype=torch.int8), torch.tensor(last)
    batched.run(*position, simulations)  # what one search leaves behind must not touch the next
    found = batched.run(*position, simulations, torch.from_numpy(gumbel))
    for i, board in enumerate(boards):
        action, policy, value = plain.run(board, last[i], gumbel[i].tolist())
        assert int(found.action[i]) == action
        assert float(found.value[i]) == pytest.approx(value, abs=1e-4)
        expected = torch.zeros(size**2)
        for point, weight in policy.items():
            expected[point] = weight
        assert torch.allclose(found.policy[i], expected, atol=1e-4)


class NoProofs:
    """For `GumbelTree`: nothing is ever known for certain, but full boards."""

    def __init__(self, empties: int) -> None:
        self.empties = empties

    def push(self, point: int) -> None:
        self.empties -= 1

    def pop(self) -> None:
        self.empties += 1

    def prove(self, nodes: int) -> PositionProof:
        return PositionProof(None if self.empties else 0.0, None)


@settings(max_examples=settings().max_examples // 4)
@given(
    size=st.integers(5, 7),
    simulations=st.integers(1, 40),
    considered=st.integers(1, 12),
    seed=st.integers(0, 2**32),
)
def test_the_tree_for_play_equals_the_plain_search_where_nothing_is_proven(
    size: int, simulations: int, considered: int, seed: int
) -> None:
    (board,) = some_boards(size, 1, np.random.default_rng(seed))
    network = RandomNetwork(size**2, seed)
    with pytest.MonkeyPatch.context() as patch:
        unknown = lambda board, **_: PlainProof(0, empties(board))  # noqa: E731
        patch.setattr(plain_zero, "prove", unknown)
        plain = PlainSearch(network.single, True, simulations, considered, 99, 50.0, 0.3)
        action, policy, value = plain.run(board, size**2, [0.0] * size**2)

    def evaluate(position: Any, last: int) -> tuple[Any, float]:
        logits, worth = network.single(tuple(position.tolist()), last)
        return np.array(logits), worth

    tree = GumbelTree(evaluate, NoProofs(board.count(0)), considered=considered)
    root = tree.node(np.array(board, np.int8), size**2)
    visits = tree.search(root, simulations)
    assert tree.ranking(root, visits)[0] == action
    assert tree.value(root) == pytest.approx(value, abs=1e-6)
    found = tree.policy(root)
    assert all(found[point] == pytest.approx(weight, abs=1e-6) for point, weight in policy.items())
    assert visits.sum() == simulations


def test_sequential_halving_visits_the_better_half_more() -> None:
    schedule = visit_schedule(16, 32)
    assert len(schedule) == 32
    assert schedule[:16] == [0] * 16
    assert schedule[16:24] == [1] * 8
    assert schedule[24:28] == [2, 2, 2, 2]
    assert visit_schedule(1, 3) == [0, 1, 2]


def test_an_open_three_is_answered() -> None:
    """A uniform network finds the defence against an open four by the proofs in its tree."""
    size = 9
    board = torch.zeros((1, size * size), dtype=torch.int8)
    board[0, [39, 40, 41]] = -1  # an open three in the middle row
    board[0, [0, 8]] = 1

    def uniform(boards: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
        return torch.zeros(len(boards), size * size), torch.zeros(len(boards))

    search = GumbelSearch(
        uniform,
        ThreatDetector(size, True, CPU),
        1,
        simulations=100,
        considered=81,
        max_depth=4,
        c_visit=50.0,
        c_scale=0.3,
    )
    found = search.run(board, torch.tensor([41]), 100)
    assert int(found.action) in (37, 38, 42, 43)
    good = found.policy[0, [37, 38, 42, 43]].sum()
    assert good > 0.99
