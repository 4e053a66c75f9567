"""The Gomocup protocol, both ways: our brain behind it, foreign engines in front of it."""

import os
import shlex
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trireme.core.errors import AgentNotReady, BadSpec
from trireme.core.play import Result, play
from trireme.core.registry import make_agent
from trireme.gomoku.agents.gomocup import Gomocup
from trireme.gomoku.brain import Brain, serve
from trireme.gomoku.rules import Gomoku

BRAIN = f"{shlex.quote(sys.executable)} -c 'from trireme.cli.gomoku import engine; engine()'"


def talk(*lines: str) -> list[str]:
    """What a quick brain answers, its messages left out."""
    written: list[str] = []
    serve(Brain(seed=1), ["INFO timeout_turn 30", *lines], written.append)
    assert all(line.endswith("\n") for line in written)
    return [line.strip() for line in written if not line.startswith("MESSAGE")]


def point(answer: str) -> tuple[int, int]:
    x, y = answer.split(",")
    return int(x), int(y)


def test_a_game_begins_and_goes_on() -> None:
    answers = talk("START 15", "BEGIN", "TURN 8,8", "END")
    assert answers[:2] == ["OK", "7,7"]
    assert point(answers[2]) not in ((7, 7), (8, 8))


def test_lines_may_end_as_on_windows_and_words_may_be_small() -> None:
    assert talk("start 15\r\n", "begin\r\n", "end\r\n") == ["OK", "7,7"]


def test_it_wins_from_a_told_board_and_blocks_on_one() -> None:
    four = [f"{x},7,1" for x in range(4, 8)]
    (_, win) = talk("START 15", "BOARD", *four, "3,7,2", "DONE")
    assert win == "8,7"
    theirs = [f"{x},7,2" for x in range(4, 8)]
    (_, block) = talk("START 15", "BOARD", *theirs, "3,7,1", "DONE")
    assert block == "8,7"


def test_the_rule_that_the_manager_tells_is_kept() -> None:
    five = ["2,7,1", "3,7,1", "4,7,1", "6,7,1", "7,7,1", "0,0,2", "14,0,2", "0,14,2", "14,14,2"]
    board = ["START 15", "BOARD", *five, "DONE"]
    assert talk("INFO rule 0", *board)[-1] == "5,7"
    assert talk("INFO rule 1", *board)[-1] != "5,7"


def test_blocked_points_are_never_used() -> None:
    blocked = [f"{x},{y},3" for x in range(5) for y in range(5) if (x, y) not in ((0, 0), (4, 4))]
    (_, move) = talk("START 5", "BOARD", *blocked, "0,0,2", "DONE")
    assert move == "4,4"


def test_rectangular_boards_are_played_inside() -> None:
    lines = ["RECTSTART 12,6", "BEGIN"]
    answers = talk(*lines)
    assert point(answers[1]) == (6, 3)
    bottom = [f"{x},5,{1 + x % 2}" for x in range(12)]
    x, y = point(talk("RECTSTART 12,6", "BOARD", *bottom, "DONE")[-1])
    assert 0 <= x < 12
    assert 0 <= y < 5


def test_moves_can_be_taken_back_played_and_forgotten() -> None:
    answers = talk(
        "START 15", "PLAY 3,3", "TAKEBACK 3,3", "TAKEBACK 3,3", "PLAY 3,3", "RESTART", "PLAY 3,3"
    )
    assert answers[:3] == ["OK", "3,3", "OK"]
    assert answers[3].startswith("ERROR there is no stone at 3,3")
    assert answers[4:] == ["3,3", "OK", "3,3"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("START 3", "ERROR boards go from 5"),
        ("START x", "ERROR expected a board size, not 'x'"),
        ("START", "ERROR expected a board size"),
        ("RECTSTART 9", "ERROR expected 2 numbers"),
        ("TURN 1,1", "ERROR there is no board yet"),
        ("BEGIN", "ERROR there is no board yet"),
        ("HELLO there", "UNKNOWN HELLO there"),
        ("YXSHOWINFO", "UNKNOWN"),
    ],
)
def test_what_makes_no_sense_is_answered(line: str, answer: str) -> None:
    (got,) = talk(line)
    assert got.startswith(answer)


@pytest.mark.parametrize("turn", ["TURN 7,7", "TURN 15,0", "TURN 1,-1", "TURN a,b", "TURN"])
def test_an_impossible_move_of_the_other_side_is_an_error(turn: str) -> None:
    assert talk("START 15", "PLAY 7,7", turn)[-1].startswith("ERROR")


def test_about_names_the_brain_and_info_is_taken_silently() -> None:
    (about,) = talk("INFO folder /tmp", "INFO unheard_of 7", "INFO", "ABOUT")
    assert about.startswith('name="Trireme", version="')


def test_swap2_is_played() -> None:
    three = talk("START 15", "SWAP2BOARD", "DONE")[-1].split()
    assert len({point(p) for p in three}) == 3
    answer = talk("START 15", "SWAP2BOARD", "7,7", "8,7", "7,8", "DONE")[-1]
    assert answer == "SWAP" or point(answer) not in ((7, 7), (8, 7), (7, 8))
    edge = ["SWAP2BOARD", "0,0", "7,7", "14,0", "8,8", "0,14", "DONE"]
    stays = talk("START 15", *edge)[-1]
    assert stays != "SWAP"  # white has two stones in the middle and the move
    assert talk("START 15", "SWAP2BOARD", "1,1", "DONE")[-1].startswith("ERROR swap2")


