"""`--model` and `--epsilon` of `trireme play`: whose weights, and how often a random move."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from trireme import BadSpec, load_record, make_agent
from trireme.cli import agent_specs as specs_module
from trireme.cli import app
from trireme.cli.agent_specs import agent_specs
from trireme.core.spec import parse_spec

SHIPPED = Path(__file__).parents[2] / "src/trireme/gomoku/models/dqn/network.onnx"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / 'my "best", of all.onnx'
    path.write_bytes(SHIPPED.read_bytes())
    return path


def test_without_either_nothing_changes() -> None:
    assert agent_specs("gomoku", [], None, 0.0) == []
    assert agent_specs("gomoku", ["search:depth=2"], None, 0.0) == ["search:depth=2"]


def test_a_model_is_played_by_the_first_agent_that_plays_networks(weights: Path) -> None:
    (spec,) = agent_specs("gomoku", [], weights, 0.0)
    assert parse_spec(spec).name == "dqn"
    assert parse_spec(spec).options == {"model": str(weights)}
    (spec,) = agent_specs("battleship", [], weights, 0.0)
    assert parse_spec(spec).name == "rl"  # not rl+llm, whose model is a name
    (spec,) = agent_specs("gomoku", ["zero:simulations=8"], weights, 0.0)
    assert parse_spec(spec).options == {"simulations": "8", "model": str(weights)}


def test_epsilon_is_the_agents_own_option_or_makes_it_careless(weights: Path) -> None:
    (spec,) = agent_specs("gomoku", [], weights, 0.02)
    assert parse_spec(spec).options == {"model": str(weights), "epsilon": "0.02"}
    (spec,) = agent_specs("gomoku", [], None, 0.25)
    assert parse_spec(spec).name == "careless"
    assert parse_spec(spec).options == {"agent": "search", "slip": "0.25"}
    (spec,) = agent_specs("gomoku", ["bots.py:Bot:a=1"], None, 1.0)
    assert parse_spec(spec).options["agent"] == "bots.py:Bot:a=1"
    inner = make_agent("gomoku", agent_specs("gomoku", ["search:depth=2"], None, 0.5)[0])
    assert (inner.agent, inner.slip) == ("search:depth=2", 0.5)  # type: ignore[attr-defined]


@pytest.mark.parametrize("epsilon", [-0.1, 1.1, float("nan")])
def test_epsilon_is_a_probability(epsilon: float) -> None:
    with pytest.raises(BadSpec, match="--epsilon must be from 0 to 1"):
        agent_specs("gomoku", [], None, epsilon)


def test_what_can_not_be_played_is_said(
    weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadSpec, match=r"no file of weights at .*missing\.onnx"):
        agent_specs("gomoku", [], tmp_path / "missing.onnx", 0.0)
    with pytest.raises(ValueError, match="unknown option of heuristic"):
        make_agent("gomoku", agent_specs("gomoku", ["heuristic"], weights, 0.0)[0])
    monkeypatch.setattr(specs_module, "options_of", lambda _: {})
    with pytest.raises(BadSpec, match="no agent of navigation plays a network"):
        agent_specs("navigation", [], weights, 0.0)


def test_the_command_plays_the_model(weights: Path, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="networks need onnxruntime")
    record = tmp_path / "game.jsonl"
    options = ["--mode", "pvai", "--model", str(weights), "--epsilon", "0.02", "--time", "30"]
    played = CliRunner().invoke(
        app, ["play", "gomoku", *options, "--record", str(record)], input="h8\nquit\n"
    )
    assert played.exit_code == 0, played.output
    read = load_record(record)
    assert read.header.seats[1].startswith('dqn:model="')
    assert len(read.moves) == 2
