"""The command line as people and programs use it: real input, real files, real nonsense."""

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import IO, Any

import pytest
import typer

from trireme import load_record
from trireme.cli import app, main
from trireme.core.registry import GAMES, find

TRIREME = [sys.executable, "-m", "trireme"]
PLAIN = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "PYTHONUNBUFFERED": "1"}


class Keyboard(io.StringIO):
    """Lines that a person types at a terminal."""

    def isatty(self) -> bool:
        return True


def trireme(
    *arguments: str, cwd: Path, said: str | io.StringIO = "", columns: int = 200
) -> subprocess.CompletedProcess[str]:
    """Run a command in this process, which spares a start of Python each time."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    typed = io.StringIO(said) if isinstance(said, str) else said
    with (
        pytest.MonkeyPatch.context() as patch,
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["trireme", *arguments])
        patch.setattr(sys, "stdin", typed)
        patch.setenv("NO_COLOR", "1")
        patch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as left:
            main()
    texts = [stream.buffer.getvalue().decode() for stream in (out, err) if not stream.flush()]
    return subprocess.CompletedProcess(arguments, int(left.value.code or 0), *texts)


def only_record(folder: Path) -> Path:
    (path,) = (folder / "runs" / "games").glob("*.jsonl")
    return path


@pytest.mark.parametrize("game", GAMES)
def test_two_agents_play_a_game_that_replays(game: str, tmp_path: Path) -> None:
    agents = ["--agent", "random", "--agent", "random"]
    run = trireme("play", game, "--mode", "aivai", *agents, "--pause", "0", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    path = only_record(tmp_path)
    load_record(path).verify()
    shown = trireme("replay", str(path), cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.count("The end. Returns:") == 1
    assert shown.stdout.splitlines()[-1].startswith("The end. Returns:")
    assert shown.stdout.count("Move ") >= len(load_record(path).moves)


HANGING = """
import time

class Hanging:
    name = "hanging"

    def act(self, turn):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            pass
        return turn.legal.sample(turn.rng)
