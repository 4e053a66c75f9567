"""Battleship's networks: the heatmap that sees only what it may, and four algorithms of SB3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.battleship.agents.heatmap import known_cells
from trireme.battleship.agents.network_planes import network_planes, ship_slots
from trireme.battleship.batch import BattleshipBatch, fleet_of, layouts
from trireme.battleship.belief.constraints import sunk_cells
from trireme.battleship.belief.posterior import FleetInference
from trireme.battleship.encode import BattleshipEncoder
from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Salvo
from trireme.core.errors import BadSettings
from trireme.core.game import CHANCE
from trireme.training import battleship_heatmap as heatmap
from trireme.training import battleship_rl as rl
from trireme.training.heatmap_kernels import explore
from trireme.training.posterior_labels import LIMIT, shots_of
from trireme.training.run import RunTimer

from .tiny import tiny_heatmap, tiny_rl


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), shots=st.integers(0, 60), touching=st.booleans())
def test_the_kernel_knows_what_the_agent_knows(seed: int, shots: int, touching: bool) -> None:
    game = Battleship(touching=touching)
    cells = np.random.default_rng(seed).permutation(100)[:shots]
    batch = BattleshipBatch(game, 1, seed)
    state = game.apply(game.start(), {CHANCE: fleet_of(game.boards[0], layouts(game, 1, seed)[0])})
    for cell in cells:
        if game.to_move(state):
            batch.step(np.array([cell]), autoreset=False)
            state = game.apply(state, {0: Salvo((divmod(int(cell), 10),))})
    assert (
        heatmap.facts_of(batch)[0].reshape(10, 10)
        == known_cells(game.boards[0], game.view(state, 0).target.shots)
    ).all()


def test_the_loss_is_least_at_the_true_probability() -> None:
    ships = torch.tensor([[1.0], [0.0], [0.0], [0.0]])
    unknown = torch.ones_like(ships)
    at = {
        p: heatmap.loss_of(torch.full_like(ships, p).logit(), ships, unknown)
        for p in (0.1, 0.25, 0.4)
    }
    assert at[0.25] < at[0.1]
    assert at[0.25] < at[0.4]


def test_known_cells_teach_nothing_and_are_never_aimed_at() -> None:
    odds = torch.tensor([[9.0, 1.0, 0.0]])
    unknown = torch.tensor([[False, True, True]])
    assert heatmap.best_cells(odds, unknown).item() == 1
    wrong = heatmap.loss_of(odds, torch.tensor([[0.0, 1.0, 0.0]]), unknown.float())
    right = heatmap.loss_of(odds, torch.tensor([[1.0, 1.0, 0.0]]), unknown.float())
    assert wrong == right


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(1, 2**63), epsilon=st.sampled_from([0.0, 0.5, 1.0]))
def test_exploration_fires_only_at_unknown_cells(seed: int, epsilon: float) -> None:
    facts = np.random.default_rng(seed).integers(0, 3, (5, 30)).astype(np.int8)
    facts[:, 7] = 0
    actions = np.full(5, 7)
    states = np.arange(seed, seed + 5, dtype=np.uint64) | np.uint64(1)
    explore(facts, epsilon, states, actions)
    assert (facts[np.arange(5), actions] == 0).all()
    assert epsilon > 0 or (actions == 7).all()


@pytest.mark.slow
def test_a_resumed_heatmap_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    config = tiny_heatmap()
    heatmap.HeatmapTraining(config, tmp_path / "whole").run(live=False)
    half = heatmap.HeatmapTraining(config, tmp_path / "parts")
    for _ in range(5):
        half.advance(half.share())
    half.checkpoint()
    half.advance(half.share())
    rest = heatmap.HeatmapTraining(config, tmp_path / "parts")
    rest.resume(tmp_path / "parts" / "checkpoint.pt")
    rest.run(live=False)
    whole, parts = (heatmap.load(tmp_path / f / "network.pt") for f in ("whole", "parts"))
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parts.state_dict()[name])


@pytest.mark.slow
def test_the_heatmap_learns(tmp_path: Path) -> None:
    training = heatmap.HeatmapTraining(
        tiny_heatmap(boards=32, steps=60, filters=8, learning_rate=3e-3), tmp_path
    )
    losses = [training.advance(training.share()).item() for _ in range(60)]
    assert np.mean(losses[-10:]) < np.mean(losses[:10]) - 0.05
    assert training.evaluate(30).mean() < 80


ALGORITHMS = ["maskable-ppo", "ppo", "a2c", "dqn"]


class Rounds(RunTimer):
    """Asks a run to stop after so many rounds."""

    def __init__(self, rounds: int) -> None:
        super().__init__(0.0)
        self.left = rounds

    @property
    def over(self) -> bool:
        self.left -= 1
        return self.left < 0


def log_of(folder: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]


@pytest.mark.slow  # the next test is its fast twin
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_resumed_run_of_sb3_equals_an_uninterrupted_one(tmp_path: Path, algorithm: str) -> None:
    config = tiny_rl(algorithm=algorithm, steps=1024)
    whole = rl.RLTraining(config, tmp_path / "whole")
    whole.run(live=False)

    half = rl.RLTraining(config, tmp_path / "parts")
    half.run(live=False, timer=Rounds(44 if algorithm == "dqn" else 4))
    assert 400 < half.step < 800
    np.random.seed(99)  # another process would have drawn other numbers
    torch.manual_seed(99)
    rest = rl.RLTraining(config, tmp_path / "parts")
    rest.resume(tmp_path / "parts" / "checkpoint.pt")
    rest.run(live=False)

    assert rest.step == whole.step
    ends, wanted = rest.model.policy.state_dict(), whole.model.policy.state_dict()
    assert all(torch.equal(wanted[name], ends[name]) for name in wanted)
    assert log_of(tmp_path / "parts") == log_of(tmp_path / "whole")


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_from_its_last_checkpoint(tmp_path: Path) -> None:
    config = tiny_rl(steps=512, checkpoint_every=200)
    whole = rl.RLTraining(config, tmp_path / "whole")
    whole.run(live=False)

    class Killed(Exception):
        pass

    class Killer(Rounds):
        @property
        def over(self) -> bool:
            if super().over:
                raise Killed
            return False

    with pytest.raises(Killed):
        rl.RLTraining(config, tmp_path / "parts").run(live=False, timer=Killer(3))
    rest = rl.RLTraining(config, tmp_path / "parts")
    rest.resume(tmp_path / "parts" / "checkpoint.pt")
    assert rest.step == 256
    rest.run(live=False)
    ends, wanted = rest.model.policy.state_dict(), whole.model.policy.state_dict()
    assert all(torch.equal(wanted[name], ends[name]) for name in wanted)


def test_other_settings_can_not_go_on_from_a_checkpoint_of_sb3(tmp_path: Path) -> None:
    path = rl.RLTraining(tiny_rl(), tmp_path).checkpoint()
    with pytest.raises(BadSettings, match="other settings"):
        rl.RLTraining(tiny_rl(gamma=0.5), tmp_path).resume(path)
    rl.RLTraining(tiny_rl(steps=99), tmp_path).resume(path)


def test_other_settings_can_not_go_on_from_a_checkpoint_of_the_heatmap(tmp_path: Path) -> None:
    path = heatmap.HeatmapTraining(tiny_heatmap(), tmp_path).checkpoint()
    with pytest.raises(BadSettings, match="other settings"):
        heatmap.HeatmapTraining(tiny_heatmap(epsilon=0.5), tmp_path).resume(path)
    heatmap.HeatmapTraining(tiny_heatmap(steps=99), tmp_path).resume(path)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.slow
def test_every_algorithm_leaves_a_log_and_a_model(tmp_path: Path, algorithm: str) -> None:
    config = tiny_rl(algorithm=algorithm)
    rl.RLTraining(config, tmp_path).run(live=False)
    rows = log_of(tmp_path)
    assert [row["step"] for row in rows] == sorted({row["step"] for row in rows})
    assert rows[-1]["step"] >= config.steps
    assert all(17 <= row["shots"] <= 100 for row in rows)
    assert json.loads((tmp_path / "metadata.json").read_text())["kind"] == "battleship-rl"
    model, again = rl.load(tmp_path), rl.load(tmp_path)
    shots = rl.evaluate(model, 4, 2)
    assert (shots == rl.evaluate(again, 4, 2)).all()


class Minutes(RunTimer):
    """A clock of its own: a minute passes with every look at it."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self.looks = 0

    @property
    def seconds(self) -> float:
        self.looks += 1
        return 60.0 * self.looks


