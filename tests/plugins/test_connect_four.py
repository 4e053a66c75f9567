"""The example package, installed: its tests, terminal, arena, PettingZoo and server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .packages import EXAMPLE, environment, install_connect_four, write_heap, write_package

pytestmark = pytest.mark.slow  # builds and installs the package, and starts a process each time


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_connect_four(tmp_path_factory.mktemp("connect_four"))


def run(*command: str, site: Path, cwd: Path, said: str = "") -> str:
    """What a child process prints that finds the package."""
    done = subprocess.run(
        [sys.executable, *command],
        input=said,
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment(site),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_person_plays_it_in_the_terminal(site: Path, tmp_path: Path) -> None:
    moves = "help\nd\n9\n4\nd\nd\n"
    command = ["-m", "trireme", "play", "connect_four", "--agent", "random", "--seed", "2"]
    said = run(*command, "--record", "game.jsonl", site=site, cwd=tmp_path, said=moves + "quit\n")
    assert "Type a column: d or 4." in said
    assert "red (X) to move" in said
    assert "expected a column, a to g or 1 to 7, not '9'" in said
    shown = run("-m", "trireme", "replay", "game.jsonl", site=site, cwd=tmp_path)
    assert "Move 1 · human: d" in shown


def test_it_is_listed_with_its_agents(site: Path, tmp_path: Path) -> None:
    games = json.loads(run("-m", "trireme", "games", "--json", site=site, cwd=tmp_path))
    assert [s["name"] for s in games["connect_four"]["settings"]] == ["rows", "cols", "connect"]
    agents = json.loads(run("-m", "trireme", "agents", "--json", site=site, cwd=tmp_path))
    common = ["llm", "careless", "process"]
    assert list(agents["connect_four"]) == ["random", "montecarlo", "alphabeta", *common]


def test_a_broken_neighbour_gets_one_warning_line(site: Path, tmp_path: Path) -> None:
    write_package(tmp_path, "broken", "1 / 0", {"trireme.games": {"broken": "broken:SLICE"}})
    done = subprocess.run(
        [sys.executable, "-m", "trireme", "games"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(site, tmp_path),
    )
    assert done.returncode == 0
    assert "connect_four" in done.stdout
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: game 'broken' of package broken is left out: Zero")


def test_it_has_a_schema_and_a_page_without_one_of_ours(site: Path, tmp_path: Path) -> None:
    write_heap(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "trireme.server.protocol.schema"],
        capture_output=True,
        text=True,
        env=environment(site, tmp_path),
        check=True,
    )
    schema = json.loads(done.stdout)["properties"]
    assert schema["views"]["properties"]["connect_four"] == {"$ref": "#/$defs/ConnectFourState"}
    assert schema["views"]["properties"]["heap"] == {}


PICTURES = """
import json
from trireme import play
from trireme.server.rooms.recording import replay_of_record
record = play("connect_four:rows=4,cols=5", ["random", "random"], seed=1, opening=["c", "c"]).record
frames = json.loads(replay_of_record(record).model_dump_json())["frames"]
assert all(set(frame["pictures"]) == {"0", "1", "spectator"} for frame in frames)
board = frames[2]["pictures"]["0"]["board"]
assert [[c["piece"] for c in row] for row in board["cells"]][2:] == [
    [None, None, 1, None, None],
    [None, None, 0, None, None],
]
assert board["cells"][2][2] == {"piece": 1, "symbol": "", "marked": True, "label": "yellow"}
assert board["actions"]["c"] == [[0, 2], [1, 2], [2, 2], [3, 2]]
assert (board["row_labels"], board["col_labels"]) == (list("4321"), list("abcde"))
"""


def test_replays_have_a_picture_of_every_view(site: Path, tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="needs the web packages")
    run("-c", PICTURES, site=site, cwd=tmp_path)


PETTINGZOO = """
import warnings
from pettingzoo.test import api_test, seed_test
from trireme.envs import aec
env = aec("connect_four", rows=4, cols=5)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    api_test(env, num_cycles=60)
    seed_test(lambda: aec("connect_four"), num_cycles=30)
env.reset(seed=3)
assert env.observe("player_0").shape == (4, 4, 5), env.observe("player_0").shape
assert env.infos["player_0"]["action_mask"].tolist() == [1] * 5
for _ in range(4):
    env.step(2)
assert env.infos["player_0"]["action_mask"].tolist() == [1, 1, 0, 1, 1]
seen = env.observe("player_1")
assert [int(seen[plane].sum()) for plane in range(4)] == [2, 2, 0, 0]
assert seen[0, 2, 2] == seen[1, 3, 2] == 1
"""


def test_learners_have_it_in_pettingzoo(site: Path, tmp_path: Path) -> None:
    pytest.importorskip("pettingzoo", reason="needs PettingZoo")
    run("-c", PETTINGZOO, site=site, cwd=tmp_path)


def test_agents_meet_in_the_arena(site: Path, tmp_path: Path) -> None:
    entrants = ["alphabeta:depth=2", "random"]
    options = ["--games", "8", "--workers", "2", "--out", "match", "--database", "none"]
    run("-m", "trireme", "arena", "connect_four", *entrants, *options, site=site, cwd=tmp_path)
    report = (tmp_path / "match" / "report.html").read_text()
    assert "alphabeta" in report
    records = [p.read_text() for p in (tmp_path / "match").rglob("*.jsonl")]
    assert any('"connect_four"' in text for text in records)


def test_its_own_tests_pass_with_our_conformance_tests(site: Path, tmp_path: Path) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-W", "error", "-c", str(EXAMPLE / "pyproject.toml")]
    said = run("-m", "pytest", *options, str(EXAMPLE / "tests"), site=site, cwd=tmp_path)
    assert "passed" in said


def test_the_conformance_tests_run_without_a_test_file(site: Path, tmp_path: Path) -> None:
    write_heap(tmp_path)
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "trireme.testing"]
    done = subprocess.run(
        [sys.executable, *command, "--trireme-game", "heap", "-k", "TestGame"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment(tmp_path),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout
