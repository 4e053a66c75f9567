"""The value network's training: solved targets, symmetries, exact resuming, promotion."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from trireme import make_agent, play
from trireme.arena import Entrant, GateResult
from trireme.core.errors import BadSettings
from trireme.navigation.rules import Navigation
from trireme.navigation.search.value_network import load_network, terrain_features
from trireme.training import promote as promotion
from trireme.training.navigation_games import (
    SeaOfGames,
    ValueSamples,
    draw_game,
    lambda_returns,
)
from trireme.training.navigation_value import (
    PositionValueModel,
    ValueTraining,
    inputs,
    mirror_index,
)
from trireme.training.run import RunTimer
from trireme.training.settings import Gate, NavigationValue

from .tiny import tiny_value


def some_model(seed: int = 0) -> PositionValueModel:
    torch.manual_seed(seed)
    model = PositionValueModel(4, 4, 6)
    with torch.no_grad():
        model.condition_out.normal_(0, 0.3)
        model.condition_out_bias.normal_(0, 0.3)
        model.pose.normal_(0, 0.3)
    return model


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one step."""
    folder = tmp_path_factory.mktemp("value")
    ValueTraining(tiny_value(steps=1), folder).run(live=False)
    return folder


def samples_of(sea: SeaOfGames) -> ValueSamples:
    network = some_model().network()
    return sea.play(network, sea.solver.oracle_arrays(64), sea.config.trace)


def test_the_model_and_the_search_give_a_position_the_same_value() -> None:
    """A game at its last turn but one is worth what the network says of the leaf behind it."""
    model, sea = some_model(), SeaOfGames(1, tiny_value(games=3, near=1.0))
    solver = sea.solver
    solver.use(model.network(), sea.terrain)
    still = np.zeros((1, sea.game.phases), np.uint8)
    for _ in range(3):
        ships, turn = sea.draw_start()
        turn = max(0, min(turn, sea.game.turn_limit - 3))
        oracle = solver.double_oracle(dataclasses.replace(sea.game.start(), turn=turn), 0)
        oracle.turn = oracle.turn._replace(ships=ships, poses=solver.no_bonus)
        value = oracle.payoffs(still, still)[0, 0]
        poses = oracle.arrays.first.poses[0, 0]
        ships[:, 0], ships[:, 1] = poses // 4, poses % 4
        found = ValueSamples.empty(1)
        sea.describe(ships, turn + 1, found, 0)
        with torch.no_grad():
            assert float(model(*inputs(found, np.arange(1)))) == pytest.approx(value, abs=1e-5)


def test_exchanged_seats_have_the_opposite_value() -> None:
    samples = samples_of(SeaOfGames(2, tiny_value(games=4)))
    model, index = some_model(), np.arange(len(samples))
    with torch.no_grad():
        relative, poses, terrain, contacts, conditions = inputs(samples, index)
        plain = model(relative, poses, terrain, contacts, conditions)
        assert contacts.any()
        swapped = model(*(given.flip(1) for given in inputs(samples, index)))
        turned, sign = mirror_index()
        image = terrain[..., torch.from_numpy(turned)] * torch.from_numpy(sign)
        mirrored = model(relative.flip(2), poses.flip(2), image, contacts, conditions)
    torch.testing.assert_close(swapped, -plain)
    torch.testing.assert_close(mirrored, plain)


def test_the_mirror_image_of_terrain_is_that_of_the_sea() -> None:
    terrain = terrain_features(Navigation(map="procedural:3"))
    index, sign = mirror_index()
    np.testing.assert_array_equal(terrain[0][..., index] * sign, terrain[1])


def test_targets_are_values_to_seat_0() -> None:
    """With a network that knows nothing, a turn is worth what it decides for certain."""
    sea = SeaOfGames(3, tiny_value(exploration=0.0))
    torch.manual_seed(0)
    sea.solver.use(PositionValueModel(4, 4, 6).network(), sea.terrain)
    ships, _ = sea.draw_start()
    ships[:, 2] = 1, sea.solver.stats[1, 4]
    ships[:, 0] = sea.open[0], sea.open[-1]
    arrays = sea.solver.oracle_arrays(64)
    far = sea.play_game(ships, sea.game.turn_limit - 1, arrays, 0.0)
    assert far.values == pytest.approx([-1])  # out of reach, and behind when the last turn ends