@pytest.mark.slow
def test_a_scheduled_run_ends_by_its_minutes_and_its_rate_follows_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, rates = rl.MaskablePPO.train, []

    def recorded(model: Any) -> None:
        train(model)
        rates.append(model.policy.optimizer.param_groups[0]["lr"])

    monkeypatch.setattr(rl.MaskablePPO, "train", recorded)
    rate = {"learning_rate": 9e-3, "learning_rate_end": 0.0}
    config = tiny_rl(steps=1, schedule_minutes=9.0, evaluate_every=0, **rate)
    training = rl.RLTraining(config, tmp_path)
    training.run(live=False, timer=Minutes())
    assert training.step > config.steps
    assert rates == pytest.approx([1e-3 * left for left in range(8, 0, -1)])


def test_a_scheduled_run_ends_with_one_evaluation(tmp_path: Path) -> None:
    rl.RLTraining(tiny_rl(schedule_minutes=4.0), tmp_path).run(live=False, timer=Minutes())
    steps = [row["step"] for row in log_of(tmp_path)]
    assert len(steps) > 1
    assert steps == sorted(set(steps))


def test_the_exploration_of_dqn_can_not_follow_the_clock() -> None:
    with pytest.raises(BadSettings, match="schedule_minutes"):
        tiny_rl(algorithm="dqn", schedule_minutes=1.0)


