"""Without an extra every entry says in one line how to install it, and leaves nothing behind."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from trireme import AgentNotReady, MissingExtra, play
from trireme.core.extras import EXTRAS, missing_package, require
from trireme.server.workers.tasks import CheckAgent, WorkerCache, list_agents

ROOT = Path(__file__).parents[2]
PLAIN = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
WEB = [package for package in EXTRAS["web"] if package != "pydantic"]
"""Typer, which is no extra, uses pydantic too."""
POSTGRES = "postgresql://127.0.0.1:9/none"


def run(code: str, hidden: tuple[str, ...], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Python code where the packages `hidden` can't be imported."""
    hide = f"import sys; sys.modules.update(dict.fromkeys({hidden!r}))"
    return subprocess.run(
        [sys.executable, "-c", f"{hide}\n{code}"],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=PLAIN,
    )


def trireme(
    *arguments: str, hidden: tuple[str, ...], cwd: Path
) -> subprocess.CompletedProcess[str]:
    code = f"sys.argv = {['trireme', *arguments]!r}\nfrom trireme.cli import main\nmain()"
    return run(code, hidden, cwd)


AIVAI = ["--mode", "aivai", "--pause", "0", "--agent"]


@pytest.mark.parametrize(
    ("extra", "hidden", "arguments"),
    [
        ("nets", "onnxruntime", ["play", "gomoku", "--agent", "dqn"]),
        ("nets", "onnxruntime", ["play", "gomoku", *AIVAI, "random", "--agent", "dqn+mcts"]),
        ("nets", "onnxruntime", ["play", "gomoku", *AIVAI, "random", "--agent", "zero"]),
        ("nets", "onnxruntime", ["play", "battleship", *AIVAI, "heatmap"]),
        ("nets", "onnxruntime", ["play", "battleship", *AIVAI, "rl"]),
        ("nets", "onnxruntime", ["arena", "gomoku", "random", "dqn", "--games", "2"]),
        ("nets", "onnxruntime", ["arena", "battleship", "random", "me=rl", "--games", "2"]),
        ("ray", "ray", ["arena", "gomoku", "random", "random", "--executor", "ray"]),
        ("postgres", "psycopg", ["arena", "gomoku", "random", "random", "--database", POSTGRES]),
        ("postgres", "psycopg", ["ratings", "gomoku", "--database", POSTGRES]),
        ("postgres", "psycopg", ["serve", "--port", "0", "--database", POSTGRES]),
        *(("web", package, ["serve", "--port", "0"]) for package in WEB),
        ("learn", "torch", ["train", "gomoku-dqn"]),
        ("learn", "torch", ["train", "battleship-heatmap"]),
        ("learn", "torch", ["train", "battleship-rl"]),
        ("learn", "torch", ["train", "promote", "runs/none"]),
        ("learn", "stable_baselines3", ["train", "battleship-rl"]),
        ("learn", "sb3_contrib", ["train", "battleship-rl"]),
        ("learn", "onnx", ["train", "promote", "runs/none"]),
        ("learn", "yaml", ["train", "gomoku-dqn", "--config", "cpu"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_without_its_extra_says_how_to_install_it(
    extra: str, hidden: str, arguments: list[str], tmp_path: Path
) -> None:
    done = trireme(*arguments, hidden=(hidden,), cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert f"needs the package {hidden}: pip install 'trireme-lab[{extra}]'" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    assert not list(tmp_path.iterdir()), "nothing is left behind"


@pytest.mark.parametrize("command", [["games"], ["agents"], ["--help"], ["train", "--help"]])
def test_lists_and_help_need_no_extra(command: list[str], tmp_path: Path) -> None:
    everything = {package for packages in EXTRAS.values() for package in packages} - {"pydantic"}
    done = trireme(*command, hidden=tuple(everything), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


@pytest.mark.parametrize(
    ("extra", "hidden", "name"),
    [
        ("zoo", "pettingzoo", "aec"),
        ("zoo", "pettingzoo", "parallel"),
        ("learn", "stable_baselines3", "BattleshipVecEnv"),
    ],
)
def test_an_environment_without_its_extra_is_an_import_error_that_names_it(
    extra: str, hidden: str, name: str, tmp_path: Path
) -> None:
    code = f"try:\n from trireme.envs import {name}\nexcept ImportError as error: print(error)"
    done = run(code, (hidden,), tmp_path)
    assert f"needs the package {hidden}: pip install 'trireme-lab[{extra}]'\n" in done.stdout


def test_playing_without_the_extra_raises_and_is_no_forfeit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from trireme.core.onnx import load_network
    from trireme.gomoku.agents.dqn import evaluator

    for cached in (load_network, evaluator):
        cached.cache_clear()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    lines: list[str] = []
    with pytest.raises(AgentNotReady, match=r"dqn can't play gomoku here: .*\[nets\]") as caught:
        play("gomoku:size=7", ["random", "dqn"], seed=1, sink=lines.append)
    assert isinstance(caught.value.__cause__, MissingExtra)
    assert caught.value.__cause__.extra == "nets"
    assert not lines, "no record was begun"


def test_a_room_seats_only_agents_whose_extras_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnxruntime", reason="networks need onnxruntime")
    networks = {("gomoku", "dqn"), ("gomoku", "dqn+mcts"), ("battleship", "heatmap")}
    networks |= {("battleship", "rl"), ("gomoku", "zero")}

    def offered() -> set[tuple[str, str]]:
        return {(game, a.name) for game in ("gomoku", "battleship") for a in list_agents(game)}

    before = offered()
    assert networks <= before
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert offered() == before - networks
    with pytest.raises(MissingExtra, match=r"dqn needs .* 'trireme-lab\[nets\]'"):
        CheckAgent("gomoku", {}, "dqn").prepare(WorkerCache())


def test_the_extras_are_those_of_the_package() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {"pyyaml": "yaml"}
    for extra, packages in EXTRAS.items():
        plain = (
            line.partition(">=")[0].partition("==")[0].partition("[")[0]
            for line in declared["optional-dependencies"][extra]
        )
        assert {names.get(p, p.replace("-", "_")) for p in plain} == set(packages)


def test_only_the_packages_that_are_asked_for_are_required(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert missing_package("learn", "yaml") == "yaml"
    assert missing_package("learn", "msgspec") is None
    require("learn", "this", "msgspec")
    with pytest.raises(MissingExtra, match="this needs the package yaml"):
        require("learn", "this", "msgspec", "yaml")
