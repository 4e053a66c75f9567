"""Notes: what agents say about their actions is in the record, wherever they play."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trireme import make_game, parse_record, play
from trireme.arena import Match, entrants, run_match, start
from trireme.cli import app
from trireme.core.move_report import MOST_NOTE, MoveReport
from trireme.core.record import load_record
from trireme.core.session import Session

TALKER = """
class Talker:
    name = "talker"
    def act(self, turn):
        self.note = f"of {len(turn.legal)}"
        return next(iter(turn.legal))
"""


class Noting:
    """Plays the first legal action and notes what it is told to."""

    name = "noting"

    def __init__(self, note: Any) -> None:
        self._note = note

    def act(self, turn: Any) -> Any:
        return next(iter(turn.legal))

    @property
    def note(self) -> Any:
        if isinstance(self._note, BaseException):
            raise self._note
        return self._note


def notes_of(note: Any) -> Any:
    return play("gomoku:size=5", [Noting(note), "random"], seed=1).record.notes


def test_a_note_stands_at_its_move_under_its_seat() -> None:
    notes = notes_of("hm\n\x1b[2J")
    assert notes[0] == {0: "hm\n\x1b[2J"}
    assert notes[1] == {}


@pytest.mark.parametrize("note", ["", None, 5, b"x", ValueError("no"), SystemExit()])
def test_what_is_no_text_is_no_note_and_no_forfeit(note: Any) -> None:
    result = play("gomoku:size=5", [Noting(note), "random"], seed=1)
    assert not any(result.record.notes)
    assert result.forfeits == ()


def test_a_note_is_cut_and_made_writable() -> None:
    assert len(notes_of("x" * 9999)[0][0]) == MOST_NOTE
    assert notes_of("a\ud800b")[0][0] == "a?b"


def test_notes_of_both_seats_share_a_joint_move() -> None:
    record = play("navigation", [Noting("one"), Noting("two")], seed=1).record
    assert set(map(str, record.notes)) == {"{0: 'one', 1: 'two'}"}


def test_a_move_taken_back_takes_its_note_along() -> None:
    session = Session(make_game("gomoku"), ["a", "b"], seed=1)
    session.move({0: (7, 7)}, {0: MoveReport(0.1, note="centre")})
    session.move({1: (7, 8)}, {1: MoveReport(0.1, note="beside")})
    session.undo()
    session.move({1: (8, 8)})
    assert session.record.notes == ({0: "centre"}, {})
    assert parse_record(session.record.text).notes == session.record.notes


@pytest.mark.slow
def test_an_isolated_agent_leaves_notes_too(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(TALKER)
    game = make_game("gomoku", size=5)
    found = {}
    for isolate in (True, False):
        named = entrants(game, [f"{tmp_path / 'bots.py'}:Talker", "random"])
        match = Match(game, named, games=2, isolate=isolate)
        folder = start(match, tmp_path / str(isolate))
        run_match(folder, executor="serial")
        files = sorted((folder.path / "records").rglob("*.jsonl"))
        found[isolate] = [load_record(path).notes for path in files]
    assert found[True] == found[False]
    assert found[True][0][0] == {0: "of 25"}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    play("gomoku:size=5", [Noting("hm\x1b"), "random"], seed=1).record.save(path)
    return path


def replay(*words: str) -> str:
    shown = CliRunner().invoke(app, ["replay", *words])
    assert shown.exit_code == 0, shown.output
    return shown.output


def test_a_replay_shows_notes_to_those_who_may_know_them(record: Path) -> None:
    assert "noting noted:\n  │ hm�" in replay(str(record), "--move", "1")
    assert "noted" in replay(str(record), "--move", "1", "--seat", "0")
    assert "noted" not in replay(str(record), "--move", "1", "--seat", "1")


def test_a_replay_of_an_unfinished_game_keeps_notes_secret(record: Path) -> None:
    unfinished = record.with_name("unfinished.jsonl")
    unfinished.write_text("".join(record.read_text().splitlines(keepends=True)[:-1]))
    assert "noted" not in replay(str(unfinished), "--move", "1")
    assert "noted" in replay(str(unfinished), "--move", "1", "--seat", "0")