def test_the_heatmap_ends_by_its_minutes(tmp_path: Path) -> None:
    training = heatmap.HeatmapTraining(tiny_heatmap(steps=1, schedule_minutes=3.0), tmp_path)
    assert training.share() == 0
    training.seconds = 90.0
    assert training.share() == 0.5
    training.seconds = 181.0
    training.run(live=False)
    assert training.step == 0


def test_water_around_a_sunk_ship_is_masked_in_training() -> None:
    fleet = "A1-A5 C1-C4 E1-E3 G1-G3 J9-J10"
    boards = rl.UnknownCellsVectorEnv(1, ship_placement=fleet, observation="planes")
    boards.reset(seed=0)
    for cell in (98, 50, 99):
        boards.step(np.array([cell]))
    closed = np.flatnonzero(~boards.action_masks()[0])
    assert closed.tolist() == [50, 87, 88, 89, 97, 98, 99]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_policy_alone_is_the_policy_of_the_model(algorithm: str) -> None:
    config = tiny_rl(algorithm=algorithm)
    model = rl.make_model(config, rl.make_env(config))
    observation = model.env.reset()  # type: ignore[union-attr]
    wanted = rl.scores(model, observation)  # type: ignore[arg-type]
    planes = torch.from_numpy(observation).float().view(-1, 9, 10, 10)  # type: ignore[arg-type]
    with torch.no_grad():
        assert torch.allclose(rl.Policy(model)(planes), wanted)


def test_a_policy_can_start_from_a_heatmap(tmp_path: Path) -> None:
    heatmap.HeatmapTraining(tiny_heatmap(), tmp_path).run(live=False)
    config = tiny_rl(start_from=str(tmp_path / "network.pt"))
    training = rl.RLTraining(config, tmp_path / "rl")
    observation = training.env.reset()
    planes = torch.from_numpy(observation).float().view(-1, 9, 10, 10)  # type: ignore[arg-type]
    with torch.no_grad():
        odds = heatmap.load(tmp_path / "network.pt")(planes).flatten(1)
        logits = rl.scores(training.model, observation)  # type: ignore[arg-type]
    assert torch.allclose(logits, rl.SHARPNESS * odds, atol=1e-4)
    for wrong in ({"filters": 5}, {"blocks": 2}, {"algorithm": "dqn"}):
        with pytest.raises(BadSettings, match="start_from"):
            rl.RLTraining(tiny_rl(start_from=config.start_from, **wrong), tmp_path / "rl")


def test_a_separate_critic_leaves_the_convolutions_of_the_policy_alone(tmp_path: Path) -> None:
    heatmap.HeatmapTraining(tiny_heatmap(), tmp_path).run(live=False)
    config = tiny_rl(start_from=str(tmp_path / "network.pt"), critic="separate")
    policy: Any = rl.RLTraining(config, tmp_path / "rl").model.policy
    observation = torch.zeros((2, 900))
    actor, critic = policy.extract_features(observation)
    assert torch.equal(actor, critic)
    policy.predict_values(observation).sum().backward()
    assert all(p.grad is None for p in policy.pi_features_extractor.parameters())
    assert any(p.grad is not None for p in policy.vf_features_extractor.parameters())