def test_games_are_played_to_their_end() -> None:
    sea = SeaOfGames(3, tiny_value(exploration=0.0))
    sea.solver.use(some_model().network(), sea.terrain)
    found = sea.play_game(*sea.draw_start(), sea.solver.oracle_arrays(64), 1.0)
    assert len(found) >= 1
    assert set(np.abs(found.values)) <= {0.0, 1.0}, "with the whole trace, targets are the result"
    assert len(set(found.values)) == 1
    assert len(found.relative) == len(found.terrain) == len(found.conditions) == len(found)
    assert not (found.terrain == 0).all(axis=(1, 2)).any(), "every row is described"


def test_targets_mix_the_solved_value_with_what_the_rest_was_worth() -> None:
    solved = [0.0, 0.4, -0.2]
    plain = lambda_returns(solved, [False] * 3, 1.0, 0.5)
    assert plain == pytest.approx([0.25 * 0.4 + 0.25 * 0.4, 0.2 + 0.5 * 0.4, -0.1 + 0.5])
    assert lambda_returns(solved, [False] * 3, 1.0, 0.0) == pytest.approx(solved)
    assert lambda_returns(solved, [False] * 3, -1.0, 1.0) == pytest.approx([-1, -1, -1])


def test_lambda_falls_during_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    play = SeaOfGames.play

    def noted(self: SeaOfGames, network: Any, arrays: Any, trace: float) -> ValueSamples:
        seen.append(trace)
        return play(self, network, arrays, trace)

    monkeypatch.setattr(SeaOfGames, "play", noted)
    run = ValueTraining(tiny_value(trace=0.8, trace_end=0.2, seas=1, games=1), tmp_path)
    for share in (0.0, 0.5, 1.0):
        run.advance(map, share)
    assert seen == pytest.approx([0.8, 0.5, 0.2])


def test_what_follows_an_explored_plan_does_not_count() -> None:
    cut = lambda_returns([0.0, 0.4, -0.2], [False, True, False], 1.0, 0.5)
    assert cut == pytest.approx([0.2, 0.4, 0.4])


def test_drawn_games_vary_in_sea_ships_and_rules() -> None:
    rng = np.random.default_rng(0)
    drawn = [draw_game(rng) for _ in range(120)]
    assert len({game.ships for game in drawn}) > 30
    assert len({game.chart.id for game in drawn}) > 80
    assert {1, 4} < {game.phases for game in drawn} <= {1, 2, 3, 4}
    usual = [game for game in drawn if game.ammo_per_turn is None and game.turns == "stay"]
    assert 90 < len(usual) < 120


def test_drawn_poses_are_as_often_near_as_far() -> None:
    """Otherwise few of the positions would be those in which ships fight."""
    sea = SeaOfGames(5, tiny_value(near=1.0))
    away = []
    for _ in range(300):
        ships, _ = sea.draw_start()
        rows, columns = np.divmod(ships[:, 0], sea.stride)
        away.append(abs(rows[0] - rows[1]) + abs(columns[0] - columns[1]))
    assert min(away) == 1
    assert max(away) == 12
    assert 90 < sum(distance <= 4 for distance in away) < 150


def test_games_from_drawn_poses_may_be_cut_off() -> None:
    """The last solved value stands for the rest; games from the spawns are played to their end."""
    sea = SeaOfGames(3, tiny_value(exploration=0.0, turns=2))
    sea.solver.use(some_model().network(), sea.terrain)
    arrays = sea.solver.oracle_arrays(64)
    ships = np.zeros((2, 3), np.int32)
    ships[:, 0], ships[:, 2] = (sea.open[0], sea.open[-1]), sea.solver.stats[:, 4]
    cut = sea.play_game(ships.copy(), 1, arrays, 1.0)
    assert len(cut) == 2
    assert cut.values[0] == cut.values[1]
    assert 0 < abs(cut.values[0]) < 1, "neither a result nor nothing"
    whole = sea.play_game(ships.copy(), 0, arrays, 1.0)
    assert len(whole) > 2
    assert set(np.abs(whole.values)) <= {0.0, 1.0}


