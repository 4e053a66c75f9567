"""`trireme review`: a table, JSON, a page, and playing a moment again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

import trireme
from trireme.cli import app, play
from trireme.cli.review import sparkline
from trireme.core.errors import BadSpec, RecordError
from trireme.core.registry import make_game

RUNNER = CliRunner(env={"COLUMNS": "160", "TERM": "dumb"})
FLEETS = {0: "A1-A2", 1: "E4-E5"}


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A duel on 5×5 in which seat 0 fires at water although it has hit a ship."""
    return write(tmp_path, ["posterior", "evil.py:Bot"])


def write(folder: Path, seats: list[str], moves: int = 99) -> Path:
    game = make_game("battleship", duel=True, rows=5, cols=5, fleet=(2,))
    opening: list[Any] = [FLEETS, "E4", "C3", "A1", "C4", "B1", "C5", "E5"]
    path = folder / "game.jsonl"
    trireme.Session(game, seats, seed=1, opening=opening[:moves]).record.save(path)
    return path


def test_the_review_is_printed_as_a_table(record: Path) -> None:
    found = RUNNER.invoke(app, ["review", str(record)])
    assert found.exit_code == 0, found.output
    assert "accuracy" in found.stdout
    assert "shots lost" in found.stdout
    assert "1. Move 4, posterior: A1 costs 1." in found.stdout
    assert "more cost little or nothing (--all)" in found.stdout
    whole = RUNNER.invoke(app, ["review", str(record), "--all"])
    assert "more cost little" not in whole.stdout
    assert len(whole.stdout.splitlines()) > len(found.stdout.splitlines())


def test_json_is_the_review_itself(record: Path) -> None:
    found = RUNNER.invoke(app, ["review", str(record), "--json", "--seed", "3"])
    assert found.exit_code == 0, found.output
    assert msgspec.json.decode(found.stdout, type=trireme.Review) == trireme.review(record, seed=3)
    one = RUNNER.invoke(app, ["review", str(record), "--json", "--seat", "1"])
    assert {move["seat"] for move in json.loads(one.stdout)["moves"]} == {1}


def test_the_page_is_written(record: Path, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    found = RUNNER.invoke(app, ["review", str(record), "--html", str(page)])
    assert found.exit_code == 0, found.output
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_what_can_not_be_reviewed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("nonsense\n", encoding="utf-8")
    assert isinstance(RUNNER.invoke(app, ["review", str(path)]).exception, RecordError)
    running = write(tmp_path, ["a", "b"], moves=4)
    assert "not over" in str(RUNNER.invoke(app, ["review", str(running)]).exception)
    assert RUNNER.invoke(app, ["review", str(running), "--seat", "0"]).exit_code == 0
    assert isinstance(
        RUNNER.invoke(app, ["review", str(running), "--seat", "7"]).exception, BadSpec
    )


def test_a_moment_is_played_again_from_its_position(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[Any, ...]] = []
    monkeypatch.setattr(play, "play_on", lambda *given: begun.append(given))
    assert RUNNER.invoke(app, ["review", str(record), "--try-again", "1"]).exit_code == 0
    game, seats, opening = begun[0]
    assert seats == ["human", "posterior"], "a record can't name a file to run"
    assert len(opening) == 3
    assert game == trireme.load_record(record).game


def test_a_moment_that_is_not_there_is_refused(record: Path, tmp_path: Path) -> None:
    for number in ("0", "4", "-1"):
        found = RUNNER.invoke(app, ["review", str(record), "--try-again", number])
        assert "--try-again must be from 1 to" in str(found.exception)
    running = write(tmp_path, ["a", "b"], moves=6)
    found = RUNNER.invoke(app, ["review", str(running), "--seat", "0", "--try-again", "1"])
    assert "the game is not over" in str(found.exception)


def test_an_agent_of_the_record_plays_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[Any, ...]] = []
    monkeypatch.setattr(play, "play_on", lambda *given: begun.append(given))
    path = write(tmp_path, ["you", "hunt"])
    assert RUNNER.invoke(app, ["review", str(path), "--try-again", "1"]).exit_code == 0
    assert begun[0][1] == ["human", "hunt"]


def test_a_curve_fits_into_one_line() -> None:
    assert sparkline([]) == ""
    assert sparkline([0.0, 1.0]) == "▁█"
    assert sparkline([4.0, 2.0, 0.0]) == "█▅▁"
    assert len(sparkline([0.5] * 1000)) <= 24
