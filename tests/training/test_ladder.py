"""The ladder of a run: its networks are rated in the arena, and a stopped ladder goes on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import torch
from typer.testing import CliRunner

from trireme.cli.train import app
from trireme.core.errors import BadSettings
from trireme.training.gomoku_zero import ZeroTraining
from trireme.training.ladder import Rung, climb, curve, snapshots
from trireme.training.run import read_metadata
from trireme.training.settings import Ladder

from .tiny import tiny_zero

pytest.importorskip("onnxruntime", reason="networks need onnxruntime")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ladder") / "run"
    ZeroTraining(tiny_zero(steps=12), folder).run(live=False)
    return folder


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "run"))


def settings(**changes: Any) -> Ladder:
    small: dict[str, Any] = {"games": 2, "simulations": 1, "opponents": "random first=random"}
    return Ladder(**{**small, "executor": "serial", **changes})


@pytest.mark.slow
def test_the_history_begins_with_the_untrained_network(run: Path) -> None:
    facts = read_metadata(run)
    found = list(snapshots(run, facts))
    assert [s.name for s in found] == ["untrained", "snapshot-1", "snapshot-2"]
    assert found[0].minutes == 0 < found[1].minutes < found[2].minutes
    first = ZeroTraining(tiny_zero(), run).network.state_dict()
    begun = found[0].network.state_dict()
    assert all(torch.equal(begun[name], first[name]) for name in first)
    last = torch.load(run / "network.pt", weights_only=True)["weights"]
    assert torch.equal(found[2].network.state_dict()["stem.bias"], last["stem.bias"])
    facts["config"]["start_from"] = "another.pt"
    assert [s.name for s in snapshots(run, facts)] == ["snapshot-1", "snapshot-2"]


class Stopped(Exception):
    """Raised in mid-ladder."""


@pytest.mark.slow
def test_a_stopped_ladder_goes_on_and_rates_everybody(run: Path) -> None:
    seen = 0

    def stop(progress: Any) -> None:
        nonlocal seen
        seen = len(progress.outcomes)
        if seen == 3:
            raise Stopped

    with pytest.raises(Stopped):
        climb(run, settings(), on_game=stop)
    networks = {p: p.stat().st_mtime_ns for p in (run / "ladder" / "networks").iterdir()}
    later: list[int] = []
    rungs = climb(run, settings(), on_game=lambda p: later.append(len(p.outcomes)))
    assert later[0] == 4
    assert later[-1] == 20, "ten pairings of five agents"
    assert {p: p.stat().st_mtime_ns for p in networks} == networks, "exported once"
    assert {r.name for r in rungs[:2]} == {"random", "first"}
    assert [r.name for r in rungs[2:]] == ["untrained", "snapshot-1", "snapshot-2"]
    assert [r.minutes is None for r in rungs] == [True, True, False, False, False]
    assert all(r.games == 8 and r.elo_ci95[0] < r.elo < r.elo_ci95[1] for r in rungs)
    assert sum(r.elo for r in rungs) == pytest.approx(0, abs=1e-6)
    written = json.loads((run / "ladder" / "ladder.json").read_text())
    assert [a["name"] for a in written["agents"]] == [r.name for r in rungs]
    assert written["settings"]["simulations"] == 1
    ElementTree.fromstring((run / "ladder" / "ladder.svg").read_text())
    with pytest.raises(BadSettings, match="other networks or settings"):
        climb(run, settings(simulations=2))


def test_the_curve_joins_the_networks_and_draws_a_level_line_for_each_opponent() -> None:
    ends = (-1.0, 1.0)
    rungs = [
        Rung("weak", -50.0, ends, 9, 0.2),
        Rung("strong", 50.0, ends, 9, 0.8),
        Rung("a", -50.0, ends, 9, 0.1, 0.0),
        Rung("b", 0.0, ends, 9, 0.5, 2.0),
        Rung("c", 50.0, ends, 9, 0.9, 4.0),
    ]
    root = ElementTree.fromstring(curve(rungs))
    lines = [e.attrib["points"] for e in root.iter("{http://www.w3.org/2000/svg}polyline")]
    paths = [[tuple(map(float, p.split(","))) for p in line.split()] for line in lines]
    zero, strong, weak = paths
    assert len(zero) == 3
    assert zero[0][1] > zero[1][1] > zero[2][1], "up is better"
    assert strong == [(zero[0][0], zero[2][1]), zero[2]]
    assert weak == [zero[0], (zero[2][0], zero[0][1])]


def test_other_runs_and_runs_without_a_history_have_no_ladder(run: Path, tmp_path: Path) -> None:
    (tmp_path / "metadata.json").write_text('{"kind": "battleship-heatmap"}')
    with pytest.raises(BadSettings, match="only gomoku-zero"):
        climb(tmp_path, settings())
    (run / "history.pt").unlink()
    with pytest.raises(BadSettings, match="train with snapshots"):
        climb(run, settings())


@pytest.mark.slow
def test_the_command_prints_a_table_or_json(run: Path) -> None:
    small = ["--games=1", "--simulations=1", "--opponents=random", "--executor=serial"]
    runner = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"})
    plain = runner.invoke(app, ["ladder", str(run), *small])
    assert plain.exit_code == 0, plain.output
    assert "snapshot-2" in plain.stdout
    found = json.loads(runner.invoke(app, ["ladder", str(run), *small, "--json"]).stdout)
    assert [a["name"] for a in found["agents"]][:2] == ["random", "untrained"]