@pytest.mark.slow
def test_a_resumed_run_equals_one_that_did_not_stop(tmp_path: Path) -> None:
    whole = ValueTraining(tiny_value(), tmp_path / "whole")
    whole.run(live=False)
    half = ValueTraining(tiny_value(), tmp_path / "half")
    for step in range(2):
        half.advance(map, step / 4)
    rest = ValueTraining(tiny_value(), tmp_path / "half")
    rest.resume(half.checkpoint())
    assert rest.step == 2
    rest.run(live=False)
    weights = [load_network(tmp_path / run / "network.npz").weights for run in ("whole", "half")]
    for name, expected in weights[0].items():
        np.testing.assert_array_equal(weights[1][name], expected)


def test_a_schedule_by_time_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step takes a minute of the two."""
    minutes = iter(range(100))
    monkeypatch.setattr(RunTimer, "seconds", property(lambda _: 30 * next(minutes)))
    training = ValueTraining(tiny_value(schedule_minutes=2, steps=50), tmp_path)
    training.run(live=False)
    assert 0 < training.step < 4


@pytest.mark.slow
def test_two_processes_learn_what_one_does(tmp_path: Path) -> None:
    for threads in (1, 2):
        ValueTraining(tiny_value(threads=threads, steps=2), tmp_path / str(threads)).run(live=False)
    one, two = (load_network(tmp_path / n / "network.npz").weights for n in ("1", "2"))
    for name, expected in one.items():
        np.testing.assert_allclose(two[name], expected, rtol=1e-4, atol=1e-6)


def test_an_agent_plays_with_what_was_learnt(trained: Path) -> None:
    facts = json.loads((trained / "metadata.json").read_text())
    assert (facts["kind"], facts["steps"]) == ("navigation-value", 1)
    game = Navigation(phases=2, turn_limit=2)
    agent = make_agent(game, f'nash:rounds=2,model="{trained / "network.npz"}"')
    assert not play(game, [agent, "random"], seed=1).forfeits


@pytest.mark.parametrize(
    "wrong",
    [
        {"units": 6},
        {"outputs": 6},
        {"outputs": 0},
        {"near": 1.5},
        {"steps": 0},
        {"games": 0},
        {"turns": 0},
        {"trace": 1.1},
        {"trace_end": -0.1},
    ],
)
def test_settings_that_do_not_fit_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSettings):
        NavigationValue(**wrong)


@pytest.mark.parametrize("passed", [True, False])
def test_promotion_plays_the_network_against_the_formula(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passed: bool
) -> None:
    run, models = Path(shutil.copytree(trained, tmp_path / "run")), tmp_path / "models"
    asked: dict[str, Any] = {}

    def fake_gate(game: Any, ours: Entrant, theirs: Entrant, **more: Any) -> GateResult:
        asked.update(game=game, ours=ours.agent, theirs=theirs.agent, **more)
        known = {"passed": passed, "threshold": 0.6, "folder": "", "elo_change": 0.0}
        names = {"candidate": "learned", "against": "formula", "evidence": "score"}
        others = {f.name: 0 for f in dataclasses.fields(GateResult)}
        return GateResult(**{**others, **known, **names})

    monkeypatch.setattr(promotion, "gate", fake_gate)
    result = promotion.promote(run, Gate(games=4, threshold=0.6, rounds=3), models=models)
    weights = (run / "network.npz").absolute()
    assert asked["ours"] == f'nash:model="{weights}",rounds=3,exploit=false'
    assert asked["theirs"] == "nash:value=formula,rounds=3,exploit=false"
    assert (asked["game"], asked["games"], asked["threshold"]) == (Navigation(), 4, 0.6)
    assert result.passed == passed
    copied = {path.name for path in models.iterdir()} if models.exists() else set()
    assert copied == ({"network.npz", "metadata.json", "report.json"} if passed else set())