def test_the_critic_learns_before_the_policy_does(tmp_path: Path) -> None:
    def run_of(steps: int) -> dict[str, torch.Tensor]:
        config = tiny_rl(steps=steps, critic="separate", critic_warm_up=200, evaluate_every=0)
        training = rl.RLTraining(config, tmp_path)
        training.run(live=False)
        return training.model.policy.state_dict()

    fresh, warm, trained = run_of(1), run_of(256), run_of(384)
    actor = [name for name in fresh if name.startswith(("features_", "pi_", "action_net"))]
    critic = [name for name in fresh if name.startswith(("vf_features", "value_net"))]
    assert len(actor) > 5
    assert all(torch.equal(fresh[name], warm[name]) for name in actor)
    assert not any(torch.equal(warm[name], trained[name]) for name in actor)
    assert not any(torch.equal(fresh[name], warm[name]) for name in critic)


def test_a_shared_critic_can_not_warm_up_alone() -> None:
    with pytest.raises(BadSettings, match="critic_warm_up"):
        tiny_rl(critic_warm_up=1)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), shots=st.integers(0, 60))
def test_training_sees_the_planes_and_answers_that_the_agent_sees(seed: int, shots: int) -> None:
    game = Battleship()
    cells = np.random.default_rng(seed).permutation(100)[:shots]
    batch = BattleshipBatch(game, 1, seed)
    state = game.apply(game.start(), {CHANCE: fleet_of(game.boards[0], layouts(game, 1, seed)[0])})
    for cell in cells:
        if game.to_move(state):
            batch.step(np.array([cell]), autoreset=False)
            state = game.apply(state, {0: Salvo((divmod(int(cell), 10),))})
    view, board = game.view(state, 0), game.boards[0]
    planes = network_planes(board, view.target.shots)
    assert (heatmap.planes_of(batch)[0] == planes).all()
    assert (BattleshipEncoder(game).planes(view) == planes).all()
    read = shots_of(board, batch.seas, 0)
    assert {(shot.cell, shot.result == "miss") for shot in read} == {
        (shot.cell, shot.result == "miss") for shot in view.target.shots
    }
    assert sunk_cells(board, read) == sunk_cells(board, view.target.shots)


def test_posterior_labels_are_the_posterior(tmp_path: Path) -> None:
    training = heatmap.HeatmapTraining(tiny_heatmap(labels="posterior", boards=4), tmp_path)
    labels = training.labels()
    board = training.game.boards[0]
    inference, rng = FleetInference(board), np.random.default_rng(0)
    for row in range(4):
        shots = shots_of(board, training.batch.seas, row)
        exact = inference.posterior(shots, rng, limit=LIMIT, samples=20_000)
        assert labels[row] == pytest.approx(exact.cells, abs=1e-6 if exact.exact else 0.1)
    assert (labels[training.batch.seas.board > 0] == 0).all()
    assert training.advance(training.share()).item() > 0


def test_a_heatmap_can_start_from_weights(tmp_path: Path) -> None:
    heatmap.HeatmapTraining(tiny_heatmap(), tmp_path).run(live=False)
    again = heatmap.HeatmapTraining(
        tiny_heatmap(seed=2, start_from=str(tmp_path / "network.pt")), tmp_path / "again"
    )
    wanted = heatmap.load(tmp_path / "network.pt").state_dict()
    assert all(torch.equal(wanted[k], v) for k, v in again.network.state_dict().items())


def test_boards_begin_at_every_stage_of_the_game(tmp_path: Path) -> None:
    moves = heatmap.HeatmapTraining(tiny_heatmap(boards=50), tmp_path).batch.seas.moves
    assert sorted(moves.tolist()) == list(range(1, 51))


def test_slots_show_the_ships_that_they_fit() -> None:
    assert ship_slots((5, 4, 3, 3, 2)) == [0, 1, 2, 3, 4]
    assert ship_slots((4, 3, 2, 2)) == [1, 2, 4, None]
    assert ship_slots((6, 3, 3, 3)) == [None, 2, 3, None]
