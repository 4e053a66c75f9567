"""The zero agent: its tree, its proofs, its limits, with networks made up for the test."""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
import pytest

from trireme.core.errors import BadSpec
from trireme.core.game import Turn
from trireme.core.options import options_of
from trireme.gomoku.agents import zero
from trireme.gomoku.agents.zero import Zero, planes_of
from trireme.gomoku.agents.zero_tree import Board, GumbelTree, Numbers, ZeroNode
from trireme.gomoku.encode import GomokuEncoder, board_array
from trireme.gomoku.engine.threat_prover import PositionProof, ThreatProver
from trireme.gomoku.rules import Gomoku, GomokuState

GAME = Gomoku()


def at(text: str) -> GomokuState:
    return Gomoku(position=text).start()


def flat(text: str) -> int:
    row, col = GAME.read(text)  # type: ignore[misc]
    return int(row) * GAME.size + int(col)


def central(board: Board, last: int) -> tuple[Numbers, float]:
    """A network that likes the middle of the board and sees no difference in value."""
    size = isqrt(len(board))
    line = -np.abs(np.arange(size) - size // 2) / 4
    return (line[:, None] + line).ravel(), 0.0


class CountingNetwork:
    """`central`, which counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, board: Board, last: int) -> tuple[Numbers, float]:
        self.asked += 1
        return central(board, last)


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch) -> CountingNetwork:
    made = CountingNetwork()
    monkeypatch.setattr(zero, "evaluator", lambda _: made)
    return made


def prover_at(text: str) -> ThreatProver:
    prover = ThreatProver(GAME.size, exact=True)
    state = at(text)
    prover.set_position(state.board().items(), state.colour)
    return prover


def test_planes_are_those_of_the_encoder() -> None:
    for text in ("", "h8", "h8i9", "h8i9g6"):
        state = at(text)
        board = board_array(GAME, state).ravel() * np.int8(state.colour)
        last = 225 if state.last is None else state.last[0] * 15 + state.last[1]
        assert np.array_equal(planes_of(board, last), GomokuEncoder(GAME).planes(state))


@pytest.mark.parametrize(
    ("stones", "value", "moves"),
    [
        ("h8a1i8b5j8c9k8d13", 1.0, {"g8", "l8"}),  # a five
        ("h8a1i8b5j8c9", 1.0, {"g8", "k8"}),  # an open four
        ("h8g8i8a1j8b5k8", None, {"l8"}),  # a four to block
        ("h8a1i8b5j8c9k8", -1.0, {"g8", "l8"}),  # two
        ("h8i9g6", None, None),
    ],
)
def test_fours_are_proven(stones: str, value: float | None, moves: set[str] | None) -> None:
    found = prover_at(stones).prove(1000)
    assert found.value == value
    assert (found.moves is None) == (moves is None)
    if moves is not None:
        assert found.moves
        assert set(found.moves) <= set(map(flat, moves))


def test_only_answers_to_an_open_three_are_left() -> None:
    found = prover_at("h8a1i8b5j8").prove(1000)
    assert found.value is None
    assert set(map(flat, ("g8", "k8"))) <= set(found.moves or ())
    assert set(found.moves or ()) <= set(map(flat, ("f8", "g8", "k8", "l8")))


def test_what_is_pushed_is_popped() -> None:
    prover = prover_at("h8a1i8b5")
    before = prover.prove(1000)
    prover.push(flat("j8"))
    assert prover.prove(1000).moves is not None
    prover.push(flat("a15"))
    assert prover.winning_line(1000) is not None
    prover.pop()
    assert prover.winning_line(1000) is None
    assert prover.threat(1000) is not None
    prover.pop()
    assert prover.prove(1000) == before


class NoProofs:
    """Knows nothing for certain, except what it is given by path of pushed moves."""

    def __init__(self, proofs: dict[tuple[int, ...], float] | None = None, area: int = 225) -> None:
        self.proofs, self.area = proofs or {}, area
        self.path: list[int] = []

    def push(self, point: int) -> None:
        self.path.append(point)

    def pop(self) -> None:
        self.path.pop()

    def prove(self, nodes: int) -> PositionProof:
        full = 0.0 if len(self.path) == self.area else None
        return PositionProof(self.proofs.get(tuple(self.path), full), None)


def grown(
    proofs: dict[tuple[int, ...], float], simulations: int = 40
) -> tuple[GumbelTree, ZeroNode]:
    tree = GumbelTree(lambda *_: (np.arange(4) / 9, 0.0), NoProofs(proofs, 4))
    root = tree.node(np.zeros(4, np.int8), 4)
    tree.search(root, simulations)
    return tree, root


def test_a_move_after_which_the_opponent_is_lost_proves_the_root() -> None:
    tree, root = grown({(1,): -1.0})
    assert root.proven == 1.0
    assert tree.value(root) == 1.0


def test_a_move_after_which_the_opponent_wins_is_excluded() -> None:
    tree, root = grown({(3,): 1.0, (2,): 1.0})
    assert root.proven is None
    assert root.moves().tolist() == [1, 0]
    assert root.visits[[2, 3]].sum() == 0
    assert tree.policy(root)[[2, 3]].sum() == 0


def test_a_root_whose_moves_all_lose_is_lost() -> None:
    tree, root = grown(dict.fromkeys([(0,), (1,), (2,), (3,)], 1.0))
    assert root.proven == -1.0
    assert tree.value(root) == -1.0


def test_a_proof_two_plies_down_comes_up() -> None:
    """After 0 every answer lets the side at the root win; so 0 wins."""
    answers = {(0, reply): 1.0 for reply in (1, 2, 3)}
    _, root = grown(answers, 200)
    assert root.children[0].proven == -1.0
    assert root.proven == 1.0


def test_every_simulation_is_a_visit_and_the_prover_comes_back() -> None:
    prover = NoProofs()
    tree = GumbelTree(central, prover, considered=5)
    root = tree.node(np.zeros(25, np.int8), 25)
    visits = tree.search(root, 30)
    assert visits.sum() == root.visits.sum() == 30
    assert (visits > 0).sum() == 5
    assert not prover.path
    more = tree.search(root, 10)
    assert more.sum() == 10
    assert root.visits.sum() == 40


def test_a_search_that_is_over_adds_nothing() -> None:
    tree = GumbelTree(central, NoProofs())
    root = tree.node(np.zeros(25, np.int8), 25)
    assert tree.search(root, 30, lambda: True).sum() == 0


def test_the_value_of_leaves_changes_sign_on_the_way_up() -> None:
    """Positions after point 0 are good for whoever is to move there, so it is never chosen."""

    def network(board: Board, last: int) -> tuple[Numbers, float]:
        return np.zeros(9), 0.8 if last == 0 else -0.1

    tree = GumbelTree(network, NoProofs(), considered=9)
    root = tree.node(np.zeros(9, np.int8), 9)
    visits = tree.search(root, 9)
    assert root.totals[0] == pytest.approx(-0.8)
    assert tree.ranking(root, visits)[-1] == 0


@pytest.mark.usefixtures("network")
def test_a_proven_win_is_played() -> None:
    found = Zero(simulations=2).analyse(GAME, at("h8a1i8b5j8c9"))
    assert found.proven
    assert found.value == 1.0
    assert found.moves[0].plies == 3
    assert found.best in {(7, 6), (7, 10)}


@pytest.mark.usefixtures("network")
def test_a_win_by_threes_is_found_at_the_root() -> None:
    """Two open twos that cross: a network that knows nothing could not see it."""
    found = Zero(simulations=2).analyse(GAME, at("h8a1i8a3j9a5j10o15"))
    assert found.proven
    assert found.value == 1.0


@pytest.mark.usefixtures("network")
def test_a_threat_of_threes_is_answered() -> None:
    """The move to be played leaves the opponent no VCT."""
    state = at("h8a1i8a3j9a5j10")
    found = Zero(simulations=24).analyse(GAME, state, top=5)
    assert not found.proven
    prover = prover_at("h8a1i8a3j9a5j10")
    assert prover.threat(5_000) is not None
    prover.push(found.best[0] * 15 + found.best[1])
    assert prover.winning_line(5_000) is None


def test_simulations_are_counted_and_limited(network: CountingNetwork) -> None:
    found = Zero(simulations=20).analyse(GAME, at("h8i9g6"), top=3)
    assert found.simulations == 20
    assert network.asked == 21
    assert [m.visits for m in found.moves] == sorted((m.visits for m in found.moves), reverse=True)
    assert found.line[0] == found.best
    assert len(found.moves) == 3


def test_the_tree_is_kept_between_moves(network: CountingNetwork) -> None:
    agent = Zero(simulations=40)
    first = agent.analyse(GAME, at("h8i9g6"))
    asked = network.asked
    state = GomokuState((*at("h8i9g6").stones, *first.line[:2]))
    agent.analyse(GAME, state)
    assert network.asked == asked + 40, "the root was there already"
    agent.analyse(GAME, state)
    assert network.asked == asked + 81, "the same position again begins anew"


@pytest.mark.usefixtures("network")
def test_equal_limits_give_equal_analyses() -> None:
    one, other = (Zero(simulations=30).analyse(GAME, at("h8i9g6h9"), top=4) for _ in range(2))
    assert one == other


def test_the_clock_limits_the_simulations(
    network: CountingNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def clock() -> float:
        nonlocal now
        now += 0.001
        return now

    monkeypatch.setattr(zero.time, "monotonic", clock)
    agent = Zero(seconds=10.0)
    agent._pace = 0.01
    short = agent.analyse(GAME, at("h8i9g6"), seconds=0.1)
    assert 1 <= short.simulations <= 9
    assert Zero(simulations=3, seconds=10.0).analyse(GAME, at("h8i9g6")).simulations == 3


@pytest.mark.usefixtures("network")
def test_it_plays_swap2_and_first_stones() -> None:
    agent, rng = Zero(simulations=4), np.random.default_rng(1)
    game = Gomoku(opening="swap2")
    state = GomokuState(((7, 7), (7, 8), (8, 8)))
    legal = game.legal(state, 1)
    assert agent.act(Turn(game, 1, state, legal, rng)) in ("black", "white", "more")
    empty = GAME.start()
    row, col = agent.act(Turn(GAME, 0, empty, GAME.legal(empty, 0), rng))
    assert max(abs(int(row) - 7), abs(int(col) - 7)) <= 1


@pytest.mark.parametrize("options", [{"simulations": 0}, {"seconds": 0.0}])
def test_limits_must_be_positive(options: dict[str, Any]) -> None:
    with pytest.raises(BadSpec, match="must be more than 0"):
        Zero(**options)


def test_every_option_has_a_help_text() -> None:
    assert set(options_of(Zero)) == {"simulations", "seconds", "model"}
