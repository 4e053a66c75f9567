"""What a model said is kept beside the record, by every way of playing, and shown in replays."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from trireme.arena import Match, entrants, run_match, start
from trireme.cli import app
from trireme.core.errors import RecordError
from trireme.core.record import load_record
from trireme.core.registry import make_game
from trireme.core.transcript import (
    Exchange,
    load_transcript,
    read_transcript,
    transcript_path,
    write_transcript,
)
from trireme.llm.scripted import ScriptedEndpoint

from .scripts import first_legal, spec

ONE = Exchange("m", "what now?", '{"action": "a1"}', "a1", seat=1, move=3, cost=0.5, tokens_in=7)


def test_a_transcript_is_read_as_it_was_written() -> None:
    text = write_transcript([ONE, Exchange("m", "ü", kind="transport", problem="no")])
    assert read_transcript(text) == [ONE, Exchange("m", "ü", kind="transport", problem="no")]
    assert read_transcript(text[:-5]) == [ONE]
    with pytest.raises(RecordError, match="line 2"):
        read_transcript(write_transcript([ONE]) + "{}\n")


def test_the_arena_keeps_transcripts_beside_records(tmp_path: Path) -> None:
    game = make_game("gomoku:size=5")
    with ScriptedEndpoint(first_legal) as endpoint:
        agents = entrants(game, [f"model={spec(endpoint)}", "random"])
        folder = start(Match(game, agents, games=2), tmp_path / "run")
        run_match(folder, executor="serial")
    for number in (0, 1):
        record = load_record(folder.record_path(number))
        said = load_transcript(folder.record_path(number))
        assert said
        assert {e.seat for e in said} == {record.header.seats.index("model")}
        assert all(record.moves[e.move - 1] == {e.seat: e.action} for e in said)
    taken = folder.withdraw([0])
    assert not transcript_path(folder.record_path(0)).exists()
    folder.add(taken[0])
    assert load_transcript(folder.record_path(0))


def test_the_terminal_keeps_a_transcript_and_replays_what_was_said(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    with ScriptedEndpoint(first_legal) as endpoint:
        command = ["play", "gomoku", "--mode", "aivai", "--set", "size=5", "--pause", "0"]
        command += ["--agent", spec(endpoint), "--agent", "random", "--record", str(record)]
        played = CliRunner().invoke(app, [*command, "--time", "60", "--seed", "1"])
    assert played.exit_code == 0, played.output
    assert transcript_path(record) == tmp_path / "game.transcript.jsonl"
    assert load_transcript(record)[0].action == "a1"
    shown = CliRunner().invoke(app, ["replay", str(record), "--move", "1"])
    assert "said (script, " in shown.output
    assert "│ I thought about it." in shown.output
    other = CliRunner().invoke(app, ["replay", str(record), "--move", "1", "--seat", "1"])
    assert "I thought" not in other.output


def test_what_a_model_said_can_not_control_the_terminal(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    with ScriptedEndpoint(lambda _: "\x1b[2J\x07 no") as endpoint:
        command = ["play", "gomoku", "--mode", "aivai", "--set", "size=5", "--pause", "0"]
        command += ["--agent", spec(endpoint), "--agent", "random", "--record", str(record)]
        CliRunner().invoke(app, [*command, "--time", "60"])
    shown = CliRunner().invoke(app, ["replay", str(record)])
    assert "forfeits" in shown.output
    assert "Refused: There is no JSON object" in shown.output
    assert "\x1b[2J" not in shown.output
    assert "\x07" not in shown.output


def test_a_game_without_a_model_has_no_transcript(tmp_path: Path) -> None:
    record = tmp_path / "game.jsonl"
    command = ["play", "gomoku", "--mode", "aivai", "--set", "size=5", "--pause", "0"]
    CliRunner().invoke(app, [*command, "--agent", "random", "--record", str(record)])
    assert [file.name for file in tmp_path.iterdir()] == ["game.jsonl"]
    assert load_transcript(record) == []