"""


def test_an_agent_that_hangs_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGING, encoding="utf-8")
    run = trireme("play", "gomoku", "--mode", "aivai", "--agent", "hanging.py:Hanging",
        "--agent", "random", "--time", "0.01", "--pause", "0", cwd=tmp_path)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert "forfeits (time)" in run.stdout
    assert "was interrupted" in run.stdout


@pytest.mark.parametrize("game", GAMES)
def test_a_person_can_ask_for_help_and_leave(game: str, tmp_path: Path) -> None:
    run = trireme("play", game, "--agent", "random", cwd=tmp_path, said="help\nqqqq\nquit\n")
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("\n  hint") == 1
    assert ("hint [AGENT]" in run.stdout) == (game != "gomoku"), "Gomoku has a hint of its own"
    assert "qqqq" in run.stdout, "the wrong input is quoted"
    assert "trireme play --resume" in run.stdout
    assert load_record(only_record(tmp_path)).end is None


def test_a_person_plays_takes_back_and_goes_on_later(tmp_path: Path) -> None:
    moves = "d4\nd4\nundo\nc3\nquit\n"
    options = ["--set", "size=7", "--agent", "random", "--seed", "1", "--record", "a.jsonl"]
    run = trireme("play", "gomoku", *options, cwd=tmp_path, said=moves)
    assert "has a stone already" in run.stdout
    record = load_record(tmp_path / "a.jsonl")
    assert [m[0] for m in record.moves if 0 in m] == ["c3"]
    again = trireme(
        "play", "--resume", "a.jsonl", "--record", "b.jsonl", cwd=tmp_path, said="resign\n"
    )
    assert "forfeits (resigned)" in again.stdout
    resumed = load_record(tmp_path / "b.jsonl")
    assert resumed.moves[: len(record.moves)] == record.moves
    assert resumed.returns == (-1.0, 1.0)
    finished = trireme("play", "--resume", "b.jsonl", cwd=tmp_path)
    assert (finished.returncode, finished.stderr.count("\n")) == (2, 1)
    assert "is over" in finished.stderr


def test_two_people_play_to_the_end(tmp_path: Path) -> None:
    moves = "\n".join(f"{c}{r}" for c in "abcde" for r in (1, 3)) + "\n"
    run = trireme("play", "gomoku", "--mode", "pvp", "--set", "size=7", cwd=tmp_path, said=moves)
    assert run.returncode == 0, run.stderr
    assert load_record(only_record(tmp_path)).returns == (1.0, -1.0)
    assert "wins" in run.stdout


def until(stream: IO[str], marker: str) -> None:
    """Read until the prompt is there."""
    seen = ""
    while marker not in seen:
        letter = stream.read(1)
        assert letter, f"the program ended after {seen!r}"
        seen += letter


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
@pytest.mark.parametrize("moves", [0, 1, 3])
@pytest.mark.slow
def test_a_killed_game_is_replayed_up_to_its_last_move(moves: int, tmp_path: Path) -> None:
    command = [*TRIREME, "play", "gomoku", "--mode", "pvp", "--record", "game.jsonl"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=tmp_path, env=PLAIN, text=True, **pipes) as game:
        assert game.stdin is not None
        assert game.stdout is not None
        for column in "abc"[:moves]:
            until(game.stdout, " > ")
            game.stdin.write(f"{column}1\n")
            game.stdin.flush()
        until(game.stdout, " > ")
        game.kill()
    assert len(load_record(tmp_path / "game.jsonl").moves) == moves
    shown = trireme("replay", "game.jsonl", cwd=tmp_path)
    assert shown.returncode == 0
    assert f"Move {moves} ·" in shown.stdout or moves == 0
    assert f"Move {moves + 1} ·" not in shown.stdout
    assert "was not finished" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["play", "gomuku"], "Did you mean 'gomoku'"),
        (["play", "gomoku", "--agent", "randon"], "Did you mean 'random'"),
        (["play", "gomoku", "--agent", "random:x=1"], "unknown option"),
        (["play", "gomoku", "--variant", "renju"], "unknown variant"),
        (["play", "gomoku", "--set", "size"], "expected"),
        (["play", "gomoku", "--set", "size=x"], "size must be int"),
        (["play", "gomoku", "--set", "size=4"], "size"),
        (["play", "gomoku", "--side", "2"], "--side must be from 0 to 1"),
        (["play", "gomoku", "--mode", "pvp", "--agent", "random"], "takes 0 agents"),
        (["play", "--resume", "none.jsonl"], "can't read"),
        (["replay", "none.jsonl"], "can't read"),
        (["replay", "."], "can't read"),
        (["agents", "chess"], "unknown game"),
    ],
)
def test_nonsense_gets_one_clear_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    run = trireme(*arguments, cwd=tmp_path)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stderr.count("\n") == 1
    assert "Traceback" not in run.stderr
    assert not (tmp_path / "runs").exists(), "nothing is left behind"


def test_four_captains_play_in_the_terminal(tmp_path: Path) -> None:
    options = ["--variant", "2v2", "--agent", "greedy", "--side", "2", "--pause", "0"]
    run = trireme("play", "navigation", *options, cwd=tmp_path, said="resign\n\n")
    assert "Third war brig (human) forfeits (resigned)" in run.stdout
    assert "Second cutter (greedy) and Fourth war brig (greedy) win." in run.stdout
    watched = [*options[:4], "--mode", "aivai", "--set", "turn_limit=1", "--pause", "0"]
    run = trireme("play", "navigation", *watched, cwd=tmp_path)
    assert run.stdout.count(" plans ") == 4
    assert "A draw." in run.stdout


def test_a_damaged_record_is_shown_up_to_the_damage(tmp_path: Path) -> None:
    agents = ["--mode", "aivai", "--agent", "random", "--set", "size=7", "--record", "a.jsonl"]
    trireme("play", "gomoku", *agents, cwd=tmp_path)
    path = tmp_path / "a.jsonl"
    whole = path.read_text()
    path.write_text(whole[: len(whole) // 2])
    torn = trireme("replay", "a.jsonl", cwd=tmp_path)
    assert torn.returncode == 0
    assert "is cut off" in torn.stdout
    assert "The end" not in torn.stdout
    path.write_text(whole.replace('"ts":"2', '"ts":"1', 3))
    edited = trireme("replay", "a.jsonl", cwd=tmp_path)
    assert edited.returncode == 2
    assert "line 2: the checksum does not fit" in edited.stderr


def test_a_position_of_a_record_can_be_picked(tmp_path: Path) -> None:
    moves = "a1\nb2\nc3\n"
    options = ["--mode", "pvp", "--set", "size=5", "--record", "a.jsonl"]
    trireme("play", "gomoku", *options, cwd=tmp_path, said=moves)
    shown = trireme("replay", "a.jsonl", "--move", "2", cwd=tmp_path)
    assert "Move 2 · human: b2" in shown.stdout
    assert "Move 3" not in shown.stdout
    assert "The record stops" not in shown.stdout
    last = trireme("replay", "a.jsonl", "--move", "3", cwd=tmp_path)
    assert last.stdout.splitlines()[-1].startswith("The record stops here")
    wrong = trireme("replay", "a.jsonl", "--move", "9", cwd=tmp_path)
    assert "--move must be from 0 to 3" in wrong.stderr


def test_the_end_is_told_where_the_reader_reaches_it(tmp_path: Path) -> None:
    agents = ["--mode", "aivai", "--agent", "random", "--set", "size=5", "--record", "a.jsonl"]
    trireme("play", "gomoku", *agents, "--pause", "0", cwd=tmp_path)
    for keys, ends in (("q\n", 0), ("\n1\np\nq\n", 0), ("e\np\ne\nq\n", 2), ("99\n\n", 1)):
        stepped = trireme("replay", "a.jsonl", cwd=tmp_path, said=Keyboard(keys))
        assert stepped.stdout.count("The end. Returns:") == ends, keys
    lines = (tmp_path / "a.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_text("".join([*lines[:3], lines[2], *lines[4:]]))
    wrong = trireme("replay", "a.jsonl", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "The end" not in wrong.stdout, "what follows the wrong line was not shown"


def test_a_match_says_that_games_are_rounded_up_to_pairs(tmp_path: Path) -> None:
    match = ["arena", "gomoku", "random", "b=random", "--set", "size=5", "--executor", "serial"]
    match += ["--database", "none", "--json", "--seed", "1"]
    odd = trireme(*match, "--games", "3", "--out", "odd", cwd=tmp_path)
    rounded, starts = odd.stderr.splitlines()
    assert rounded == (
        "Games: 4 per pairing, not 3: every start is played twice, with seats swapped."
    )
    assert starts.startswith("Different starts: 1, for 2 rounds.")
    assert json.loads(odd.stdout)["games"] == 4
    even = trireme(*match, "--games", "4", "--out", "even", cwd=tmp_path)
    assert (even.stderr.splitlines(), json.loads(even.stdout)["games"]) == ([starts], 4)
    alone = ["arena", "battleship", "random", *match[6:], "--set", "rows=5", "--set", "cols=5"]
    done = trireme(*alone, "--games", "3", "--out", "alone", cwd=tmp_path)
    assert (done.stderr, json.loads(done.stdout)["games"]) == ("", 3)


def test_names_of_agents_are_never_broken(tmp_path: Path) -> None:
    match = ["arena", "gomoku", "--set", "size=5", "--games", "2", "--executor", "serial"]
    match += ["--database", "none", "--in-process"]
    broken = f"named-by-a-careful-person={Path(__file__).parents[1]}/arena/broken_agents.py:Raises"
    for agent, extra in (("heuristic:epsilon=0.25", []), (broken, ["forfeits", "runs"])):
        done = trireme(*match, "random", agent, cwd=tmp_path, columns=80)
        head, *rows = (line.split() for line in done.stdout.splitlines()[:3])
        assert head[-len(extra) - 2 :] == ["a", "move", *extra]
        assert {row[0] for row in rows} == {"random", agent.partition("=/")[0]}
    rows = done.stdout.splitlines()[1:3]
    assert sorted(row.split()[-2:] for row in rows)[0] == ["2", "in-process"]


def test_games_and_agents_are_listed_for_people_and_programs(tmp_path: Path) -> None:
    games = json.loads(trireme("games", "--json", cwd=tmp_path).stdout)
    agents = json.loads(trireme("agents", "--json", cwd=tmp_path).stdout)
    text = trireme("games", cwd=tmp_path).stdout + trireme("agents", cwd=tmp_path).stdout
    assert set(games) == set(agents) == set(GAMES)
    for name in GAMES:
        assert set(find(name).agents) <= set(agents[name])
        assert games[name]["summary"] == find(name).summary
        for word in [name, *agents[name], *(s["name"] for s in games[name]["settings"])]:
            assert word in text


def test_an_own_map_is_drawn_played_and_rated(tmp_path: Path) -> None:
    """The documented commands, with a map file of many lines as the shell hands it over."""
    assert trireme("map", "new", "bay.json", "--seed", "7", cwd=tmp_path).returncode == 0
    text = (tmp_path / "bay.json").read_text()
    assert text.count("\n") > 100
    settings = ["--set", f"map={text}", "--set", "turn_limit=2"]
    agents = ["--agent", "random", "--agent", "random", "--pause", "0", "--record", "a.jsonl"]
    played = trireme("play", "navigation", "--mode", "aivai", *agents, *settings, cwd=tmp_path)
    assert played.returncode == 0, played.stderr
    game = load_record(tmp_path / "a.jsonl").game
    assert (game.chart.name, game.turn_limit) == ("Sea 7", 2)  # type: ignore[attr-defined]
    assert (game.chart.width, game.chart.height) == (24, 24)  # type: ignore[attr-defined]
    match = ["navigation", "random", "planner", "--games", "2", "--executor", "serial", "--json"]
    done = trireme("arena", *match, *settings, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["settings"]["map"] == json.loads(text)
    assert (report["games"], report["forfeits"]) == (2, [])
    rated = trireme("ratings", "navigation", "--json", *settings, cwd=tmp_path)
    assert json.loads(rated.stdout)["runs"] == 1


def commands() -> Iterator[tuple[str, Any]]:
    def walk(prefix: str, command: Any) -> Iterator[tuple[str, Any]]:
        inner = getattr(command, "commands", None)
        if not inner:
            yield prefix.strip(), command
        else:
            for name, child in inner.items():
                yield from walk(f"{prefix} {name}", child)

    return walk("", typer.main.get_command(app))


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=[n for n, _ in commands()])
def test_every_command_explains_itself_with_an_example(name: str, command: Any) -> None:
    assert command.help
    assert f"trireme {name}" in command.help, "the help has an example"
    for parameter in command.params:
        assert parameter.help, f"{name} {parameter.name} has no help"
