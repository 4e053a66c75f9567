"""The agents that networks became: they play without torch, and only within the rules."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import trireme.battleship
import trireme.gomoku
from trireme import make_agent, make_game, play
from trireme.battleship.agents import heatmap
from trireme.battleship.agents.rl import logits
from trireme.battleship.agents.shooting_agent import TargetView
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot
from trireme.core.errors import BadSpec, MissingExtra
from trireme.core.game import Turn
from trireme.core.onnx import Network, load_network
from trireme.gomoku.agents import zero
from trireme.gomoku.agents.dqn import DQN, values
from trireme.gomoku.agents.dqn_kernels import fives
from trireme.gomoku.agents.dqn_mcts import DQNTree, TreePosition, best_move, search
from trireme.gomoku.encode import GomokuEncoder, board_array
from trireme.gomoku.rules import Gomoku, GomokuState, Point, makes_five
from trireme.training.export import export
from trireme.training.zero_network import ZeroNetwork, folded_copy

SHIPPED = [
    Path(trireme.gomoku.__path__[0]) / "models" / "dqn",
    Path(trireme.gomoku.__path__[0]) / "models" / "zero",
    Path(trireme.battleship.__path__[0]) / "models" / "heatmap",
    Path(trireme.battleship.__path__[0]) / "models" / "rl",
]


def turn(game: Gomoku, state: GomokuState, seed: int = 0) -> Turn[Any, GomokuState]:
    (seat,) = game.to_move(state)
    return Turn(game, seat, state, game.legal(state, seat), np.random.default_rng(seed))


def after(game: Gomoku, text: str) -> GomokuState:
    return Gomoku(size=game.size, position=text).start()


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda f: f.name)
def test_weights_ship_small_with_their_metadata_and_report(folder: Path) -> None:
    assert (folder / "network.onnx").stat().st_size < 4_000_000
    facts = json.loads((folder / "metadata.json").read_text())
    assert facts["kind"].endswith(folder.name)
    assert {"board_size", "channels", "config", "config_hash", "seed", "versions"} <= set(facts)
    assert json.loads((folder / "report.json").read_text())["passed"] is True


@pytest.mark.parametrize("folder", [SHIPPED[0], SHIPPED[2]], ids=lambda f: f.name)
def test_weights_for_fine_tuning_ship_beside_and_give_the_same_numbers(folder: Path) -> None:
    torch = pytest.importorskip("torch", reason="the weights are for torch")
    from trireme.gomoku.agents.dqn_network import load as load_dqn
    from trireme.training.battleship_heatmap import load as load_heatmap

    load, shape = {"dqn": (load_dqn, (3, 4, 15, 15)), "heatmap": (load_heatmap, (3, 9, 10, 10))}[
        folder.name
    ]
    planes = (np.random.default_rng(0).random(shape) < 0.3).astype(np.float32)
    with torch.no_grad():
        found = load(folder / "network.pt")(torch.from_numpy(planes)).numpy()
    assert load_network(folder / "network.onnx")(planes=planes) == pytest.approx(found, abs=1e-3)


def test_the_gate_of_the_dqn_that_ships() -> None:
    report = json.loads((SHIPPED[0] / "report.json").read_text())
    heuristic, random = report["against"]["heuristic"], report["against"]["random"]
    assert heuristic["games"] >= 500
    assert heuristic["score"] >= 0.55
    assert random["score"] >= 0.95
    assert heuristic["wins"] + heuristic["draws"] + heuristic["losses"] == heuristic["games"]
    assert report["dqn+mcts against dqn"]["score"] > 0.5


@settings(max_examples=20, deadline=None)
@given(
    stones=st.permutations([(r, c) for r in range(9) for c in range(9)]), count=st.integers(0, 30)
)
def test_taken_points_have_no_value(stones: list[Point], count: int) -> None:
    game, state = Gomoku(size=9), GomokuState(tuple(stones[:count]))
    worth = values(game, state)
    taken = np.zeros((9, 9), np.bool_)
    for point in stones[:count]:
        taken[point] = True
    assert (np.isneginf(worth) == taken).all()
    if game.to_move(state):
        assert DQN().act(turn(game, state)) not in state.stones


def test_dqn_is_deterministic_and_epsilon_is_noise() -> None:
    game = Gomoku()
    state = after(game, "h8i9g6")
    assert len({DQN().act(turn(game, state, seed)) for seed in range(3)}) == 1
    assert len({DQN(epsilon=1.0).act(turn(game, state, seed)) for seed in range(6)}) > 3


@pytest.mark.parametrize("agent", ["dqn", "dqn+mcts:simulations=16"])
@pytest.mark.parametrize("variant", ["swap2", "small", "freestyle"])
def test_networks_play_every_variant(agent: str, variant: str) -> None:
    result = play(make_game("gomoku", variant), [agent, "random"], seed=3)
    assert not result.forfeits


@pytest.fixture(scope="module")
def tiny_zero(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random network in the form that training exports."""
    torch.manual_seed(1)
    path = tmp_path_factory.mktemp("zero") / "network.onnx"
    planes = (torch.rand(2, 4, 15, 15) > 0.8).float()
    axes = {"planes": {0: "batch", 2: "rows", 3: "cols"}}
    network = folded_copy(ZeroNetwork(1, 4).eval())
    export(network, {"planes": planes}, path, output=("policy", "value"), sizes=axes)
    return path


