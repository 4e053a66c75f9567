"""Double DQN on Gomoku: signs, masks, learning, and runs that stop and go on."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from trireme.core.errors import BadSettings, TriremeError
from trireme.core.onnx import Network
from trireme.gomoku.agents.dqn_network import NEVER, QNetwork, load
from trireme.training.gomoku_dqn import (
    DQNTraining,
    Learner,
    imitation_loss,
    self_play_only,
    targets,
)
from trireme.training.promote import export_run
from trireme.training.replay import Sample
from trireme.training.run import commit
from trireme.training.selfplay import PendingMoves, Rules, greedy, new_batch, planes_of

from .tiny import tiny_dqn


class Fixed(nn.Module):
    """A network whose values are given."""

    def __init__(self, values: list[float]) -> None:
        super().__init__()
        self.values = torch.tensor([values])

    def forward(self, planes: Tensor) -> Tensor:
        return self.values.expand(len(planes), -1)


def sample(reward: float, discount: float) -> Sample:
    nothing = torch.zeros(1, 4, 2, 2)
    zero = torch.zeros(1, dtype=torch.int64)
    return Sample(
        planes=nothing,
        action=zero,
        reward=torch.tensor([reward]),
        discount=torch.tensor([discount]),
        next_planes=nothing,
        weight=torch.ones(1),
        index=zero,
        game_id=zero,
        move_no=zero,
        demonstrated=zero.bool(),
    )


def test_what_is_good_for_the_opponent_next_is_bad_for_the_mover_now() -> None:
    rosy = Fixed([0.2, 0.8, 0.1, -0.5])
    assert targets(sample(0.0, -0.99), rosy, rosy).item() == pytest.approx(-0.99 * 0.8)
    assert targets(sample(0.0, 0.99**2), rosy, rosy).item() == pytest.approx(0.99**2 * 0.8)


def test_a_finished_game_has_no_next_value() -> None:
    wild = Fixed([9.0, 9.0, 9.0, 9.0])
    assert targets(sample(1.0, 0.0), wild, wild).item() == 1.0


def test_the_network_chooses_and_the_target_network_values() -> None:
    chooses, judges = Fixed([0.9, 0.1, 0.0, 0.0]), Fixed([0.3, 0.7, 0.0, 0.0])
    assert targets(sample(0.0, -1.0), chooses, judges).item() == pytest.approx(-0.3)


def test_targets_stay_between_a_loss_and_a_win() -> None:
    wild = Fixed([5.0, 0.0, 0.0, 0.0])
    assert targets(sample(0.0, -0.99), wild, wild).item() == -1.0


def test_imitation_asks_for_the_highest_q_at_the_demonstrated_move() -> None:
    q = torch.tensor([[0.0, 0.0, NEVER], [0.2, 0.0, NEVER], [0.0, 0.2, NEVER], [0.5, NEVER, NEVER]])
    apart = imitation_loss(q, torch.tensor([0, 0, 0, 0]), 0.2)
    likely = [1 / 2, math.e / (1 + math.e), 1 / (1 + math.e), 1]
    assert apart.tolist() == pytest.approx([-math.log(p) for p in likely])


def test_only_the_heuristics_own_moves_are_demonstrations() -> None:
    shares = {"heuristic_share": 0.5, "demonstration_share": 0.0, "snapshot_share": 0.0}
    training = DQNTraining(tiny_dqn(games=8, **shares), Path("unused"))
    ended = 0
    while not ended:
        ended = training.play.apply_moves(
            training.play.request_moves(training.learner.network, None),
            np.array([0.0, 0.0, 0.5, 0.0]),
        )
    finished = training.play.finished
    demonstrated = training.play.collect(ended, 3, 0.99, 0.0).demonstrated
    wanted = [
        finished.players[game, ply % 2] == 2 and not finished.random[game, ply]
        for game in range(ended)
        for ply in range(finished.begins[game], finished.lengths[game])
    ]
    assert demonstrated.tolist() == wanted


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    stones=st.integers(0, 20),
    size=st.integers(5, 9),
    bias=st.floats(-1e3, 1e3),
)
def test_a_taken_point_is_never_chosen(seed: int, stones: int, size: int, bias: float) -> None:
    torch.manual_seed(seed)
    network = QNetwork(4, 1).eval()
    with torch.no_grad():
        network.advantage[-1].bias += bias  # type: ignore[union-attr]
    rng = np.random.default_rng(seed)
    taken = rng.choice(size**2, stones, replace=False)
    planes = torch.zeros(1, 4, size, size)
    planes[0, 0].view(-1)[taken[::2]] = 1
    planes[0, 1].view(-1)[taken[1::2]] = 1
    q = network(planes)[0]
    assert greedy(network, planes).item() not in taken
    assert (q[taken] == NEVER).all()
    free = np.setdiff1d(np.arange(size**2), taken)
    assert (q[free] > NEVER / 2).all()


def test_advantages_are_centred_on_the_legal_moves() -> None:
    torch.manual_seed(3)
    network = QNetwork(4, 1).eval()
    planes = torch.zeros(1, 4, 6, 6)
    planes[0, 0, 2, 2] = planes[0, 1, 3, 3] = 1
    q = network(planes)[0]
    seen = network.trunk(planes)
    value = network.value(torch.cat([seen.mean((2, 3)), seen.amax((2, 3))], 1)).item()
    assert q[q > NEVER / 2].mean().item() == pytest.approx(value, abs=1e-5)


def test_self_play_makes_only_legal_moves_and_records_them_all() -> None:
    training = DQNTraining(tiny_dqn(games=16, steps=30), Path("unused"))
    for _ in range(60):
        ended = training.play.apply_moves(
            training.play.request_moves(training.learner.network, None), np.full(4, 0.5)
        )
        for game in range(ended):
            length = training.play.finished.lengths[game]
            moves = training.play.finished.moves[game, :length]
            assert len(set(moves.tolist())) == length
    batch = training.play.batch
    assert (np.abs(batch.boards).sum((1, 2)) == batch.counts).all()


def test_learning_fits_the_targets_of_a_batch() -> None:
    training = DQNTraining(tiny_dqn(learning_rate=3e-3, learning_rate_end=3e-3), Path("unused"))
    while len(training.replay) < 200:
        training.play.apply_moves(
            training.play.request_moves(training.learner.network, None), np.full(4, 0.3)
        )
        ended = training.play.apply_moves(
            training.play.request_moves(training.learner.network, None), np.full(4, 0.3)
        )
        training.replay.add(training.play.collect(ended, 40, 0.99, 0.0))
    learner = Learner(training.config, torch.device("cpu"))
    drawn = training.replay.sample(64, training.generator)
    losses = [learner.learn(drawn, step).losses[0].item() for step in range(60)]
    assert np.mean(losses[-5:]) < 0.6 * np.mean(losses[:5])


def weights(folder: Path) -> dict[str, Tensor]:
    return load(folder / "network.pt").state_dict()


def log_of(folder: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{k: v for k, v in row.items() if k not in ("seconds", "steps_per_s")} for row in rows]


@pytest.mark.parametrize("prioritised", [False, True], ids=["uniform", "prioritised"])
@pytest.mark.slow
def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path, prioritised: bool) -> None:
    config = tiny_dqn(prioritised=prioritised, imitation_weight=0.5, demonstration_share=0.1)
    DQNTraining(config, tmp_path / "whole").run(live=False)

    half = DQNTraining(config, tmp_path / "parts")
    while half.step < 7:
        half.advance()
    half.checkpoint()
    for _ in range(3):
        half.advance()  # work after the checkpoint, lost in the crash
    rest = DQNTraining(config, tmp_path / "parts")
    rest.resume(tmp_path / "parts" / "checkpoint.pt")
    assert rest.step == 7
    rest.run(live=False)

    whole, parts = weights(tmp_path / "whole"), weights(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)
    later = [row for row in log_of(tmp_path / "whole") if row["step"] > 7]
    assert log_of(tmp_path / "parts") == later


def test_a_log_drops_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    config = tiny_dqn(checkpoint_every=6)
    DQNTraining(tiny_dqn(steps=9, checkpoint_every=6), tmp_path).run(live=False)
    state = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    assert state["step"] == 9
    again = DQNTraining(config, tmp_path)
    again.resume(tmp_path / "checkpoint.pt")
    again.run(live=False)
    steps = [row["step"] for row in log_of(tmp_path)]
    assert steps == sorted(set(steps))
    assert steps[-1] == 12


def test_other_settings_can_not_go_on_from_a_checkpoint(tmp_path: Path) -> None:
    training = DQNTraining(tiny_dqn(), tmp_path)
    path = training.checkpoint()
    with pytest.raises(BadSettings, match="other settings"):
        DQNTraining(tiny_dqn(gamma=0.9), tmp_path).resume(path)
    with pytest.raises(BadSettings, match="no checkpoint"):
        training.resume(tmp_path / "nothing.pt")
    DQNTraining(tiny_dqn(steps=99), tmp_path).resume(path)


def test_a_run_leaves_log_curves_weights_and_metadata(tmp_path: Path) -> None:
    training = DQNTraining(tiny_dqn(), tmp_path)
    training.run(live=False)
    with (tmp_path / "log.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {"loss", "q_mean", "q_std", "epsilon", "steps_per_s"} <= set(rows[0])
    evaluated = [row for row in rows if row.get("vs_heuristic")]
    assert all(0 <= float(row["vs_random"]) <= 1 for row in evaluated)
    assert len(evaluated) == 2
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")
    facts = json.loads((tmp_path / "metadata.json").read_text())
    assert facts["board_size"] == 7
    assert facts["config"]["filters"] == 4
    assert len(facts["config_hash"]) == 12
    assert facts["versions"]["torch"]
    assert facts["commit"] == commit()
    assert facts["best"]["step"] in (6, 12)


def test_the_commit_is_that_of_the_checkout_or_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    assert commit() == "" or len(commit().removesuffix("-dirty")) == 40
    monkeypatch.setenv("PATH", "")
    assert commit() == ""


def test_saved_weights_give_identical_values(tmp_path: Path) -> None:
    training = DQNTraining(tiny_dqn(), tmp_path)
    while training.step < 3:
        training.advance()
    training.save()
    batch = new_batch(Rules(7, True, 4), np.zeros((5, 2), np.int8), 1)
    planes = planes_of(batch, torch.device("cpu"))
    with torch.no_grad():
        assert torch.equal(training.learner.network(planes), load(tmp_path / "network.pt")(planes))


def test_self_play_alone_writes_the_replay_and_tells_of_the_games(tmp_path: Path) -> None:
    told = self_play_only(tiny_dqn(), 10, tmp_path)
    assert told["games"] == told["black_won"] + told["white_won"] + told["drawn"] == 10
    assert told["length_min"] <= told["length_mean"] <= told["length_max"]
    stored = torch.load(tmp_path / "replay.pt", weights_only=True)
    assert len(stored["order"]) == told["transitions"]


def test_self_play_alone_counts_the_games_of_every_place_alike(tmp_path: Path) -> None:
    """The games that end first are the short ones: a sample of them would be biased."""
    config = tiny_dqn(games=4)
    training = DQNTraining(config, tmp_path / "unused")
    play, lengths = training.new_games(4), [[], [], [], []]  # type: ignore[var-annotated]
    while min(map(len, lengths)) < 3:
        ended = play.apply_moves(
            play.request_moves(training.learner.network, None), np.array([0.25, 0.05, 0.05, 0.05])
        )
        for row in range(ended):
            lengths[play.finished.places[row]].append(int(play.finished.lengths[row]))
    quotas = (3, 2, 3, 2)  # ten games over four places
    wanted = [length for own, quota in zip(lengths, quotas, strict=True) for length in own[:quota]]
    told = self_play_only(config, 10, tmp_path)
    assert told["length_mean"] == pytest.approx(np.mean(wanted))
    assert (told["length_min"], told["length_max"]) == (min(wanted), max(wanted))
    few = self_play_only(config, 2, tmp_path)
    assert few["games"] == 2


def test_the_weights_of_the_best_evaluation_are_kept(tmp_path: Path) -> None:
    training = DQNTraining(tiny_dqn(), tmp_path)
    training.save()
    assert not (tmp_path / "best.pt").exists()
    bias = training.learner.network.value[-1].bias
    for step, (heuristic, random) in enumerate([(0.3, 0.9), (0.5, 0.8), (0.5, 0.8), (0.4, 1.0)]):
        training.step = step
        with torch.no_grad():
            bias.fill_(step)  # type: ignore[operator]
        training.keep_best({"vs_heuristic": heuristic, "vs_random": random})
    training.checkpoint()
    again = DQNTraining(tiny_dqn(), tmp_path)
    again.resume(tmp_path / "checkpoint.pt")
    again.save()
    assert load(tmp_path / "best.pt").value[-1].bias.item() == 1
    assert load(tmp_path / "network.pt").value[-1].bias.item() == 3
    facts = json.loads((tmp_path / "metadata.json").read_text())
    assert facts["best"] == {"step": 1, "vs_heuristic": 0.5, "vs_random": 0.8}


def test_an_equal_score_against_the_heuristic_is_decided_against_random() -> None:
    training = DQNTraining(tiny_dqn(), Path("unused"))
    for step, random in enumerate([0.8, 0.9]):
        training.step = step
        training.keep_best({"vs_heuristic": 0.5, "vs_random": random})
    assert training.best["step"] == 1


def test_promotion_exports_the_best_weights_unless_told_otherwise(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="networks need onnxruntime")
    training = DQNTraining(tiny_dqn(), tmp_path)
    training.keep_best({"vs_heuristic": 0.5, "vs_random": 0.8})
    with torch.no_grad():
        training.learner.network.value[-1].bias += 5  # type: ignore[operator]
    training.save()
    planes = np.zeros((1, 4, 7, 7), np.float32)
    found = {
        best: Network(export_run(tmp_path, best=best))(planes=planes) for best in (True, False)
    }
    assert found[False] == pytest.approx(found[True] + 5, abs=1e-3)


def test_a_run_can_start_from_weights(tmp_path: Path) -> None:
    DQNTraining(tiny_dqn(), tmp_path).save()
    path = str(tmp_path / "network.pt")
    learner = DQNTraining(tiny_dqn(seed=2, start_from=path), tmp_path).learner
    for network in (learner.network, learner.target):
        assert all(torch.equal(weights(tmp_path)[k], v) for k, v in network.state_dict().items())
    with pytest.raises(BadSettings, match="start_from"):
        DQNTraining(tiny_dqn(start_from=path, filters=5), tmp_path)
    with pytest.raises(BadSettings, match="start_from"):
        DQNTraining(tiny_dqn(start_from=path, normalisation="none"), tmp_path)


@pytest.mark.parametrize("normalisation", ["layer", "none"])
def test_a_position_has_one_value_in_play_and_in_learning(normalisation: Any) -> None:
    torch.manual_seed(1)
    network = QNetwork(4, 2, normalisation)
    planes = (torch.rand(6, 4, 7, 7) > 0.8).float()
    alone = torch.cat([network.eval()(planes[i : i + 1]) for i in range(6)])
    assert torch.allclose(network.train()(planes), alone, atol=1e-5)


def test_layer_normalisation_is_over_the_channels_of_a_point() -> None:
    network = QNetwork(4, 1)
    x = torch.rand(2, 4, 5, 5)
    normed = network.trunk[1](3 * x + 1)
    assert torch.allclose(normed.mean(1), torch.zeros(2, 5, 5), atol=1e-5)
    assert torch.allclose(normed, network.trunk[1](x), atol=1e-2)


def test_weights_of_an_earlier_kind_are_refused(tmp_path: Path) -> None:
    torch.save({"filters": 4, "layers": 1, "weights": {}}, tmp_path / "old.pt")
    with pytest.raises(TriremeError, match="train it again"):
        load(tmp_path / "old.pt")
    with pytest.raises(TriremeError, match="there is no network"):
        load(tmp_path / "none.pt")


def test_old_networks_and_the_heuristic_are_met() -> None:
    shares = {"snapshot_share": 0.2, "heuristic_share": 0.2, "demonstration_share": 0.1}
    training = DQNTraining(tiny_dqn(games=20, **shares), Path("unused"))
    while training.step < 6:
        training.advance()
    assert len(training.snapshots) == 2
    kinds = np.bincount(training.play.batch.players.ravel(), minlength=4)
    assert kinds.tolist() == [18, 10, 8, 4]


def test_moves_wait_on_the_cpu() -> None:
    assert PendingMoves(torch.tensor([3, 1])).get().tolist() == [3, 1]


def test_hard_updates_copy_the_network_now_and_then() -> None:
    training = DQNTraining(tiny_dqn(target="hard", hard_every=4), Path("unused"))
    while training.step < 3:
        training.advance()
    learner = training.learner
    first, second = next(learner.network.parameters()), next(learner.target.parameters())
    assert not torch.equal(first, second)
    while training.step < 4:
        training.advance()
    assert torch.equal(first, second)
