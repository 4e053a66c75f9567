"""`trireme puzzle` at a terminal: solved, left, made, checked, and given nonsense."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trireme.cli import puzzle as command
from trireme.core import puzzles as core
from trireme.core.puzzles import Puzzle, daily_puzzle, load_puzzles, puzzles_of

from .test_terminal import trireme


def easiest(game: str) -> Puzzle:
    return next(iter(puzzles_of(game).values()))


def ratings(folder: Path) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = json.loads((folder / "runs/puzzles.json").read_text())
    return found


def test_a_solved_puzzle_raises_the_rating_once(tmp_path: Path) -> None:
    puzzle = easiest("battleship")
    said = "\n".join(puzzle.solution) + "\n"
    done = trireme("puzzle", "battleship", "--id", puzzle.id, cwd=tmp_path, said=said)
    assert done.returncode == 0
    assert "\nSolved.\n" in done.stdout
    assert f"Trireme · Battleship puzzle {puzzle.id}" in done.stdout
    kept = ratings(tmp_path)["battleship"]
    assert kept["done"] == [puzzle.id]
    assert float(str(kept["rating"])) > core.FIRST_RATING
    again = trireme("puzzle", "solve", "battleship", "--id", puzzle.id, cwd=tmp_path, said=said)
    assert "Tried before" in again.stdout
    assert ratings(tmp_path)["battleship"] == kept


def test_a_missed_puzzle_shows_a_solution_and_lowers_the_rating(tmp_path: Path) -> None:
    puzzle = next(p for p in puzzles_of("navigation").values() if p.kind == "outgun")
    said = "--------\n\n"
    done = trireme("puzzle", "navigation", "--id", puzzle.id, cwd=tmp_path, said=said)
    assert "Not solved." in done.stdout
    assert f"A solution: {puzzle.solution[0]}" in done.stdout
    assert float(str(ratings(tmp_path)["navigation"]["rating"])) < core.FIRST_RATING


def test_a_puzzle_that_is_left_does_not_count(tmp_path: Path) -> None:
    for said in ("quit\n", "", "nonsense\nA1\n"):
        done = trireme("puzzle", "battleship", "--daily", cwd=tmp_path, said=said)
        assert done.returncode == 0
        assert "does not count" in done.stdout
        assert not (tmp_path / "runs").exists()


def test_programs_can_not_be_asked(tmp_path: Path) -> None:
    said = "hint\nodds\nundo\nhelp\nquit\n"
    told = trireme("puzzle", "battleship", cwd=tmp_path, said=said).stdout
    for word in ("hint", "odds", "undo"):
        assert f"{word} is not allowed in a puzzle" in told
    assert "draw the board again" in told
    assert "where ships probably lie" not in told


def test_the_daily_puzzle_and_one_near_a_rating(tmp_path: Path) -> None:
    today = datetime.now(UTC).date()
    told = trireme("puzzle", "navigation", "--daily", cwd=tmp_path, said="quit\n").stdout
    assert daily_puzzle("navigation", today).id in told
    told = trireme("puzzle", "navigation", "--rating", "9000", cwd=tmp_path, said="quit\n").stdout
    assert f"rated {max(p.rating for p in puzzles_of('navigation').values())}" in told


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["chess"], "unknown game"),
        (["gomoku", "--id", "nothing"], "no puzzle with the id"),
        (["gomoku", "--daily", "--rating", "1"], "exclude each other"),
        (["gomoku", "--rating", "high"], "--rating"),
        (["check", "gomoku", "missing.jsonl"], "there is no file"),
        (["check", "gomoku", "bad.jsonl"], "line 1"),
        (["make", "gomoku", "--out", "bad.jsonl"], "exists already"),
        (["make", "gomoku", "--out", "x", "--count", "0"], "--count"),
    ],
)
def test_nonsense_is_refused_in_one_line(arguments: list[str], why: str, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("nonsense\n")
    done = trireme("puzzle", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert why in done.stderr
    assert "Traceback" not in done.stderr


def test_a_broken_file_of_ratings_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/puzzles.json").write_text("[1")
    done = trireme("puzzle", "gomoku", cwd=tmp_path)
    assert done.returncode == 2
    assert "move it away" in done.stderr
    assert (tmp_path / "runs/puzzles.json").read_text() == "[1"


def test_puzzles_are_made_appended_and_checked(tmp_path: Path) -> None:
    out = tmp_path / "more.jsonl.gz"
    arguments = ["puzzle", "make", "battleship", "--out", str(out), "--seed", "5"]
    made = trireme(*arguments, "--count", "2", cwd=tmp_path)
    assert "2 puzzles written" in made.stdout
    first = load_puzzles(out)
    trireme(*arguments, "--count", "1", "--append", cwd=tmp_path)
    assert load_puzzles(out)[:2] == first
    assert len({puzzle.id for puzzle in load_puzzles(out)}) == 3
    good = trireme("puzzle", "check", "battleship", str(out), cwd=tmp_path)
    assert (good.returncode, good.stdout.splitlines()[-1]) == (0, "3 of 3 puzzles are right")
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(core.encode_puzzles([first[0], easiest("gomoku")]))
    wrong = trireme("puzzle", "check", "battleship", str(bad), cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout.splitlines()[-1]) == (1, "1 of 2 puzzles are right")


def test_control_c_keeps_the_puzzles_made_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(game: str, seed: int):  # type: ignore[no-untyped-def]
        yield easiest(game)
        yield None
        raise KeyboardInterrupt

    monkeypatch.setattr(command.core, "make_puzzles", interrupted)
    out = tmp_path / "some.jsonl"
    done = trireme("puzzle", "make", "gomoku", "--out", str(out), cwd=tmp_path)
    assert done.returncode == 0
    assert load_puzzles(out) == [easiest("gomoku")]
    assert [path.name for path in tmp_path.iterdir()] == ["some.jsonl"]