@pytest.mark.parametrize("variant", ["swap2", "small", "freestyle"])
def test_zero_plays_every_variant_with_an_exported_network(variant: str, tiny_zero: Path) -> None:
    spec = f'zero:model="{tiny_zero}",simulations=4'
    games = [play(make_game("gomoku", variant), [spec, "random"], seed=3) for _ in range(2)]
    assert not games[0].forfeits
    assert games[0].returns == (1.0, -1.0)
    assert games[0].record.fingerprint() == games[1].record.fingerprint()


def test_zero_reads_policy_and_value_of_its_network(tiny_zero: Path) -> None:
    game = Gomoku(size=9)
    state = after(game, "e5f6e6")
    planes = GomokuEncoder(game).planes(state)[None]
    logits, value = Network(tiny_zero).outputs(planes=planes)
    board = board_array(game, state).ravel() * np.int8(state.colour)
    assert state.last is not None
    found, worth = zero.evaluator(str(tiny_zero))(board, state.last[0] * 9 + state.last[1])
    assert np.allclose(found, logits[0])
    assert worth == pytest.approx(float(value[0]))
    assert abs(worth) <= 1


@settings(max_examples=25, deadline=None)
@given(
    stones=st.permutations([(r, c) for r in range(7) for c in range(7)]), count=st.integers(0, 40)
)
def test_fives_are_those_of_the_rulebook(stones: list[Point], count: int) -> None:
    board = np.zeros((7, 7), np.int8)
    own = set(stones[:count:2])
    for i, point in enumerate(stones[:count]):
        board[point] = 1 if i % 2 == 0 else -1
    before, found = board.copy(), np.empty(49, np.int64)
    number = fives(board, 1, True, found)
    wanted = [p for p in stones[count:] if makes_five(own | {p}, p, "standard")]
    assert {divmod(int(p), 7) for p in found[:number]} == set(wanted)
    assert (board == before).all()


def test_the_tree_takes_a_five_and_stops_one() -> None:
    game = Gomoku()
    four = after(game, "h8a1h9a3h10a5h11o15")
    assert DQNTree(simulations=8).act(turn(game, four)) in {(6, 7), (11, 7)}
    facing = after(game, "h8g11h9a3h10a5h11")
    assert DQNTree(simulations=8).act(turn(game, facing)) in {(6, 7), (11, 7)}


def flat(planes: NDArray[np.int8]) -> NDArray[np.float32]:
    """A network without opinions."""
    return np.zeros((len(planes), planes.shape[2] ** 2), np.float32)


