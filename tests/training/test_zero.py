"""Gomoku from zero: games by the rules, targets, replay, exact resuming, game files, export."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from trireme.core.errors import BadSettings, TrainingDiverged, TriremeError
from trireme.gomoku.encode import GomokuEncoder, board_array
from trireme.gomoku.rules import Gomoku
from trireme.training import zero_export
from trireme.training.gomoku_games import GameShard, read_games
from trireme.training.gomoku_zero import ZeroTraining, losses
from trireme.training.gumbel_search import SearchResult
from trireme.training.promote import export_run
from trireme.training.replay import UNFILLED
from trireme.training.standalone import main
from trireme.training.zero_games import EndedGames, GameArchive, PositionBuffer, boards_at
from trireme.training.zero_network import (
    NEVER,
    ZeroNetwork,
    folded_copy,
    load,
    packed,
    planes_of,
    unpacked,
)

from .plain_zero import prove, wins
from .tiny import tiny_zero

CPU = torch.device("cpu")


def test_positions_are_those_of_the_encoder() -> None:
    game = Gomoku(size=7)
    moves = [(3, 3), (2, 4), (0, 6), (6, 1), (5, 5)]
    order = torch.full((len(moves) + 1, 49), UNFILLED, dtype=torch.int16)
    for ply, (row, col) in enumerate(moves):
        order[:, row * 7 + col] = ply
    board, last = boards_at(order, torch.arange(len(moves) + 1))
    planes = planes_of(board, last, 7)
    state = game.start()
    for ply in range(len(moves) + 1):
        assert torch.equal(planes[ply].to(torch.int8), torch.from_numpy(encode(game, state)))
        colour = 1 if ply % 2 == 0 else -1
        assert board[ply].tolist() == (board_array(game, state) * colour).ravel().tolist()
        if ply < len(moves):
            state = game.apply(state, {ply % 2: moves[ply]})


def encode(game: Gomoku, state: Any) -> np.ndarray[Any, Any]:
    return GomokuEncoder(game).planes(state)


def played(steps: int, **changes: Any) -> list[EndedGames]:
    training = ZeroTraining(tiny_zero(**changes), Path("unused"))
    found = [training.play.advance(3, full=True) for _ in range(steps)]
    return [ended for ended in found if ended is not None]


@pytest.mark.parametrize("rule", ["standard", pytest.param("freestyle", marks=pytest.mark.slow)])
def test_games_end_where_the_result_is_proven_and_not_before(rule: str) -> None:
    exact, games, results = rule == "standard", 0, set()
    for ended in played(30, rule=rule):
        for i, length in enumerate(ended.length.tolist()):
            begin, order = int(ended.begin[i]), ended.order[i : i + 1]
            assert 0 <= begin <= 5
            assert int((order < UNFILLED).sum()) == length
            for ply in range(max(begin, length - 2), length + 1):
                board = tuple(boards_at(order, torch.tensor([ply]))[0][0].tolist())
                proof = prove(board, exact=exact)
                if ply < length:
                    assert proof.value == 0
            black = proof.value if length % 2 == 0 else -proof.value
            assert float(ended.result[i]) == black
            assert int(ended.labelled[i]) == length + (proof.value != 0)
            assert proof.value or length == 49
            results.add(black)
            games += 1
    assert games > 15
    assert {1, -1} <= results


def test_what_a_search_finds_is_kept_with_its_position() -> None:
    training = ZeroTraining(tiny_zero(), Path("unused"))
    play, search, noises = training.play, training.player.search.run, []

    def marked(board: Tensor, last: Tensor, simulations: int, gumbel: Tensor) -> SearchResult:
        noises.append(gumbel)
        found = search(board, last, simulations, gumbel)
        chosen = torch.nn.functional.one_hot(found.action, 49).float()
        return SearchResult(found.action, chosen, (board != 0).sum(1) / 64)

    training.player.search.run = marked  # type: ignore[method-assign]
    ended = [games for _ in range(25) if (games := play.advance(2, full=True)) is not None]
    for games in ended:
        for i, length in enumerate(games.length.tolist()):
            for ply in range(int(games.begin[i]), length):
                move = int((games.order[i] == ply).int().argmax())
                assert games.policy[i, ply].nonzero().flatten().tolist() == [move]
                assert float(games.value[i, ply]) == ply / 64
            board = boards_at(games.order[i : i + 1], games.length[i : i + 1])[0]
            proof = prove(tuple(board[0].tolist()), exact=True)
            assert games.policy[i, length].nonzero().flatten().tolist() == sorted(proof.moves)
            assert float(games.policy[i, length].sum()) == pytest.approx(1, abs=0.01)
            assert float(games.value[i, length]) == proof.value
    assert ended
    noise = torch.stack(noises)
    assert float(noise.mean()) == pytest.approx(0.577, abs=0.05)  # Gumbel's mean and deviation
    assert float(noise.std()) == pytest.approx(1.283, abs=0.05)


def test_schedules_go_from_their_start_to_their_end() -> None:
    training = ZeroTraining(tiny_zero(minimum=1, learning_rate_end=0.0004), Path("unused"))
    training.replay.add(one_game(size=7), 0.0)
    (group,) = training.optimizer.param_groups
    counted = []
    for share in (0.0, 1.0, 1.2):
        before = training.evaluations
        training.advance(share)
        counted.append((group["lr"], training.evaluations - before))
    assert counted[0] == (0.001, 24 * 4)
    assert counted[1] == counted[2] == (pytest.approx(0.0004), 24 * 6)
    planes = (torch.rand(4, 4, 7, 7) > 0.7).float()
    with torch.no_grad():
        played, learnt = training.player.network(planes), training.network.eval()(planes)
    assert torch.allclose(played[1], learnt[1], atol=1e-5)


def test_openings_lie_near_the_centre_and_have_up_to_five_stones() -> None:
    training = ZeroTraining(tiny_zero(size=15, games=200, simulations_end=3), Path("unused"))
    order = training.play.order
    assert sorted(set(training.play.begin.tolist())) == [0, 1, 2, 3, 4, 5]
    assert torch.equal((order < UNFILLED).sum(1), training.play.begin)
    row, col = divmod((order < UNFILLED).nonzero()[:, 1].numpy(), 15)
    assert row.min() == col.min() == 3
    assert row.max() == col.max() == 11
    none = ZeroTraining(tiny_zero(opening_stones=0), Path("unused"))
    assert (none.play.order == UNFILLED).all()


def one_game(value: float = 0.5, *, size: int = 6) -> EndedGames:
    """Two random stones, three chosen moves and a proven last position; black won."""
    area = size * size
    order = torch.full((1, area), UNFILLED, dtype=torch.int16)
    order[0, torch.tensor([10, 20, 5, 6, 7])] = torch.arange(5, dtype=torch.int16)
    policy = torch.zeros((1, area + 1, area), dtype=torch.half)
    policy[0, torch.arange(6), torch.tensor([10, 20, 5, 6, 7, 8])] = 1  # as played
    return EndedGames(
        order=order,
        begin=torch.tensor([2]),
        length=torch.tensor([5]),
        labelled=torch.tensor([6]),
        result=torch.tensor([1.0]),
        policy=policy,
        value=torch.full((1, area + 1), value, dtype=torch.half),
        full=torch.arange(area + 1).unsqueeze(0) != 3,
    )


def test_value_targets_mix_the_result_with_the_root_value_for_the_side_to_move() -> None:
    buffer = PositionBuffer(10, 6, CPU)
    buffer.add(one_game(value=0.5), root_value_share=0.25)
    assert len(buffer) == 4
    black, white = 0.75 + 0.125, -0.75 + 0.125
    assert buffer.columns["value"][:4].tolist() == [black, white, black, white]
    assert buffer.columns["full"][:4].tolist() == [True, False, True, True]
    assert buffer.columns["last"][:4].tolist() == [20, 5, 6, 7]
    assert buffer.columns["board"][:4].abs().sum(1).tolist() == [2, 3, 4, 5]


def test_the_newest_positions_replace_the_oldest() -> None:
    buffer = PositionBuffer(6, 6, CPU)
    buffer.add(one_game(), 0.0)
    buffer.add(one_game(), 0.0)
    assert (len(buffer), buffer.added) == (6, 8)
    assert buffer.columns["last"].tolist() == [6, 7, 6, 7, 20, 5]
    small = PositionBuffer(3, 6, CPU)
    small.add(one_game(), 0.0)
    assert sorted(small.columns["last"].tolist()) == [5, 6, 7]


def test_a_sample_turns_board_policy_and_last_stone_alike() -> None:
    buffer = PositionBuffer(10, 6, CPU)
    game = one_game()
    game.policy[0, torch.arange(2, 6)] = 0
    game.policy[0, torch.arange(2, 6), torch.tensor([20, 5, 6, 7])] = 1  # at the last stone
    buffer.add(game, 0.0)
    sample = buffer.sample(200, torch.Generator().manual_seed(1))
    assert torch.equal(sample.policy.argmax(1), sample.last)
    assert (sample.board.gather(1, sample.last.unsqueeze(1)) == -1).all()
    assert {5, 30, 0, 35} <= set(sample.last.tolist())  # all corners: symmetries differ


def test_an_empty_board_has_no_last_stone_under_any_symmetry() -> None:
    game = one_game()._replace(begin=torch.tensor([0]), labelled=torch.tensor([1]))
    buffer = PositionBuffer(10, 6, CPU)
    buffer.add(game, 0.0)
    sample = buffer.sample(20, torch.Generator().manual_seed(1))
    assert (sample.last == 36).all()
    assert not planes_of(sample.board, sample.last, 6)[:, 3].any()


def test_only_full_searches_teach_the_policy() -> None:
    training = ZeroTraining(tiny_zero(size=6), Path("unused"))
    training.replay.add(one_game(), 0.0)
    sample = training.replay.sample(8, torch.Generator().manual_seed(1))
    training.network.eval()
    training.network.requires_grad_(False)
    policy, value = losses(training.network, sample._replace(full=torch.zeros(8).bool()), 6)
    assert policy == 0
    some = losses(training.network, sample._replace(full=torch.arange(8) < 1), 6)[0]
    first = sample._replace(**{k: getattr(sample, k)[:1] for k in sample._fields})
    alone = losses(training.network, first._replace(full=torch.ones(1).bool()), 6)[0]
    assert float(some) == pytest.approx(float(alone), rel=1e-5)
    assert value > 0


def test_playout_caps_leave_some_policies_out() -> None:
    training = ZeroTraining(tiny_zero(fast_share=0.5, fast_simulations=1), Path("unused"))
    for _ in range(20):
        training.advance(0.0)
    full = training.replay.columns["full"][: len(training.replay)]
    assert 0.2 < full.float().mean() < 0.9
    assert training.evaluations < 20 * 24 * 4


def test_learning_fits_policy_and_value() -> None:
    config = tiny_zero(size=6, channels=8, batch_size=32, learning_rate=0.01)
    training = ZeroTraining(config, Path("unused"))
    training.replay.add(one_game(), 0.0)
    sums = [training.tally.clone()]
    for _ in range(40):
        training._update()
        sums.append(training.tally.clone())
    early, late = sums[3] / 3, (sums[40] - sums[37]) / 3
    assert late[0] < 0.5 * early[0]
    assert late[1] < 0.5 * early[1]


def test_a_loss_that_is_no_number_ends_the_run_at_once(tmp_path: Path) -> None:
    training = ZeroTraining(tiny_zero(), tmp_path)
    training.tally[0] = math.nan
    with pytest.raises(TrainingDiverged, match="the loss is nan at step"):
        training.run(live=False)


def log_of(folder: Path) -> list[dict[str, Any]]:
    timed = ("seconds", "evaluations_per_s", "play_share")
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{k: v for k, v in row.items() if k not in timed} for row in rows]


@pytest.mark.slow
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    def config(name: str, **changes: Any) -> Any:
        file = str(tmp_path / name / "games.npz")
        return tiny_zero(games_file=file, keep_positions=60, fast_share=0.3, **changes)

    ZeroTraining(config("whole"), tmp_path / "whole").run(live=False)
    half = ZeroTraining(config("parts"), tmp_path / "parts")
    while half.step < 15:
        half.advance(half.step / 20)
        half._keep_snapshot(Stopped())
        if half.step % 2 == 0:
            half.tally.zero_()  # a row of the log
    half.checkpoint()
    half.advance(0.75)  # work after the checkpoint, lost in the crash
    rest = ZeroTraining(config("parts"), tmp_path / "parts")
    rest.resume(tmp_path / "parts" / "checkpoint.pt")
    assert rest.step == 15
    rest.run(live=False)

    assert differences(tensors(tmp_path / "whole"), tensors(tmp_path / "parts")) == []
    assert log_of(tmp_path / "parts") == [r for r in log_of(tmp_path / "whole") if r["step"] > 15]
    whole, parts = (read_games(tmp_path / n / "games-0.npz") for n in ("whole", "parts"))
    assert np.array_equal(whole.moves, parts.moves)
    assert np.array_equal(whole.values, parts.values, equal_nan=True)
    with pytest.raises(BadSettings, match="other settings"):
        ZeroTraining(config("parts", channels=5), tmp_path).resume(
            tmp_path / "parts" / "checkpoint.pt"
        )


class Stopped:
    """A timer at the beginning of a run."""

    seconds = 0.0


def tensors(folder: Path) -> dict[str, Any]:
    """The last checkpoint, without times."""
    state = torch.load(folder / "checkpoint.pt", weights_only=True)
    for name in ("seconds", "config"):
        del state[name]
    for snapshot in state["history"]:
        del snapshot["seconds"]
    return dict(state)


def differences(one: Any, other: Any, name: str = "state") -> list[str]:
    """The names of the parts that are not bit for bit the same."""
    if isinstance(one, Tensor):
        return [] if torch.equal(one, other) else [name]
    if isinstance(one, list | tuple):
        one, other = dict(enumerate(one)), dict(enumerate(other))
    if not isinstance(one, dict):
        return [] if one == other else [name]
    if one.keys() != other.keys():
        return [name]
    return [found for k in one for found in differences(one[k], other[k], f"{name}.{k}")]


@pytest.mark.slow
def test_a_run_leaves_log_history_weights_and_metadata(tmp_path: Path) -> None:
    training = ZeroTraining(tiny_zero(evaluate_every=10, evaluate_games=2), tmp_path)
    training.run(live=False)
    rows = log_of(tmp_path)
    assert {"policy_loss", "value_loss", "games", "black", "length"} <= set(rows[-1])
    assert {row["step"] for row in rows if "vs_heuristic" in row} == {10, 20}
    facts = json.loads((tmp_path / "metadata.json").read_text())
    assert facts["kind"] == "gomoku-zero"
    assert facts["positions"] == 20 * 24
    assert facts["network_evaluations_per_s"] > 0
    history = torch.load(tmp_path / "history.pt", weights_only=True)["networks"]
    assert [past["step"] for past in history] == [10, 20]
    board, last = boards_at(training.play.order, training.play.count)
    planes = planes_of(board, last, 7).float()
    now, past = load(tmp_path / "network.pt"), unpacked(history[-1])
    with torch.no_grad():
        assert torch.equal(now(planes)[1], training.network.eval()(planes)[1])
        assert torch.allclose(now(planes)[0], past(planes)[0], atol=0.02)


@pytest.mark.slow
def test_a_run_can_start_from_the_weights_of_another(tmp_path: Path) -> None:
    first = ZeroTraining(tiny_zero(), tmp_path)
    first.save()
    path = str(tmp_path / "network.pt")
    second = ZeroTraining(tiny_zero(seed=2, start_from=path), tmp_path)
    one, other = first.player.network.state_dict(), second.player.network.state_dict()
    assert all(torch.equal(one[name], other[name]) for name in one)
    with pytest.raises(BadSettings, match=r"\(1, 4\), not \(2, 4\)"):
        ZeroTraining(tiny_zero(blocks=2, start_from=path), tmp_path)
    with pytest.raises(BadSettings, match="no network"):
        ZeroTraining(tiny_zero(start_from="gone.pt"), tmp_path)


def test_minutes_of_the_whole_run_end_it_and_steer_the_schedules(tmp_path: Path) -> None:
    training = ZeroTraining(tiny_zero(schedule_minutes=1.0), tmp_path)
    timer = Stopped()
    training.seconds = 30.0
    assert training.share(timer) == 0.5  # type: ignore[arg-type]
    training.seconds = 61.0
    training.run(live=False)
    assert training.step == 0
    assert (tmp_path / "checkpoint.pt").exists()


def test_the_form_for_playing_equals_the_network_it_was_folded_from() -> None:
    torch.manual_seed(0)
    network = ZeroNetwork(2, 8)
    planes = (torch.rand(16, 4, 7, 7) > 0.7).float()
    for _ in range(5):
        network(planes + torch.randn_like(planes))  # statistics of the normalisation
    network.eval()
    folded = folded_copy(network)
    with torch.no_grad():
        (logits, value), (other, worth) = network(planes), folded(planes)
    assert torch.allclose(logits, other, atol=1e-4)
    assert torch.allclose(value, worth, atol=1e-5)
    taken = (planes[:, 0] + planes[:, 1]).flatten(1) > 0
    assert (logits[taken] == NEVER).all()
    assert (logits[~taken] > -100).all()
    assert packed(network, half=True)["weights"]["stem.weight"].dtype == torch.half


def test_the_exported_network_gives_what_torch_gives(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    training = ZeroTraining(tiny_zero(steps=1), tmp_path)
    training.run(live=False)
    path = export_run(tmp_path)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert [i.name for i in session.get_inputs()] == ["planes"]
    assert [o.name for o in session.get_outputs()] == ["policy", "value"]
    planes = (torch.rand(3, 4, 9, 9) > 0.8).float()  # another size and batch than in training
    policy, value = session.run(None, {"planes": planes.numpy()})
    with torch.no_grad():
        ours = load(tmp_path / "network.pt")(planes)
    taken = (planes[:, 0] + planes[:, 1]).flatten(1).numpy() > 0
    assert (policy[taken] == NEVER).all()
    assert np.abs(policy - ours[0].numpy()).max() < 0.02  # 8 bits
    assert np.abs(value - ours[1].numpy()).max() < 0.02
    assert value.std() > 0.001


@pytest.mark.slow
def test_calibration_games_have_many_positions_that_nothing_proves() -> None:
    torch.manual_seed(2)
    network = folded_copy(ZeroNetwork(1, 4))
    planes = zero_export.sample_planes(network, 7, True, seed=0)
    assert torch.equal(planes, zero_export.sample_planes(network, 7, True, seed=0))
    assert not torch.equal(planes, zero_export.sample_planes(network, 7, True, seed=1))
    assert len(planes) > 100
    stones = planes[:, :2].sum((1, 2, 3))
    assert sorted(set(stones.tolist())) == list(range(24))
    assert (planes[:, 0].sum((1, 2)) == planes[:, 1].sum((1, 2)))[stones % 2 == 0].all()
    assert (planes[stones > 0, 3].sum((1, 2)) == 1).all()
    for one in planes[::5]:
        board = (one[0] - one[1]).flatten().int().tolist()
        assert prove(tuple(board), exact=True).value == 0


def test_convolutions_are_exported_in_8_bits_and_heads_are_not(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "network.onnx"
    torch.manual_seed(2)
    network = ZeroNetwork(2, 4).eval()
    error = zero_export.export_zero(network, path, size=7, exact=True)
    assert 0 < error.value < 0.02
    assert 0 < error.policy < 0.02
    weights = onnx.load(path).graph.initializer
    eight = [w for w in weights if w.data_type == onnx.TensorProto.INT8 and len(w.dims) == 4]
    assert sorted(tuple(w.dims) for w in eight) == [(4, 4, 3, 3)] * 4 + [(4, 4, 5, 5)]
    assert any(w.name == "policy.weight" for w in weights)


def test_an_export_that_plays_otherwise_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    monkeypatch.setattr(zero_export, "MAX_POLICY_ERROR", 0.0)
    with pytest.raises(TriremeError, match="differs from its network too much"):
        zero_export.export_zero(ZeroNetwork(1, 4), tmp_path / "n.onnx", size=7, exact=True)


def kept(archive: GameArchive, folder: Path, policies: int) -> list[GameShard]:
    return [read_games(path) for path in archive.write(folder / "games.npz", policies)]


def test_game_files_hold_the_newest_games_and_policies_of_the_very_newest(tmp_path: Path) -> None:
    archive = GameArchive(6, "standard", 10)
    for value in (0.0, 0.25, 0.5, 0.75):
        archive.add(one_game(value))
    newest, older = kept(archive, tmp_path, 5)
    assert newest.moves.tolist() == [[10, 20, 5, 6, 7]]
    assert (newest.lengths.tolist(), newest.first.tolist()) == ([5], [2])
    assert newest.results.tolist() == [1]
    assert np.isnan(newest.values[0, :2]).all()
    assert newest.values[0, 2:].tolist() == [0.75, 0.75, 0.75]
    assert newest.policy_cells is not None
    assert newest.policy_cells[0, 2:, 0].tolist() == [5, 6, 7]
    assert newest.policy_weights is not None
    assert newest.policy_weights[0, 2:].sum(1).tolist() == [1, 1, 1]
    assert older.policy_cells is None
    assert older.values[:, 2].tolist() == [0.25, 0.5]


def test_no_games_make_no_file(tmp_path: Path) -> None:
    assert kept(GameArchive(6, "standard", 10), tmp_path, 5) == []


@pytest.mark.slow
def test_a_run_writes_games_that_the_rules_accept(tmp_path: Path) -> None:
    config = tiny_zero(steps=24, games_file=str(tmp_path / "games.npz"))
    ZeroTraining(config, tmp_path / "run").run(live=False)
    facts = json.loads((tmp_path / "run" / "metadata.json").read_text())
    assert facts["config"]["games_file"] == "games.npz", "no path of this machine"
    shard = read_games(tmp_path / "games-0.npz")
    assert len(shard) > 5
    assert (shard.size, shard.rule) == (7, "standard")
    game, ply = shard.positions()
    boards = shard.boards(game, ply)
    for board, move, stones in zip(boards, shard.moves[game, ply], ply, strict=True):
        colour = 1 if stones % 2 == 0 else -1
        assert board[move] == 0
        assert not wins(tuple(board.tolist()), int(move), colour, exact=True)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"opening_stones": 6}, "opening_stones"),
        ({"size": 4}, "size"),
        ({"simulations": 0}, "simulations"),
        ({"fast_share": 1.5}, "fast_share"),
        ({"minimum": 9, "capacity": 8}, "minimum"),
        ({"games_file": "games.npz", "size": 16}, "games_file"),
    ],
)
def test_settings_that_do_not_fit_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(BadSettings, match=message):
        tiny_zero(**wrong)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("games", "key: value"),
        ("gamess: 3", "Did you mean 'games'"),
        ("games: many", "games must be int"),
        ("rule: renju", "standard | freestyle"),
        ("size: 3", "size must be at least 5"),
    ],
)
def test_mistakes_in_a_flat_config_are_told(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "my.yaml"
    config.write_text(text)
    with pytest.raises(SystemExit):
        main(["--config", str(config), "--out", str(tmp_path)])
    assert message in capsys.readouterr().err


BARE = """
import sys
for name in ("msgspec", "rich", "typer", "numba", "yaml", "gymnasium", "sqlalchemy", "onnx",
             "onnxruntime"):
    sys.modules[name] = None
import trireme.training.gomoku_table
from trireme.training.standalone import main
main(sys.argv[1:])
"""


@pytest.mark.slow
def test_training_starts_with_torch_and_numpy_alone(tmp_path: Path) -> None:
    options = {"steps": 2, "games": 4, "size": 6, "blocks": 1, "channels": 4, "simulations": 2}
    options |= {"simulations_end": 2, "fast_simulations": 2, "minimum": 1, "threads": 1}
    config = tmp_path / "my.yaml"
    config.write_text("".join(f"{k}: {v}\n" for k, v in options.items()) + "device: cpu # here\n")
    arguments = ["--config", str(config), "--out", str(tmp_path), "--log-every", "1"]
    command = [sys.executable, "-c", BARE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    assert "step 2" in done.stdout
    main([*arguments, "--steps", "3", "--resume"])
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 3
