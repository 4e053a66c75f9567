"""Diagnoses: a crashed bot's traceback and prints are kept with the game, and shown everywhere."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from trireme import AgentNotReady, TriremeError, make_game
from trireme.arena import Folder, Match, entrants, run_match, start, write_reports
from trireme.arena.diagnosis import diagnosis_path, load_diagnosis, place_of
from trireme.arena.forfeit_causes import ForfeitReport, forfeit_causes
from trireme.arena.run import HeldRounds, progress_of
from trireme.cli.standings import print_report
from trireme.core.output_tail import MAX_OUTPUT, OutputTail

GAME = make_game("gomoku", size=7)
BOT = """
import sys
class Crashes:
    name = "crashes"
    def act(self, turn):
        print("thinking aloud", len(turn.view.stones))
        print("to standard error", file=sys.stderr)
        if len(turn.view.stones) > 5:
            return self.fail([])
        return turn.legal.sample(turn.rng)
    def fail(self, empty):
        return empty[3]
class Talks:
    name = "talks"
    def act(self, turn):
        print("x" * 5000)
        return turn.legal.sample(turn.rng)
class Quiet:
    name = "quiet"
    def act(self, turn):
        return turn.legal.sample(turn.rng)
"""
LINE = BOT.splitlines().index("        return empty[3]") + 1
PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "bye":
        break
    print("a turn", file=sys.stderr, flush=True)
    if message["type"] == "turn" and len(message["view"]["stones"]) > 5:
        raise ValueError("out of ideas")
    answer = {"ready": True} if message["type"] == "hello" else {"action": message["example"]}
    print(json.dumps(answer), flush=True)
"""


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    (tmp_path / "bots.py").write_text(BOT)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def played(path: Path, agent: str, *, isolate: bool = True, executor: str = "serial") -> Folder:
    agents = entrants(GAME, [agent, "random"], isolate=isolate)
    folder = start(Match(GAME, agents, games=2, isolate=isolate), path / "run")
    run_match(folder, executor=executor, workers=1)
    return folder


@pytest.mark.parametrize(
    ("isolate", "executor"), [(True, "serial"), (False, "serial"), (True, "processes")]
)
@pytest.mark.slow
def test_a_crash_leaves_its_traceback_and_prints(bots: Path, isolate: bool, executor: str) -> None:
    folder = played(bots, f"{bots}/bots.py:Crashes", isolate=isolate, executor=executor)
    for number, seat in ((0, 0), (1, 1)):
        found = load_diagnosis(folder.record_path(number))
        assert found is not None
        assert found.game == number
        (fault,) = found.seats
        assert (fault.seat, fault.agent, fault.reason) == (
            seat,
            f"{bots}/bots.py:Crashes",
            "exception",
        )
        assert (fault.file, fault.line) == ("bots.py", LINE)
        assert fault.detail == f"IndexError: list index out of range (bots.py, line {LINE})"
        assert "return empty[3]" in fault.traceback
        assert "guarded_agents.py" not in fault.traceback
        assert f"thinking aloud {6 + seat}" in fault.output  # the stones that it failed at
        assert "to standard error" in fault.output


@pytest.mark.slow
def test_the_output_of_one_game_is_not_that_of_the_next(bots: Path) -> None:
    folder = played(bots, f"{bots}/bots.py:Crashes")
    first, second = (load_diagnosis(folder.record_path(n)) for n in (0, 1))
    assert first is not None
    assert second is not None
    assert first.seats[0].output.count("aloud") == 2  # at 4 and 6 stones
    assert second.seats[0].output.count("aloud") == 3  # at 3, 5 and 7


def test_a_program_leaves_its_standard_error(bots: Path) -> None:
    folder = played(bots, f'process:cmd="{sys.executable} {bots}/program.py"')
    found = load_diagnosis(folder.record_path(0))
    assert found is not None
    (fault,) = found.seats
    assert fault.reason == "process"
    assert fault.output.count("a turn") == 3  # the greeting and two turns
    assert "ValueError: out of ideas" in fault.output
    assert "out of ideas" in fault.detail


@pytest.mark.slow
def test_prints_are_bounded_and_silence_leaves_nothing(bots: Path) -> None:
    talk = played(bots, f"{bots}/bots.py:Talks")
    found = load_diagnosis(talk.record_path(0))
    assert found is not None
    (seat,) = found.seats
    assert seat.reason == ""
    assert MAX_OUTPUT <= len(seat.output) < MAX_OUTPUT + 10
    assert seat.output.startswith("[...]\n")
    quiet = played(bots / "quiet", f"{bots}/bots.py:Quiet")
    assert load_diagnosis(quiet.record_path(0)) is None


