"""Without an extra every entry says in one line how to install it, and leaves nothing behind."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trireme import AgentNotReady, BadSpec, MissingExtra, play
from trireme.core.extras import EXTRAS, missing_package, require
from trireme.core.registry import GAMES, agent_class
from trireme.server.workers.tasks import CheckAgent, WorkerCache, list_agents

ROOT = Path(__file__).parents[2]
PLAIN = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
WEB = [package for package in EXTRAS["web"] if package != "pydantic"]
"""Typer, which is no extra, uses pydantic too."""
POSTGRES = "postgresql://127.0.0.1:9/none"
Run = Callable[..., subprocess.CompletedProcess[str]]


FORKS = """
import json, os, sys, trireme.cli
import alembic.command, gymnasium, numba, sqlalchemy.orm
for line in sys.stdin:
    folder, hidden, code = json.loads(line)
    child = os.fork()
    if not child:
        for number, name in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{folder}.{name}", os.O_WRONLY | os.O_CREAT), number)
        os.chdir(folder)
        sys.modules.update(dict.fromkeys(hidden))
        status = 0
        try:
            exec(code)
        except SystemExit as error:
            status = error.code
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status or 0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Runs each program in a fork of a process that has imported what needs no extra: Python, numba and
the like start once, and not for every command."""


@pytest.fixture(scope="module")
def forks() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", FORKS],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=PLAIN,
    ) as server:
        yield server


@pytest.fixture
def run(forks: subprocess.Popen[str], tmp_path: Path) -> Run:
    """Run Python code in `tmp_path/in`, where the packages `hidden` can't be imported."""
    folder = tmp_path / "in"
    folder.mkdir()

    def run_code(code: str, *hidden: str) -> subprocess.CompletedProcess[str]:
        assert forks.stdin is not None
        assert forks.stdout is not None
        forks.stdin.write(json.dumps([str(folder), hidden, code]) + "\n")
        forks.stdin.flush()
        status = int(forks.stdout.readline())
        out, err = (Path(f"{folder}.{name}").read_text() for name in ("out", "err"))
        return subprocess.CompletedProcess(code, status, out, err)

    return run_code


def command(*arguments: str) -> str:
    """The program that a command is."""
    return f"sys.argv = {['trireme', *arguments]!r}\ntrireme.cli.main()"


MODEL = "llm:model=m,url=http://127.0.0.1:9"
AIVAI = ["--mode", "aivai", "--pause", "0", "--agent"]


@pytest.mark.parametrize(
    ("extra", "hidden", "arguments"),
    [
        ("nets", "onnxruntime", ["play", "gomoku", "--agent", "dqn"]),
        ("nets", "onnxruntime", ["arena", "battleship", "random", "me=rl", "--games", "2"]),
        ("ray", "ray", ["arena", "gomoku", "random", "random", "--executor", "ray"]),
        ("postgres", "psycopg", ["ratings", "gomoku", "--database", POSTGRES]),
        ("web", "fastapi", ["serve", "--port", "0"]),
        ("llm", "httpx", ["play", "gomoku", *AIVAI, "random", "--agent", MODEL]),
        ("mcp", "mcp", ["mcp"]),
        ("learn", "torch", ["train", "gomoku-dqn"]),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (
                    "nets",
                    "onnxruntime",
                    ["play", "gomoku", *AIVAI, "random", "--agent", "dqn+mcts"],
                ),
                ("nets", "onnxruntime", ["play", "gomoku", *AIVAI, "random", "--agent", "zero"]),
                ("nets", "onnxruntime", ["play", "battleship", *AIVAI, "heatmap"]),
                ("nets", "onnxruntime", ["play", "battleship", *AIVAI, "rl"]),
                ("nets", "onnxruntime", ["arena", "gomoku", "random", "dqn", "--games", "2"]),
                (
                    "postgres",
                    "psycopg",
                    ["arena", "gomoku", "random", "random", "--database", POSTGRES],
                ),
                ("postgres", "psycopg", ["serve", "--port", "0", "--database", POSTGRES]),
                *(("web", package, ["serve", "--port", "0"]) for package in WEB[1:]),
                ("llm", "httpx", ["arena", "battleship", "random", MODEL, "--games", "2"]),
                ("llm", "httpx", ["bench", "run", MODEL, "--game", "navigation"]),
                *(("mcp", package, ["mcp"]) for package in EXTRAS["mcp"] if package != "mcp"),
                ("learn", "torch", ["train", "battleship-heatmap"]),
                ("learn", "torch", ["train", "battleship-rl"]),
                ("learn", "torch", ["train", "promote", "runs/none"]),
                ("learn", "stable_baselines3", ["train", "battleship-rl"]),
                ("learn", "sb3_contrib", ["train", "battleship-rl"]),
                ("learn", "onnx", ["train", "promote", "runs/none"]),
                ("learn", "yaml", ["train", "gomoku-dqn", "--config", "cpu"]),
            )
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else value,
)
def test_a_command_without_its_extra_says_how_to_install_it(
    extra: str, hidden: str, arguments: list[str], run: Run, tmp_path: Path
) -> None:
    done = run(command(*arguments), hidden)
    assert done.returncode == 1, done.stderr
    assert f"needs the package {hidden}: pip install 'trireme-lab[{extra}]'" in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout
    assert not list((tmp_path / "in").iterdir()), "nothing is left behind"