def test_the_tree_finds_a_double_four_that_its_network_does_not_see() -> None:
    board = np.zeros((7, 7), np.int8)
    board[0, 0:3] = 1
    board[1:4, 3] = 1
    board[4, 3] = board[6, 6] = board[5, 0] = board[6, 0] = board[5, 5] = board[6, 3] = -1
    board[0, 3] = 0
    tree = search(TreePosition(board, 1, -1, True), lambda p: _prefers(p, 3), 400, None)
    assert best_move(tree) == 3


def _prefers(planes: NDArray[np.int8], point: int) -> NDArray[np.float32]:
    """A network that only hopes: a little for one point, nothing for the rest."""
    q = flat(planes)
    q[:, point] = 0.01
    return q


def test_every_visit_of_the_tree_is_counted() -> None:
    board = np.zeros((7, 7), np.int8)
    tree = search(TreePosition(board, 1, -1, True), flat, 50, None)
    assert tree.visits.sum() == 50
    assert (np.abs(tree.total) <= tree.visits).all()


def test_the_clock_stops_the_tree() -> None:
    tree = search(TreePosition(np.zeros((7, 7), np.int8), 1, -1, True), flat, 10_000, 0.0)
    assert tree.visits.sum() == 0


def test_water_around_a_sunk_ship_is_known() -> None:
    board = Battleship().boards[0]
    shots = (Shot((0, 0), "hit"), Shot((5, 5), "miss"), Shot((0, 1), "sunk", "destroyer"))
    facts = heatmap.known_cells(board, shots)
    assert (facts[0, :3] == [2, 2, 1]).all()
    assert (facts[1, :3] == 1).all()
    assert facts[5, 5] == 1
    assert (facts == 0).sum() == 100 - 7


def test_probabilities_are_symmetric_and_sum_to_about_the_fleet() -> None:
    found = heatmap.probabilities(Battleship().boards[0], ())
    assert found is not None
    for turned in (found.T, found[::-1], found[:, ::-1]):
        assert np.allclose(found, turned, atol=1e-5)
    assert found.sum() == pytest.approx(17, abs=0.5)


def test_shot_cells_have_no_probability_and_hits_draw_fire() -> None:
    board = Battleship().boards[0]
    found = heatmap.probabilities(board, (Shot((4, 4), "hit"), Shot((0, 0), "miss")))
    assert found is not None
    assert found[4, 4] == found[0, 0] == 0
    assert divmod(int(found.argmax()), 10) in {(3, 4), (5, 4), (4, 3), (4, 5)}


@pytest.mark.parametrize("agent", ["heatmap", "rl"])
def test_networks_sink_the_fleet_of_any_board(agent: str) -> None:
    for game in (make_game("battleship"), make_game("battleship", rows=6, cols=9)):
        result = play(game, [agent], seed=4)
        assert not result.forfeits
        assert -result.returns[0] < 0.8 * game.rows * game.cols  # type: ignore[attr-defined]


def test_the_policy_sees_the_observation_alone() -> None:
    board = Battleship().boards[0]
    ship = Shot((0, 1), "sunk", "destroyer")
    one = logits(TargetView(board, (Shot((0, 0), "hit"), Shot((9, 9), "miss"), ship)))
    other = logits(TargetView(board, (Shot((9, 9), "miss"), Shot((0, 0), "hit"), ship)))
    assert np.array_equal(one, other)


def test_without_onnxruntime_an_agent_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name == "onnxruntime":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtra, match=r"trireme-lab\[nets\]"):
        Network(SHIPPED[0] / "network.onnx")


def test_a_wrong_model_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_text("not a network")
    game = make_game("gomoku")
    for model, message in (
        ("bad.onnx", "is no ONNX"),
        ("gone.onnx", "no network"),
        ("no.pt", "no"),
    ):
        agent = make_agent(game, f'dqn:model="{tmp_path / model}"')
        with pytest.raises(BadSpec, match=message):
            agent.prepare(game)  # type: ignore[attr-defined]