words = st.sampled_from(
    [
        "START",
        "RECTSTART",
        "BEGIN",
        "TURN",
        "BOARD",
        "DONE",
        "SWAP2BOARD",
        "PLAY",
        "TAKEBACK",
        "INFO",
    ]
)
garbage = st.one_of(
    st.text(max_size=20),
    st.builds("{} {}".format, words, st.sampled_from(["", "5", "1,1", "2,2,1", "9,9,9", "rule 4"])),
)


@settings(max_examples=settings().max_examples // 2)
@given(st.lists(garbage, max_size=8))
def test_no_input_breaks_the_brain(lines: list[str]) -> None:
    brain = Brain(seed=1)
    brain.answer("START 5")
    brain.answer("INFO timeout_turn 1")
    for line in lines:
        if line.strip().upper() != "END":
            assert all(isinstance(answer, str) for answer in brain.answer(line))
    brain.answer("DONE")
    brain.answer("INFO timeout_turn 1")
    (about,) = brain.answer("ABOUT")
    assert about.startswith("name=")


@pytest.mark.parametrize(
    ("info", "least", "most"),
    [
        ({"timeout_turn": 1000}, 0.9, 1.0),
        ({"timeout_turn": 0}, 0.01, 0.06),
        ({"timeout_turn": 5000, "timeout_match": 60000, "time_left": 2000}, 0.01, 0.2),
        ({"timeout_turn": 1000, "timeout_match": 0, "time_left": 2147483647}, 0.9, 1.0),
    ],
)
def test_the_budget_keeps_within_the_managers_clocks(
    info: dict[str, int], least: float, most: float
) -> None:
    brain = Brain()
    for key, value in info.items():
        brain.answer(f"INFO {key} {value}")
    assert least <= brain._budget() <= most


ENGINES = {
    "dead": "raise SystemExit(3)",
    "dies later": "input(); print('OK', flush=True); raise SystemExit('no more')",
    "silent": "import time; time.sleep(60)",
    "silent later": "input(); print('OK', flush=True); import time; time.sleep(60)",
    "refuses": "input(); print('ERROR too big', flush=True); input()",
    "garbage": "\nwhile True: input(); print('OK', flush=True)",
    "off the board": """
        while True:
            line = input()
            if line.startswith("START"): print("OK", flush=True)
            if line in ("BEGIN", "DONE"): print("99,99", flush=True)
        """,
    "takes a taken point": """
        while True:
            line = input()
            if line.startswith("START"): print("OK", flush=True)
            if line in ("BEGIN", "DONE"): print("7,7", flush=True)
        """,
    "talks for ever": """
        input(); print("OK", flush=True)
        while True: print("MESSAGE still thinking", flush=True)
        """,
}
REASONS = {
    "dead": ("process", "ended with status 3"),
    "dies later": ("process", "no more"),
    "silent": ("time", "no answer within"),
    "silent later": ("time", "no answer within"),
    "refuses": ("process", "too big"),
    "garbage": ("process", "expected a move such as 7,7"),
    "off the board": ("illegal", "off the board"),
    "takes a taken point": ("illegal", "has a stone already"),
    "talks for ever": ("time", "no answer within"),
}


def against(tmp_path: Path, kind: str) -> Result:
    """A game of a broken engine; only where its silence is what counts is the clock short."""
    source, waits = ENGINES[kind], REASONS[kind][0] == "time"
    script = tmp_path / "engine.py"
    script.write_text(textwrap.dedent(source), encoding="utf-8")
    command = f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"
    agent = Gomocup(command, startup=1.0 if kind == "silent" else 60.0)
    seconds = 0.5 if waits else 60.0
    try:
        return play(Gomoku(), [agent, "heuristic"], seconds=seconds, opening=["h8", "i9"])
    finally:
        agent.close()


@pytest.mark.parametrize("kind", ENGINES)
def test_a_broken_engine_forfeits_and_leaves_no_process(kind: str, tmp_path: Path) -> None:
    started: list[int] = []
    original = Gomocup.close

    def close(self: Gomocup) -> None:
        if self._process is not None:
            started.append(self._process._process.pid)
        original(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Gomocup, "close", close)
        result = against(tmp_path, kind)
    (fault,) = result.forfeits
    reason, detail = REASONS[kind]
    assert fault.seat == 0
    assert fault.reason == reason
    assert detail in fault.detail
    assert started
    for pid in started:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_command_that_does_not_exist_is_an_error_and_no_forfeit() -> None:
    with pytest.raises(AgentNotReady, match=r"can't run '\./no-such-engine'"):
        play(Gomoku(), [Gomocup("./no-such-engine"), "random"], seed=1)


@pytest.mark.parametrize("spec", ["gomocup", 'gomocup:cmd=""', 'gomocup:cmd="\'"'])
def test_a_spec_without_a_command_is_refused(spec: str) -> None:
    with pytest.raises(BadSpec):
        make_agent("gomoku", spec)


@pytest.mark.slow
@pytest.mark.parametrize("opening", ["none", "swap2"])
def test_our_brain_plays_our_brain_through_real_processes(opening: str) -> None:
    game = Gomoku(opening=opening)  # type: ignore[arg-type]
    agents = [Gomocup(BRAIN, seconds=0.2, startup=120.0) for _ in range(2)]
    try:
        result = play(game, agents, seed=1)
    finally:
        for agent in agents:
            agent.close()
    assert not result.forfeits
    assert not game.to_move(result.state)
    assert (opening == "swap2") == bool(result.state.choices)