@pytest.mark.slow
def test_too_much_printing_is_kept_of_forfeits_only(
    bots: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trireme.arena.folder.MAX_PRINTED", 1)
    talk = played(bots, f"{bots}/bots.py:Talks")
    kept = [diagnosis_path(talk.record_path(n)).exists() for n in (0, 1)]
    assert sorted(kept) == [False, True]
    crash = played(bots / "crash", f"{bots}/bots.py:Crashes")
    assert all(diagnosis_path(crash.record_path(n)).exists() for n in (0, 1))


def test_the_end_of_much_output_is_kept() -> None:
    tail = OutputTail()
    tail.add(b"x" * MAX_OUTPUT)
    assert tail.text() == "x" * MAX_OUTPUT
    tail.add("é".encode() + b"\xff")
    assert tail.text().startswith("[...]\nxxx")
    assert tail.take().endswith("é\N{REPLACEMENT CHARACTER}")
    assert tail.text() == ""


def test_report_and_terminal_show_file_and_line(
    bots: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "240")
    folder = played(bots, f"bot={bots}/bots.py:Crashes")
    report = write_reports(folder, progress_of(folder))
    page = (folder.path / "report.html").read_text()
    assert f"IndexError: list index out of range (bots.py, line {LINE})" in page
    assert "return empty[3]" in page
    assert "thinking aloud 6" in page
    plain = json.loads((folder.path / "report.json").read_bytes())
    (cause,) = plain["forfeit_causes"]
    assert (cause["agent"], cause["file"], cause["line"], cause["games"]) == (
        "bot",
        "bots.py",
        LINE,
        2,
    )
    print_report(folder, report)
    said = capsys.readouterr().out
    assert f"IndexError: list index out of range (bots.py, line {LINE})" in said
    assert f"trireme debug {folder.path} 0" in said


@pytest.mark.slow
def test_what_agents_say_can_not_steer_the_terminal(
    bots: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = BOT.replace("return empty[3]", r'raise ValueError("\x1b[2J[bold]rude[/bold]")')
    (bots / "bots.py").write_text(text)
    folder = played(bots, f"bot={bots}/bots.py:Crashes")
    print_report(folder, write_reports(folder, progress_of(folder)))
    said = capsys.readouterr().out
    assert "\x1b[2J" not in said
    assert "[bold]rude[/bold]" in said


@pytest.mark.slow
def test_a_diagnosis_is_withdrawn_with_its_game(bots: Path) -> None:
    folder = played(bots, f"{bots}/bots.py:Crashes")
    before = diagnosis_path(folder.record_path(1)).read_text()
    folder.withdraw([0])
    assert not diagnosis_path(folder.record_path(0)).exists()
    progress = progress_of(folder)
    with HeldRounds(folder, progress):
        assert not diagnosis_path(folder.record_path(1)).exists()
    assert diagnosis_path(folder.record_path(1)).read_text() == before


@pytest.mark.parametrize("text", ["", "[]", '{"game": 1}', "[" * 5000, "\x00"])
def test_a_broken_diagnosis_is_an_error(tmp_path: Path, text: str) -> None:
    record = tmp_path / "000000.jsonl"
    assert load_diagnosis(record) is None
    diagnosis_path(record).write_text(text)
    with pytest.raises(TriremeError, match="is no diagnosis"):
        load_diagnosis(record)


@pytest.mark.parametrize(
    ("detail", "place"),
    [
        ("KeyError: 3 (my_bot.py, line 12)", ("my_bot.py", 12)),
        ("ValueError: raised in my_bot.py, line 7", ("my_bot.py", 7)),
        ("the program ended with status 1", ("", 0)),
        ("see my_bot.py, line 7 for more", ("", 0)),
    ],
)
def test_the_place_of_a_fault(detail: str, place: tuple[str, int]) -> None:
    assert place_of(detail) == place


def test_forfeits_are_grouped_by_agent_reason_and_line() -> None:
    details = [
        "KeyError: 1 (a.py, line 1)",
        "KeyError: 2 (a.py, line 2)",
        "KeyError: 3 (a.py, line 2)",
    ]
    causes = forfeit_causes(ForfeitReport(n, "bot", "exception", d) for n, d in enumerate(details))
    assert [(c.games, c.first, c.line, c.detail) for c in causes] == [
        (2, 1, 2, details[1]),
        (1, 0, 1, details[0]),
    ]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import no_such_module", "No module named 'no_such_module'"),
        ("print('hello')", "expected one JSON object"),
        ("", "ended with status 0"),
    ],
)
def test_a_program_that_can_not_start_stops_the_match(tmp_path: Path, code: str, why: str) -> None:
    (tmp_path / "program.py").write_text(code)
    agent = f'bot=process:cmd="{sys.executable} {tmp_path}/program.py"'
    made: Any = Match(GAME, entrants(GAME, [agent, "random"]), games=2)
    with pytest.raises(AgentNotReady, match="bot can't start: ") as refused:
        start(made, tmp_path / "run")
    assert why in str(refused.value)
    assert not (tmp_path / "run").exists()
