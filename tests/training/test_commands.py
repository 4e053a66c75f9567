"""`trireme train`: settings, options, files and docs that agree; promotion through the arena."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import trireme
from trireme.cli.train import app
from trireme.core.errors import BadSettings, UnknownName
from trireme.core.options import options_of
from trireme.training import battleship_heatmap, gomoku_dqn
from trireme.training.config import fingerprint, load, shipped
from trireme.training.plot import curves
from trireme.training.promote import export_run, promote
from trireme.training.settings import (
    BattleshipHeatmap,
    BattleshipRL,
    Gate,
    GomokuDQN,
    GomokuTable,
    GomokuZero,
    Ladder,
    NavigationValue,
)

from .tiny import tiny_dqn, tiny_heatmap

ROOT = Path(trireme.__file__).parents[2]
COMMANDS: dict[str, type[Any]] = {
    "gomoku-dqn": GomokuDQN,
    "gomoku-zero": GomokuZero,
    "gomoku-table": GomokuTable,
    "battleship-heatmap": BattleshipHeatmap,
    "battleship-rl": BattleshipRL,
    "navigation-value": NavigationValue,
    "promote": Gate,
    "ladder": Ladder,
}
FILES = {
    "train.yaml": GomokuDQN,
    "cpu.yaml": GomokuDQN,
    "gpu.yaml": GomokuDQN,
    "table.yaml": GomokuTable,
    "table-cpu.yaml": GomokuTable,
    "zero-cpu.yaml": GomokuZero,
    "zero-gpu.yaml": GomokuZero,
    "eval.yaml": Gate,
    "heatmap.yaml": BattleshipHeatmap,
    "heatmap-posterior.yaml": BattleshipHeatmap,
    "rl-from-heatmap.yaml": BattleshipRL,
    "navigation.yaml": NavigationValue,
    "navigation-gpu.yaml": NavigationValue,
    "rl-maskable-ppo.yaml": BattleshipRL,
    "rl-ppo.yaml": BattleshipRL,
    "rl-a2c.yaml": BattleshipRL,
    "rl-dqn.yaml": BattleshipRL,
}
RUNNER = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"})


@pytest.mark.parametrize("command", COMMANDS)
def test_every_setting_is_an_option_and_stands_in_the_manual(command: str) -> None:
    shown = RUNNER.invoke(app, [command, "--help"]).output
    manual = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    for name, option in options_of(COMMANDS[command]).items():
        assert f"--{name.replace('_', '-')}" in shown
        assert option.help
        row = f"| `{name}` | {option.default} | {option.help} |"
        assert row in manual, f"docs/training.md lacks: {row}"


def test_every_config_file_is_known_and_can_be_read() -> None:
    found = {path.name for path in (ROOT / "config").glob("*.yaml")}
    assert found == set(FILES)
    for name, cls in FILES.items():
        assert isinstance(load(cls, ROOT / "config" / name, {}, owner=name), cls)


def test_the_plain_config_states_the_defaults_of_the_specification() -> None:
    config = load(GomokuDQN, ROOT / "config" / "train.yaml", {}, owner="gomoku-dqn")
    assert config == GomokuDQN()


def test_an_option_beats_the_file_and_the_file_beats_the_default(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("gamma: 0.9\nsteps: 7\n")
    config = load(GomokuDQN, path, {"steps": 8}, owner="gomoku-dqn")
    assert (config.gamma, config.steps, config.tau) == (0.9, 8, GomokuDQN().tau)
    assert fingerprint(config) == fingerprint(GomokuDQN(gamma=0.9, steps=8))
    assert fingerprint(config) != fingerprint(GomokuDQN(gamma=0.9, steps=9))


def test_mistakes_in_a_file_are_told(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("gama: 0.9\n")
    with pytest.raises(UnknownName, match="Did you mean 'gamma'"):
        load(GomokuDQN, path, {}, owner="gomoku-dqn")
    path.write_text("- 1\n")
    with pytest.raises(BadSettings, match="keys and values"):
        load(GomokuDQN, path, {}, owner="gomoku-dqn")
    path.write_text("a: [1\n")
    with pytest.raises(BadSettings, match="not YAML"):
        load(GomokuDQN, path, {}, owner="gomoku-dqn")
    with pytest.raises(BadSettings, match="can't read"):
        load(GomokuDQN, tmp_path / "gone.yaml", {}, owner="gomoku-dqn")


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"minimum": 9, "capacity": 8},
        {"opening_stones": 9},
        {"heuristic_share": 0.9},
        {"imitation_temperature": 0.0},
    ],
)
def test_settings_that_do_not_fit_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadSettings):
        GomokuDQN(**wrong)


def test_the_command_trains_and_plays_alone(tmp_path: Path) -> None:
    small = ["--size=7", "--filters=4", "--layers=1", "--games=8", "--threads=1", "--device=cpu"]
    learning = ["--steps=3", "--minimum=40", "--capacity=200", "--batch-size=8"]
    out = ["--out", str(tmp_path / "run")]
    made = RUNNER.invoke(app, ["gomoku-dqn", "--quiet", *small, *learning, *out])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "run" / "network.pt").is_file()
    alone = ["--self-play-only", "--episodes", "5", "--json", "--out", str(tmp_path / "play")]
    told = RUNNER.invoke(app, ["gomoku-dqn", *small, *alone])
    assert json.loads(told.stdout)["games"] == 5


@pytest.mark.slow
def test_the_command_trains_from_zero(tmp_path: Path) -> None:
    small = ["--size=6", "--blocks=1", "--channels=4", "--games=4", "--threads=1", "--device=cpu"]
    searched = ["--simulations=2", "--simulations-end=2", "--fast-simulations=1"]
    out = ["--steps=2", "--out", str(tmp_path), "--quiet"]
    made = RUNNER.invoke(app, ["gomoku-zero", *small, *searched, *out])
    assert made.exit_code == 0, made.output
    assert (tmp_path / "network.pt").is_file()


@pytest.mark.parametrize(
    "command", ["gomoku-dqn", "gomoku-zero", "battleship-heatmap", "battleship-rl"]
)
def test_resuming_needs_a_checkpoint_and_writes_to_the_commands_own_folder(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = RUNNER.invoke(app, [command, "--resume", "--device=cpu", "--threads=1"])
    assert isinstance(result.exception, BadSettings)
    assert f"runs/{command}/checkpoint.pt" in str(result.exception)


def test_a_run_on_the_command_line_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    small = ["--quiet", "--filters=2", "--blocks=1", "--boards=2", "--threads=1", "--device=cpu"]
    command = ["battleship-heatmap", *small, "--evaluate-every=0", "--log-every=1"]
    out = ["--out", str(tmp_path)]
    assert RUNNER.invoke(app, [*command, *out, "--steps=2"]).exit_code == 0
    again = RUNNER.invoke(app, [*command, *out, "--steps=3", "--resume"])
    assert again.exit_code == 0, again.output
    rows = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(row)["step"] for row in rows] == [1, 2, 3]
    assert f"trireme train promote {tmp_path}" in again.output.replace("\n", "")


@pytest.mark.slow
def test_a_weak_network_is_not_promoted_and_its_report_says_why(tmp_path: Path) -> None:
    training = gomoku_dqn.DQNTraining(tiny_dqn(size=15), tmp_path / "run")
    training.save()
    config = Gate(games=2, random_games=2, executor="serial", workers=1)
    result = promote(tmp_path / "run", config, models=tmp_path / "models")
    assert not result.passed
    assert not (tmp_path / "models").exists()
    report = json.loads((tmp_path / "run" / "report.json").read_text())
    assert report["against"]["heuristic"]["losses"] == 2


@pytest.mark.slow
def test_a_network_that_passes_is_copied_with_report_and_metadata(tmp_path: Path) -> None:
    training = battleship_heatmap.HeatmapTraining(tiny_heatmap(), tmp_path / "run")
    training.run(live=False)
    config = Gate(games=2, most_shots=100, executor="serial", workers=1)
    result = promote(tmp_path / "run", config, models=tmp_path / "models")
    assert result.passed
    names = {path.name for path in (tmp_path / "models").iterdir()}
    assert names == {"network.onnx", "network.pt", "metadata.json", "report.json"}
    assert result.report["shots"]["games"] == 2


def test_the_promotion_command_asks_for_a_trained_network(tmp_path: Path) -> None:
    result = RUNNER.invoke(app, ["promote", str(tmp_path), "--games", "2"])
    assert isinstance(result.exception, BadSettings)


def test_every_config_that_ships_is_found_by_its_name_alone() -> None:
    assert {path.name for path in shipped().values()} == FILES.keys()
    for file, cls in FILES.items():
        name = Path(file).stem
        assert load(cls, Path(name), {}, owner=name) == load(cls, shipped()[name], {}, owner=name)


def test_a_config_of_an_unknown_name_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'cpu'"):
        load(GomokuDQN, Path("cpus"), {}, owner="x")
    with pytest.raises(BadSettings, match="can't read the config"):
        load(GomokuDQN, tmp_path / "cpu", {}, owner="x")


def test_a_file_of_ones_own_beats_the_config_that_ships(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cpu").write_text("filters: 5")
    assert load(GomokuDQN, Path("cpu"), {}, owner="x").filters == 5


def test_there_is_nothing_to_promote_in_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(BadSettings, match="holds no trained network"):
        export_run(tmp_path)


def test_curves_show_a_panel_for_every_series_with_points() -> None:
    drawn = curves({"loss": [(0, 1.0), (10, 0.5)], "a<b": [(0, 2.0)], "empty": []})
    assert drawn.count("<polyline") == 2
    assert "a&lt;b" in drawn
    assert "empty" not in drawn
