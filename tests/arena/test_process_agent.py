"""External agents: programs that speak JSON lines, the good ones and every kind of bad one."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trireme import AgentNotReady, BadSpec, Result, make_agent, make_game, play
from trireme.core import process_agent
from trireme.core.game import AnyAgent
from trireme.core.play import decide
from trireme.core.registry import GAMES, agents_of
from trireme.core.session import Session

EXAMPLES = Path(__file__).parents[2] / "examples"
READY = "print('{\"ready\": true}', flush=True)"
LOOP = f"""
import json, os, subprocess, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        {READY}
    elif message["type"] == "turn":
        BODY
"""


def alive(pid: int) -> bool:
    """Whether the process runs; one that is dead and not yet collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def dies(pid: int) -> bool:
    """Whether the process is gone, or goes: a kill takes effect a moment after it is sent."""
    deadline = time.monotonic() + 20
    while alive(pid) and time.monotonic() < deadline:
        os.sched_yield()
    return not alive(pid)


def program(folder: Path, body: str) -> str:
    """The spec of an agent that does `body` at every turn."""
    path = folder / "bot.py"
    path.write_text(LOOP.replace("BODY", body))
    return f'process:cmd="{sys.executable} {path}"'


def game_of(spec: str, seconds: float | None = 5.0) -> Result:
    game = make_game("gomoku", size=6)
    agent = make_agent(game, spec)
    try:
        return play(game, [agent, "random"], seed=1, seconds=seconds)
    finally:
        agent.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", list(GAMES))
@pytest.mark.parametrize("script", ["process_agent.py", "process_agent.js"])
def test_the_examples_play_every_game_to_its_end(name: str, script: str) -> None:
    runner = sys.executable if script.endswith(".py") else shutil.which("node")
    if runner is None:
        pytest.skip("node is not installed")
    game = make_game(name)
    agent = make_agent(game, f'process:cmd="{runner} {EXAMPLES / script}"')
    others = ["random"] * (game.seats - 1)
    result = play(game, [agent, *others], seed=3, seconds=5.0)
    again = play(game, [agent, *others], seed=3, seconds=5.0)
    agent.close()  # type: ignore[attr-defined]
    assert result.forfeits == ()
    assert result.record.fingerprint() == again.record.fingerprint()


def test_the_process_agent_is_an_agent_of_every_game() -> None:
    assert all("process" in agents_of(name) for name in GAMES)


def test_a_turn_tells_what_the_seat_may_know(tmp_path: Path) -> None:
    log = tmp_path / "turn.json"
    body = f"open({str(log)!r}, 'w').write(line); print(json.dumps({{'action': 'c3'}}), flush=True)"
    game = make_game("gomoku", size=6)
    agent = make_agent(game, program(tmp_path, body))
    play(game, [agent, "random"], seed=1)
    agent.close()  # type: ignore[attr-defined]
    told = json.loads(log.read_text())
    assert told["type"] == "turn"
    assert told["seat"] == 0
    assert len(told["view"]["stones"]) == 2
    assert len(told["legal"]) == 34
    assert told["example"] in told["legal"]
    assert told["seconds"] is None


@pytest.mark.parametrize(("most", "listed"), [(36, True), (35, True), (34, False)])
def test_a_turn_lists_its_legal_actions_unless_they_are_too_many(
    monkeypatch: pytest.MonkeyPatch, most: int, listed: bool
) -> None:
    monkeypatch.setattr(process_agent, "LISTABLE", most)
    turn = Session(make_game("gomoku", size=6), ["a", "b"], opening=["a1"]).turn(1, None)
    assert (process_agent._turn_message(turn)["legal"] is not None) == listed


@pytest.mark.parametrize(
    ("body", "reason", "detail"),
    [
        ("print('what?', flush=True)", "process", "expected one JSON object"),
        ("print('[1, 2]', flush=True)", "process", "expected one JSON object"),
        ("print('{}', flush=True)", "process", 'expected {"action"'),
        ("print('{\"action\": 5}', flush=True)", "process", 'expected {"action"'),
        ('print(\'{"action": "zz"}\', flush=True)', "illegal", "expected a point"),
        ("sys.stdout.write('x' * (1 << 21)); sys.stdout.flush()", "process", "expected one JSON"),
        ("sys.exit('no idea')", "process", "ended with status 1, saying: no idea"),
        ("os.kill(os.getpid(), 9)", "process", "ended with status -9"),
        ("os.close(1); time.sleep(60)", "process", "closed its output"),
    ],
)
def test_a_bad_answer_forfeits_with_its_reason(
    tmp_path: Path, body: str, reason: str, detail: str
) -> None:
    result = game_of(program(tmp_path, body))
    (forfeit,) = result.forfeits
    assert (forfeit.seat, forfeit.reason) == (0, reason)
    assert detail in forfeit.detail
    assert result.returns == (-1.0, 1.0)


def test_a_silent_program_forfeits_by_time(tmp_path: Path) -> None:
    (forfeit,) = game_of(program(tmp_path, "time.sleep(60)"), seconds=0.1).forfeits
    assert forfeit.reason == "time"


@pytest.mark.parametrize(
    ("cmd", "detail"),
    [
        (f"{sys.executable} -c pass", "ended with status 0"),
        ("echo hello", "expected one JSON object"),
        ("echo {}", "after hello"),
    ],
)
def test_a_program_that_can_not_start_forfeits(cmd: str, detail: str) -> None:
    (forfeit,) = game_of(f'process:cmd="{cmd}"').forfeits
    assert forfeit.reason == "process"
    assert detail in forfeit.detail


def test_a_program_that_is_not_there_is_an_error_and_no_forfeit() -> None:
    with pytest.raises(AgentNotReady, match="process can't play gomoku here: can't run '/no/such"):
        game_of('process:cmd="/no/such/program"')


@pytest.mark.parametrize("spec", ["process", 'process:cmd=""', 'process:cmd="un \'even"'])
def test_a_spec_without_a_command_is_refused(spec: str) -> None:
    with pytest.raises(BadSpec, match=r"command line|needs a value"):
        make_agent("gomoku", spec)


def child_of(agent: AnyAgent, folder: Path) -> int:
    """Let the agent play a move; its program has written the number of its child."""
    game = make_game("gomoku", size=6)
    decide(agent, Session(game, ["a", "b"], seed=1).turn(0, 5.0))
    return int((folder / "child").read_text())


def body_with_child(folder: Path) -> str:
    return (
        "child = subprocess.Popen(['sleep', '600']);"
        f"open({str(folder / 'child')!r}, 'w').write(str(child.pid));"
        "print(json.dumps({'action': message['example']}), flush=True)"
    )


def test_closing_ends_the_program_and_its_children(tmp_path: Path) -> None:
    agent = make_agent("gomoku", program(tmp_path, body_with_child(tmp_path)))
    child = child_of(agent, tmp_path)
    assert alive(child)
    agent.close()  # type: ignore[attr-defined]
    assert dies(child)


def test_no_program_outlives_ours_even_when_ours_is_killed(tmp_path: Path) -> None:
    spec = program(tmp_path, body_with_child(tmp_path) + "; time.sleep(600)")
    code = (
        "import os, signal\n"
        "from trireme import make_agent, make_game\n"
        "from trireme.core.session import Session\n"
        "game = make_game('gomoku')\n"
        f"agent = make_agent(game, {spec!r})\n"
        "agent.act(Session(game, ['a', 'b'], seed=1).turn(0, 60))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True)
    assert ended.returncode == -9, ended.stderr.decode()
    child = int((tmp_path / "child").read_text())
    assert dies(child)
