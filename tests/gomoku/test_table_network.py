"""The table network in the engine: kernels against a plain twin, and files that hold none."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.core.errors import AgentNotReady, BadSpec
from trireme.core.registry import make_agent
from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.alphabeta_kernels import evaluate, static_value
from trireme.gomoku.engine.analysis import SearchLimits
from trireme.gomoku.engine.board_kernels import clear_board, make_move, undo_move
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.line_windows import ROWS
from trireme.gomoku.engine.memory_kernels import EngineBoard, cell_of, new_board
from trireme.gomoku.engine.move_ordering_kernels import generate_moves
from trireme.gomoku.engine.network_memory_kernels import NetworkMemory, new_network_memory
from trireme.gomoku.engine.patterns import pattern_tables
from trireme.gomoku.engine.table_network import (
    TableNetwork,
    _map,
    install,
    load_table_network,
    quantise,
    tabulate,
)
from trireme.gomoku.engine.table_network_kernels import (
    network_logit,
    network_value,
    policy_score,
    prepare_policy,
    update_network,
)
from trireme.gomoku.rules import Gomoku

from .networks import plain_features, plain_logit, plain_policy, random_weights, write_network

SIZE = 9


@cache
def network() -> TableNetwork:
    weights = random_weights()
    return TableNetwork(weights, "standard", *tabulate(weights))


def rounded_table() -> np.ndarray[Any, Any]:
    """The table as the engine has it, in floats."""
    return network().table / network().unit


@cache
def memories() -> tuple[EngineBoard, NetworkMemory]:
    board, memory = new_board(*pattern_tables(True)), new_network_memory()
    install(network(), memory)
    return board, memory


def fresh(size: int = SIZE) -> tuple[EngineBoard, NetworkMemory]:
    """An empty board, with accumulators that follow it."""
    board, memory = memories()
    clear_board(board, size, np.zeros(0, np.int32))
    memory.current = 0
    return board, memory


def stones_of(points: list[tuple[int, int]], size: int = SIZE) -> np.ndarray[Any, Any]:
    stones = np.zeros((size, size), np.int8)
    for i, point in enumerate(points):
        stones[point] = 1 - 2 * (i % 2)
    return stones


points = st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))


@settings(max_examples=20, deadline=None)
@given(st.lists(points, max_size=24, unique=True), st.randoms(use_true_random=False))
def test_updates_along_a_walk_equal_evaluation_from_scratch(
    moves: list[tuple[int, int]], random: Any
) -> None:
    """Moves are made and undone with evaluations now and then, as a search does."""
    board, memory = fresh()
    update_network(board, memory)
    made: list[tuple[int, int]] = []
    for move in moves:
        make_move(board, cell_of(move), 1 + len(made) % 2)
        made.append(move)
        while made and random.random() < 0.3:
            undo_move(board, cell_of(made.pop()))
            if random.random() < 0.3:
                network_logit(board, memory, 1)
    for me in (1, 2):
        walked = float(network_logit(board, memory, me))
        pooled = memory.pooled.copy()
        memory.current = 0
        assert float(network_logit(board, memory, me)) == walked
        assert np.array_equal(memory.pooled, pooled)
        stones = stones_of(made)
        expected = plain_logit(random_weights(), rounded_table(), stones, 3 - 2 * me)
        assert walked == pytest.approx(expected, abs=1e-3)


def test_features_are_those_of_the_plain_twin() -> None:
    board, memory = fresh(15)
    moves = [(0, 0), (7, 7), (1, 1), (7, 8), (14, 14), (7, 9), (3, 3), (8, 8)]
    for i, move in enumerate(moves):
        make_move(board, cell_of(move), 1 + i % 2)
    update_network(board, memory)
    expected = plain_features(stones_of(moves, 15), rounded_table())
    for region in range(9):
        row, column = region // 3 * 5, region % 3 * 5
        pooled = expected[row : row + 5, column : column + 5].sum((0, 1))
        assert memory.pooled[region] / memory.unit == pytest.approx(pooled, rel=1e-5)


@pytest.mark.parametrize("me", [1, 2])
def test_policy_scores_are_those_of_the_plain_twin(me: int) -> None:
    board, memory = fresh()
    moves = [(4, 4), (4, 5), (3, 4), (2, 4), (5, 4), (8, 0), (6, 4)]
    for i, move in enumerate(moves):
        make_move(board, cell_of(move), 1 + i % 2)
    prepare_policy(board, memory, me)
    stones = stones_of(moves)
    for known in ([], [(6, 4)], [(6, 4), (8, 0)]):
        expected = plain_policy(random_weights(), rounded_table(), stones, 3 - 2 * me, known)
        last, before = [cell_of(point) for point in known] + [-1] * (2 - len(known))
        for point in ((7, 4), (0, 0), (4, 6), (8, 8)):
            found = policy_score(board, memory, me, cell_of(point), last, before)
            assert found == pytest.approx(100 * expected[point], abs=1.01)


def test_exchanging_colours_and_the_side_to_move_changes_nothing() -> None:
    moves = [(4, 4), (4, 5), (3, 4), (2, 4), (5, 4), (8, 0)]
    values = []
    for first in (1, 2):
        board, memory = fresh()
        for i, move in enumerate(moves):
            make_move(board, cell_of(move), first if i % 2 == 0 else 3 - first)
        values.append(float(network_logit(board, memory, first)))
    assert values[0] == pytest.approx(values[1], abs=1e-4)


def test_the_value_is_in_pattern_points_and_never_a_proof() -> None:
    board, memory = fresh()
    make_move(board, cell_of((4, 4)), 1)
    logit = float(network_logit(board, memory, 2))
    assert network_value(board, memory, 2) == int(np.float32(logit) * np.float32(300))
    memory.points_per_logit = 1e9
    assert abs(network_value(board, memory, 2)) == 9_999
    memory.points_per_logit = 300


def test_a_larger_board_follows_a_smaller_one() -> None:
    board, memory = fresh(9)
    network_logit(board, memory, 1)
    board, memory = fresh(11)
    make_move(board, cell_of((10, 10)), 1)
    expected = plain_logit(random_weights(), rounded_table(), stones_of([(10, 10)], 11), -1)
    assert float(network_logit(board, memory, 2)) == pytest.approx(expected, abs=1e-3)


def test_a_file_is_read_and_tabulated_once(tmp_path: Path) -> None:
    path = write_network(tmp_path / "network.npz")
    found = load_table_network(path)
    assert found.table.shape == (ROWS, 32)
    assert np.array_equal(found.table, network().table)
    assert load_table_network(path) is found


def test_a_large_weight_makes_the_unit_coarser() -> None:
    table = np.zeros((3, 2), np.float32)
    table[1, 1] = -100.0
    rows, unit = quantise(table)
    assert unit == 327
    assert rows[1, 1] == -32700
    with pytest.raises(ValueError, match="reaches 40000"):
        quantise(table * 400)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"threats": None}, "threats"),
        ({"map1_weight": np.zeros((8, 30), np.float32)}, r"shape \(8, 33\), not \(8, 30\)"),
        ({"map3_weight": np.zeros((32, 8), np.float32)}, r"shape \(16, 8\)"),
        ({"map2_bias": np.full(8, np.nan, np.float32)}, "map2_bias must be finite"),
        ({"map2_bias": np.zeros(8)}, "float32"),
        ({"map1_weight": np.array(1, np.float32)}, "map1_weight"),
    ],
)
def test_files_of_other_networks_are_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = write_network(tmp_path / "network.npz", **changes)
    with pytest.raises(AgentNotReady, match=f"holds no table network.*{message}"):
        load_table_network(path)


def test_a_file_that_is_missing_or_garbage_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AgentNotReady, match=r"can't read the network .*absent\.npz"):
        load_table_network(tmp_path / "absent.npz")
    (tmp_path / "garbage.npz").write_bytes(b"garbage")
    with pytest.raises(AgentNotReady, match="holds no table network"):
        load_table_network(tmp_path / "garbage.npz")


def test_search_plays_with_the_network_that_it_is_given(tmp_path: Path) -> None:
    path = write_network(tmp_path / "network.npz")
    game = Gomoku(size=9, position="e5f5e4")
    found = {}
    for evaluation in (f'network,model="{path}"', "patterns"):
        agent = make_agent("gomoku", f"search:nodes=300,evaluation={evaluation}")
        found[evaluation[:7]] = agent.analyse(game, game.start())  # type: ignore[attr-defined]
    assert found["network"].value != found["pattern"].value
    board, memory = fresh()
    for i, move in enumerate(((4, 4), (4, 5), (3, 4))):
        make_move(board, cell_of(move), 1 + i % 2)
    engine = Engine(9, network=load_table_network(path))
    engine.set_position([((4, 4), 1), ((4, 5), -1), ((3, 4), 1)], -1)
    expected = network_value(board, memory, 2)
    assert static_value(engine.board, engine.tables, 2) == expected
    assert static_value(engine.board, Engine(9).tables, 2) == evaluate(engine.board, 2)


def test_a_new_position_is_evaluated_from_scratch(tmp_path: Path) -> None:
    engine = Engine(9, network=load_table_network(write_network(tmp_path / "network.npz")))
    walls = [(r, c) for r in range(9) for c in range(9) if max(r, c) == 8]
    engine.set_position([((4, 4), 1)], -1)
    static_value(engine.board, engine.tables, 2)
    engine.set_position([((4, 4), 1)], -1, walls=walls)
    small = Engine(8, network=load_table_network(tmp_path / "network.npz"))
    small.set_position([((4, 4), 1)], -1)
    expected = static_value(small.board, small.tables, 2)
    assert static_value(engine.board, engine.tables, 2) == expected


def test_by_default_the_shipped_network_evaluates_where_exactly_five_win() -> None:
    for rule, loaded in (("standard", 1), ("freestyle", 0)):
        agent = Search(nodes=100)
        assert agent.engine(Gomoku(rule=rule)).network.loaded == loaded
    assert Search(evaluation="patterns").engine(Gomoku()).network.loaded == 0
    assert Search(evaluation="network").engine(Gomoku()).network.loaded == 1


def test_a_network_of_another_rule_is_refused(tmp_path: Path) -> None:
    path = write_network(tmp_path / "network.npz", rule=np.array("freestyle"))
    agent = make_agent("gomoku", f'search:evaluation=network,model="{path}"')
    with pytest.raises(AgentNotReady, match="learnt from freestyle games, not standard ones"):
        agent.prepare(Gomoku())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("evaluation=magic", "evaluation must be auto | network | patterns"),
        ('evaluation=patterns,model="a.npz"', "needs evaluation=network"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: str, message: str) -> None:
    with pytest.raises(BadSpec, match=re.escape(message)):
        make_agent("gomoku", f"search:{options}")


def test_moves_are_scored_by_the_stones_just_put_in_the_search(tmp_path: Path) -> None:
    """Two plies below the root the policy knows both stones, one ply below it knows one."""
    engine = Engine(9, network=load_table_network(write_network(tmp_path / "network.npz")))
    board, memory, tables = engine.board, engine.memory, engine.tables
    engine.set_position([((4, 4), 1), ((4, 5), -1), ((3, 4), 1)], -1)
    first, second = cell_of((5, 5)), cell_of((2, 3))
    memory.path[:2] = first, second
    make_move(board, first, 2)
    make_move(board, second, 1)
    for ply, last, before in ((0, -1, -1), (1, first, -1), (2, second, first)):
        size = generate_moves(board, memory, tables.network, 2, -1, ply)
        prepare_policy(board, tables.network, 2)
        moves = memory.moves[ply, :size].tolist()
        expected = [policy_score(board, tables.network, 2, m, last, before) for m in moves]
        assert memory.move_scores[ply, :size].tolist() == expected
    undo_move(board, second)
    undo_move(board, first)


def test_a_search_notes_the_moves_that_lead_to_its_nodes(tmp_path: Path) -> None:
    engine = Engine(9, network=load_table_network(write_network(tmp_path / "network.npz")))
    engine.set_position([((4, 4), 1), ((4, 5), -1), ((3, 4), 1)], -1)
    engine.memory.path[:] = -1
    engine.analyse(SearchLimits(depth=4, threats=False))
    noted = engine.memory.path[:3].tolist()
    assert len({*noted, -1}) == 4, "three different moves"
    assert all(engine.board.stones[cell] == 0 for cell in noted)


def test_windows_are_mapped_by_two_layers_of_silu_and_a_linear_one() -> None:
    rng = np.random.default_rng(3)
    sizes = {"map1": (4, 3), "map2": (4, 4), "map3": (2, 4)}
    weights = {f"{name}_weight": rng.normal(size=size) for name, size in sizes.items()}
    weights |= {f"{name}_bias": rng.normal(size=size[0]) for name, size in sizes.items()}
    x = rng.normal(size=(5, 3)) * 3
    wanted = x
    for name in sizes:
        wanted = wanted @ weights[f"{name}_weight"].T + weights[f"{name}_bias"]
        if name != "map3":
            wanted = wanted * (np.tanh(wanted / 2) + 1) / 2  # x times its logistic function
    np.testing.assert_allclose(_map(weights, x), wanted)
