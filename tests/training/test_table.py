"""The table network's training: positions from games, symmetries, losses, runs, and the engine."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from trireme.arena import Entrant, GateResult
from trireme.cli.train import app
from trireme.core.errors import BadSettings
from trireme.gomoku.agents.search import Search
from trireme.gomoku.engine.alphabeta_kernels import evaluate
from trireme.gomoku.engine.board_kernels import make_move
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.engine.memory_kernels import cell_of
from trireme.gomoku.engine.table_network import load_table_network
from trireme.gomoku.engine.table_network_kernels import (
    network_logit,
    policy_score,
    prepare_policy,
)
from trireme.gomoku.rules import Gomoku
from trireme.training import promote as promotion
from trireme.training.gomoku_games import GameShard, PlayedGame, pack_games, write_games
from trireme.training.gomoku_table import TableGames, TableTraining, losses, main
from trireme.training.settings import Gate
from trireme.training.table_model import LineReader, TableModel
from trireme.training.table_reference import (
    PatternEvaluation,
    fit_sigmoid,
    log_loss,
    reference_losses,
)

from .tiny import tiny_table

SIZE = 9
CPU = torch.device("cpu")


def some_games(count: int = 40, seed: int = 1) -> GameShard:
    """Random games near the centre, too short for many fours; the results are random, too."""
    rng = np.random.default_rng(seed)
    games = [
        PlayedGame(
            rng.permutation(SIZE * SIZE)[:14].tolist(),
            int(rng.integers(-1, 2)),
            first=2,
            values=rng.uniform(-1, 1, 14).tolist(),
        )
        for _ in range(count)
    ]
    return pack_games(games, size=SIZE)


@pytest.fixture
def games_file(tmp_path: Path) -> Path:
    write_games(tmp_path / "games.npz", some_games())
    return tmp_path / "games.npz"


def one_game(moves: list[int], result: int = 1, **more: Any) -> TableGames:
    """Games of which each position can be looked at; other games fill both sides of the split."""
    shard = some_games()
    mine = pack_games([PlayedGame(moves, result, **more)], size=SIZE)
    width = shard.moves.shape[1]
    assert len(moves) <= width
    moves_row = np.pad(mine.moves, ((0, 0), (0, width - len(moves))), constant_values=255)
    values = np.pad(mine.values, ((0, 0), (0, width - len(moves))), constant_values=np.nan)
    joined = dataclasses.replace(
        shard,
        moves=np.concatenate([moves_row, shard.moves]),
        lengths=np.concatenate([mine.lengths, shard.lengths]),
        results=np.concatenate([mine.results, shard.results]),
        first=np.concatenate([mine.first, shard.first]),
        values=np.concatenate([values, shard.values]),
    )
    return TableGames(joined, tiny_table(), CPU)


def test_boards_are_seen_from_the_side_to_move() -> None:
    games = one_game([40, 41, 42, 43])
    boards = games.stones(torch.arange(4)).view(4, -1)
    assert [{i: int(v) for i, v in enumerate(b) if v} for b in boards] == [
        {},
        {40: 2},
        {40: 1, 41: 2},
        {40: 2, 41: 1, 42: 2},
    ]


def test_targets_mix_the_outcome_with_known_values_and_change_sides() -> None:
    games = one_game([40, 41, 42, 43], result=1, values=[0.5, 0.5, float("nan"), -1.0])
    found = games.batch(torch.arange(4))
    assert found.outcome.tolist() == [1, -1, 1, -1]
    assert found.target.tolist() == pytest.approx([0.75, -0.25, 1.0, -1.0])
    assert found.recent.tolist() == [[-1, -1], [40, -1], [41, 40], [42, 41]]


def test_the_policy_is_the_stored_one_or_the_move_played() -> None:
    games = one_game([40, 41, 42, 43])
    games.policy_cells = torch.zeros(len(games.moves), 14, 8, dtype=torch.uint8)
    games.policy_weights = torch.zeros(len(games.moves), 14, 8)
    games.policy_cells[0, 1, :2] = torch.tensor([7, 9])
    games.policy_weights[0, 1, :2] = torch.tensor([3.0, 1.0])
    found = games.batch(torch.arange(2))
    assert found.cells[0, 0] == 40
    assert found.weights[0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert found.cells[1, :2].tolist() == [7, 9]
    assert found.weights[1, :3].tolist() == [0.75, 0.25, 0]


def test_only_positions_that_the_engine_evaluates_are_learnt() -> None:
    row = [38, 0, 39, 2, 40, 4, 41, 18, 80, 20]  # black puts an open four at ply 6
    games = one_game(row)
    chosen = set(games.training.tolist()) | set(games.held_out.tolist())
    quiet = [ply in chosen for ply in range(len(row))]
    # ply 6: black makes an open four; 7: white must stop a five; 8: black makes five
    assert quiet == [True] * 6 + [False] * 4


def test_games_are_held_out_as_a_whole_and_equal_games_together() -> None:
    shard = some_games(60)
    twice = dataclasses.replace(
        shard,
        **{
            name: np.concatenate([getattr(shard, name)] * 2)
            for name in ("moves", "lengths", "results", "first", "values")
        },
    )
    games = TableGames(twice, tiny_table(), CPU)
    held = set(games.game[games.held_out].tolist())
    assert not held & set(games.game[games.training].tolist())
    assert {game % 60 for game in held} == {game for game in held if game < 60}
    assert 0.1 < len(held) / 120 < 0.5


def random_model(seed: int = 3) -> TableModel:
    torch.manual_seed(seed)
    model = TableModel(width=8)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            summed = name in ("value_regions", "policy_context")  # over regions, over a layer
            parameter.add_(torch.randn_like(parameter) * (0.01 if summed else 0.3))
    return model


def test_values_do_not_depend_on_the_symmetry_and_policies_turn_with_the_board() -> None:
    games, model = one_game([40, 41, 31, 50, 22, 30]), random_model()
    board = games.stones(torch.tensor([5]))[0]
    turned = [torch.rot90(b, k) for k in range(4) for b in (board, board.flip(0))]
    with torch.no_grad():
        value, policy = model(games.reader(torch.stack(turned)))
    assert value.abs().max() > 1e-3
    assert value.tolist() == pytest.approx([value[0].item()] * 8, abs=1e-5)
    back = [torch.rot90(p.view(SIZE, SIZE), -k) for p, k in zip(policy[::2], range(4), strict=True)]
    assert torch.allclose(torch.stack(back), back[0], atol=1e-4)
    assert torch.allclose(policy[1].view(SIZE, SIZE).flip(0), back[0], atol=1e-4)


def test_rows_computed_one_by_one_equal_the_whole_table() -> None:
    model = random_model()
    some = torch.tensor([0, 5, 77, 1234, 199_289])
    with torch.no_grad():
        assert torch.allclose(model.table()[some], model.table(some), atol=1e-5)


def test_the_engine_computes_what_torch_computes(tmp_path: Path, games_file: Path) -> None:
    training = TableTraining(tiny_table(), tmp_path, [games_file])
    training.model = random_model()
    training.save()
    engine = Engine(SIZE, network=load_table_network(tmp_path / "network.npz"))
    moves = [40, 41, 31, 50, 22, 30, 49]
    with torch.no_grad():
        stones = torch.zeros(1, SIZE, SIZE, dtype=torch.int32)
        for i, move in enumerate(moves):
            stones.view(-1)[move] = 1 + (len(moves) - i) % 2
            make_move(engine.board, cell_of(divmod(move, SIZE)), 1 + i % 2)
        recent = torch.tensor([[49, 30]])
        value, policy = training.model(training.games.reader(stones), recent)
    me = 1 + len(moves) % 2
    assert float(network_logit(engine.board, engine.network, me)) == pytest.approx(
        value.item(), abs=0.01
    )
    prepare_policy(engine.board, engine.network, me)
    last, before = (cell_of(divmod(cell, SIZE)) for cell in (49, 30))
    for cell in (0, 13, 39, 58):
        point = cell_of(divmod(cell, SIZE))
        score = policy_score(engine.board, engine.network, me, point, last, before)
        assert score / 100 == pytest.approx(policy[0, cell].item(), abs=0.03)


def test_losses_are_those_of_the_formulas() -> None:
    games, model = one_game([40, 41, 42], result=1), random_model()
    positions = games.batch(torch.arange(2))
    lines = games.reader(positions.stones)
    with torch.no_grad():
        value_loss, policy_loss, value = losses(model, lines, positions)
        _, policy = model(lines, positions.recent)
    expected = [log_loss(np.array([value[0].item()]), np.array([1.0]))]
    expected.append(log_loss(np.array([value[1].item()]), np.array([0.0])))
    assert value_loss.item() == pytest.approx(np.mean(expected), rel=1e-5)
    likely = torch.log_softmax(policy, 1)
    assert policy_loss.item() == pytest.approx(-(likely[0, 40] + likely[1, 41]).item() / 2)
    assert torch.exp(likely[1, 40]) == 0  # taken


def test_learning_lowers_the_loss_on_games_that_were_held_out(tmp_path: Path) -> None:
    """Black plays in the middle and wins, white plays at the edge and loses."""
    rng = np.random.default_rng(1)
    middle = [r * SIZE + c for r in range(2, 7) for c in range(2, 7)]
    edge = [r * SIZE + c for r in range(SIZE) for c in (0, 8)]
    games = []
    for _ in range(40):
        black, white = rng.permutation(middle)[:5], rng.permutation(edge)[:5]
        games.append(PlayedGame(np.stack([black, white], 1).ravel().tolist(), 1, first=2))
    write_games(tmp_path / "games.npz", pack_games(games, size=SIZE))
    config = tiny_table(learning_rate=0.02, batch_size=32)
    training = TableTraining(config, tmp_path, [tmp_path / "games.npz"])
    positions = training.games.batch(training.games.held_out)
    lines = training.games.reader(positions.stones)
    before = losses(training.model, lines, positions)
    for _ in range(30):
        training.advance(0.0)
    after = losses(training.model, lines, positions)
    assert after[0] < before[0] - 0.1
    assert after[1] < before[1] - 0.3


def test_the_learning_rate_rises_then_falls(tmp_path: Path, games_file: Path) -> None:
    training = TableTraining(tiny_table(warm_up=4), tmp_path, [games_file])
    rates = []
    for share in (0.0, 0.0, 0.0, 0.0, 1.0):
        training.advance(share)
        rates.append(training.optimizer.param_groups[0]["lr"])
    assert rates == pytest.approx([0.0005, 0.001, 0.0015, 0.002, 0.00002])


def test_a_resumed_run_equals_one_that_did_not_stop(tmp_path: Path, games_file: Path) -> None:
    whole = TableTraining(tiny_table(), tmp_path / "whole", [games_file])
    whole.run(live=False)
    half = TableTraining(tiny_table(), tmp_path / "half", [games_file])
    for _ in range(5):
        half.advance(half.step / 8)
    half.checkpoint()
    rest = TableTraining(tiny_table(), tmp_path / "half", [games_file])
    rest.resume(tmp_path / "half" / "checkpoint.pt")
    rest.run(live=False)
    assert rest.step == whole.step == 8
    theirs = whole.model.state_dict()
    assert all(torch.equal(value, theirs[name]) for name, value in rest.model.state_dict().items())
    assert torch.equal(rest.losses, whole.losses)


def test_a_run_leaves_a_log_curves_weights_and_metadata(tmp_path: Path, games_file: Path) -> None:
    TableTraining(tiny_table(), tmp_path / "run", [games_file]).run(live=False)
    found = {path.name for path in (tmp_path / "run").iterdir()}
    names = {"checkpoint.pt", "curves.svg", "log.csv", "log.jsonl", "metadata.json", "network.npz"}
    assert found == names
    rows = [json.loads(line) for line in (tmp_path / "run/log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == [2, 4, 6, 8]
    assert "sign_accuracy" in rows[1]
    assert "sign_accuracy" not in rows[2]
    assert {"value_loss", "policy_loss", "constant_loss", "pattern_loss"} <= rows[3].keys()
    facts = json.loads((tmp_path / "run" / "metadata.json").read_text())
    assert (facts["kind"], facts["rule"], facts["games"], facts["steps"]) == (
        "gomoku-table",
        "standard",
        40,
        8,
    )


def test_a_checkpoint_of_other_games_is_refused(tmp_path: Path, games_file: Path) -> None:
    TableTraining(tiny_table(), tmp_path, [games_file]).checkpoint()
    write_games(tmp_path / "others.npz", some_games(seed=2))
    training = TableTraining(tiny_table(), tmp_path, [tmp_path / "others.npz"])
    with pytest.raises(BadSettings, match="other games"):
        training.resume(tmp_path / "checkpoint.pt")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": 31}, "features must be even"),
        ({"outcome_share": 1.5}, "outcome_share must be from 0 to 1, not 1.5"),
        ({"held_out": 0.0}, "held_out must be between 0 and 1, not 0"),
        ({"batch_size": 0}, "batch_size must be at least 1"),
    ],
)
def test_settings_out_of_range_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSettings, match=message):
        tiny_table(**changes)


def test_too_few_games_are_refused(tmp_path: Path) -> None:
    write_games(tmp_path / "games.npz", some_games(1))
    with pytest.raises(BadSettings, match="too few games"):
        TableTraining(tiny_table(), tmp_path, [tmp_path / "games.npz"])
    with pytest.raises(BadSettings, match="no files of games"):
        TableTraining(tiny_table(), tmp_path, [])


def test_the_evaluation_of_the_reference_is_the_engines() -> None:
    rng, engine = np.random.default_rng(4), Engine(rows=2)
    for count in (0, 7, 20, 60):
        cells = rng.permutation(225)[:count].tolist()
        marks = [(divmod(cell, 15), 1 - 2 * (i % 2)) for i, cell in enumerate(cells)]
        engine.set_position(marks, 1 - 2 * (count % 2))
        stones = torch.zeros(1, 15, 15, dtype=torch.int32)
        for (row, col), mark in marks:
            stones[0, row, col] = 1 if mark == 1 - 2 * (count % 2) else 2
        value = PatternEvaluation()(LineReader(True)(stones))
        assert value.tolist() == [evaluate(engine.board, engine.colour)]


def test_a_sigmoid_is_fitted_and_compared_with_a_constant() -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(0, 300, 20_000)
    wanted = (rng.random(20_000) < 1 / (1 + np.exp(-(scores / 200 + 0.5)))).astype(float)
    slope, offset = fit_sigmoid(scores, wanted)
    assert slope == pytest.approx(1 / 200, rel=0.05)
    assert offset == pytest.approx(0.5, abs=0.05)
    found = reference_losses(scores, wanted)
    share = wanted.mean()
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert found["constant_loss"] == pytest.approx(entropy)
    assert found["pattern_loss"] < found["constant_loss"] - 0.1


def test_one_unit_of_the_logit_is_worth_as_many_points_as_patterns_spread(
    tmp_path: Path, games_file: Path
) -> None:
    training = TableTraining(tiny_table(), tmp_path, [games_file])
    training.model = random_model()
    points = training.points_per_logit()
    with torch.no_grad():
        training.model.value3.weight *= 0.5
        training.model.value3.bias *= 0.5
        assert training.points_per_logit() == pytest.approx(2 * points, rel=1e-3)
        training.model.value3.weight *= 0
    assert training.points_per_logit() == 5000


@pytest.mark.slow
def test_the_command_trains_and_the_engine_plays_with_the_result(
    tmp_path: Path, games_file: Path
) -> None:
    config = tmp_path / "tiny.yaml"
    changed = {"device": "cpu", "threads": 1, "steps": 2, "width": 8, "batch_size": 16}
    changed |= {"held_out": 0.3, "evaluate_every": 0}
    config.write_text("".join(f"{name}: {value}\n" for name, value in changed.items()))
    arguments = ["--config", str(config), "--games", str(games_file), "--quiet"]
    result = CliRunner().invoke(app, ["gomoku-table", "--out", str(tmp_path / "a"), *arguments])
    assert result.exit_code == 0, result.output
    main(["--out", str(tmp_path / "b"), *arguments[:-1]])
    weights = [load_table_network(tmp_path / run / "network.npz").weights for run in "ab"]
    assert all(np.array_equal(weights[0][name], weights[1][name]) for name in weights[0])
    model = str(tmp_path / "a" / "network.npz")
    game = Gomoku(size=SIZE)
    agent = Search(nodes=500, evaluation="network", model=model)
    assert agent.analyse(game, game.start()).nodes > 0


@pytest.mark.parametrize("passed", [True, False])
def test_promotion_plays_the_network_against_patterns(
    tmp_path: Path, games_file: Path, monkeypatch: pytest.MonkeyPatch, passed: bool
) -> None:
    run, models = tmp_path / "run", tmp_path / "models"
    TableTraining(tiny_table(steps=1, evaluate_every=0), run, [games_file]).run(live=False)
    asked: dict[str, Any] = {}

    def fake_gate(game: Any, ours: Entrant, theirs: Entrant, **more: Any) -> GateResult:
        asked.update(game=game, ours=ours.agent, theirs=theirs.agent, **more)
        known = {"passed": passed, "threshold": 0.6, "folder": "", "elo_change": 0.0}
        names = {"candidate": "network", "against": "patterns", "evidence": "score"}
        others = {f.name: 0 for f in dataclasses.fields(GateResult)}
        return GateResult(**{**others, **known, **names})

    monkeypatch.setattr(promotion, "gate", fake_gate)
    result = promotion.promote(run, Gate(games=4, threshold=0.6, seconds=0.2), models=models)
    weights = (run / "network.npz").absolute()
    assert asked["ours"] == f'search:evaluation=network,model="{weights}",seconds=0.2'
    assert asked["theirs"] == "search:evaluation=patterns,seconds=0.2"
    assert (asked["game"], asked["games"], asked["threshold"]) == (Gomoku(), 4, 0.6)
    assert result.passed == passed
    copied = {path.name for path in models.iterdir()} if models.exists() else set()
    assert copied == ({"network.npz", "metadata.json", "report.json"} if passed else set())
