"""Battleship's networks: the heatmap that sees only what it may, and four algorithms of SB3."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.battleship.agents.heatmap import known
from trireme.battleship.batch import Batch, fleet_of, layouts
from trireme.battleship.notation import Shots
from trireme.battleship.rules import Battleship
from trireme.core.game import CHANCE
from trireme.training import battleship_heatmap as heatmap
from trireme.training import battleship_rl as rl
from trireme.training.heatmap_kernels import explore

from .tiny import tiny_heatmap, tiny_rl


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**31), shots=st.integers(0, 60), touching=st.booleans())
def test_the_kernel_knows_what_the_agent_knows(seed: int, shots: int, touching: bool) -> None:
    game = Battleship(touching=touching)
    cells = np.random.default_rng(seed).permutation(100)[:shots]
    batch = Batch(game, 1, seed)
    state = game.apply(game.start(), {CHANCE: fleet_of(game.boards[0], layouts(game, 1, seed)[0])})
    for cell in cells:
        if game.to_move(state):
            batch.step(np.array([cell]), autoreset=False)
            state = game.apply(state, {0: Shots((divmod(int(cell), 10),))})
    assert (
        heatmap.facts_of(batch)[0].reshape(10, 10)
        == known(game.boards[0], game.view(state, 0).target.shots)
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
    assert heatmap.aim(odds, unknown).item() == 1
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


def test_a_resumed_heatmap_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    config = tiny_heatmap()
    heatmap.Training(config, tmp_path / "whole").run(live=False)
    half = heatmap.Training(config, tmp_path / "parts")
    for _ in range(5):
        half.advance()
    half.checkpoint()
    half.advance()
    rest = heatmap.Training(config, tmp_path / "parts")
    rest.resume(tmp_path / "parts" / "checkpoint.pt")
    rest.run(live=False)
    whole, parts = (heatmap.load(tmp_path / f / "network.pt") for f in ("whole", "parts"))
    for name, value in whole.state_dict().items():
        assert torch.equal(value, parts.state_dict()[name])


def test_the_heatmap_learns(tmp_path: Path) -> None:
    training = heatmap.Training(
        tiny_heatmap(boards=32, steps=60, filters=8, learning_rate=3e-3), tmp_path
    )
    losses = [training.advance().item() for _ in range(60)]
    assert np.mean(losses[-10:]) < np.mean(losses[:10]) - 0.05
    assert training.evaluate(30).mean() < 80


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["maskable-ppo", "ppo", "a2c", "dqn"])
def test_every_algorithm_trains_stops_and_goes_on(tmp_path: Path, algorithm: str) -> None:
    config = tiny_rl(algorithm=algorithm)
    rl.train(config, tmp_path, live=False)
    first = int((tmp_path / "steps.txt").read_text())
    assert first >= config.steps
    rl.train(tiny_rl(algorithm=algorithm, steps=2 * first), tmp_path, resume=True, live=False)
    assert int((tmp_path / "steps.txt").read_text()) >= 2 * first
    rows = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows] == sorted(row["step"] for row in rows)
    assert all(17 <= row["shots"] <= 100 for row in rows)
    assert json.loads((tmp_path / "metadata.json").read_text())["kind"] == "battleship-rl"


def test_the_policy_alone_is_the_policy_of_the_model() -> None:
    config = tiny_rl()
    model = rl.make_model(config, rl.make_env(config))
    observation = model.env.reset()  # type: ignore[union-attr]
    wanted = rl.scores(model, observation)  # type: ignore[arg-type]
    inputs = (
        torch.from_numpy(observation["attack_board"]).float().view(-1, 10, 10),  # type: ignore[index,call-overload]
        torch.from_numpy(observation["remaining_ships"]).float(),  # type: ignore[index,call-overload]
        torch.from_numpy(observation["move_count"]).float(),  # type: ignore[index,call-overload]
    )
    with torch.no_grad():
        assert torch.allclose(rl.Policy(model)(*inputs), wanted)