EVERYTHING = {package for packages in EXTRAS.values() for package in packages} - {"pydantic"}


@pytest.mark.parametrize("words", [["games"], ["agents"], ["--help"], ["train", "--help"]])
def test_lists_and_help_need_no_extra(words: list[str], run: Run) -> None:
    done = run(command(*words), *EVERYTHING)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_command_line_is_imported_without_any_extra() -> None:
    hide = f"import sys; sys.modules.update(dict.fromkeys({EVERYTHING!r}))"
    subprocess.run([sys.executable, "-c", f"{hide}\nimport trireme.cli"], check=True)


@pytest.mark.parametrize(
    ("extra", "hidden", "name"),
    [
        ("zoo", "pettingzoo", "aec"),
        ("zoo", "pettingzoo", "parallel"),
        ("learn", "stable_baselines3", "BattleshipVecEnv"),
    ],
)
def test_an_environment_without_its_extra_is_an_import_error_that_names_it(
    extra: str, hidden: str, name: str, run: Run
) -> None:
    code = f"try:\n from trireme.envs import {name}\nexcept ImportError as error: print(error)"
    done = run(code, hidden)
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
        return {
            (game, a.name)
            for game in ("gomoku", "battleship")
            for a in list_agents(game)
            if a.unavailable is None
        }

    before = offered()
    assert networks <= before
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert offered() == before - networks
    why = r"dqn needs the package onnxruntime: pip install 'trireme-lab\[nets\]'"
    with pytest.raises(BadSpec, match=why):
        CheckAgent("gomoku", {}, "dqn").prepare(WorkerCache())
    (dqn,) = (a for a in list_agents("gomoku") if a.name == "dqn")
    assert re.fullmatch(why, dqn.unavailable or ""), "a menu that names it says why"


def test_a_list_of_agents_says_which_can_not_play_here(run: Run) -> None:
    done = run(command("agents", "gomoku"), "onnxruntime")
    assert done.stdout.count("can't play here: dqn needs the package onnxruntime") == 1
    assert "can't play here: search" not in done.stdout


def test_what_make_play_installs_is_all_that_the_menus_offer() -> None:
    """Every agent that a room may seat has its packages in the extra `play`."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    (together,) = extras["play"]
    brought = set(together.removeprefix("trireme-lab[").removesuffix("]").split(","))
    needed = {
        getattr(agent_class(game, a.name), "extra", "web")
        for game in GAMES
        for a in list_agents(game)
    }
    assert needed <= brought
    assert "'.[play]'" in (ROOT / "Makefile").read_text()


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
