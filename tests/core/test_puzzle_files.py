"""Puzzles without the engines that make them: starts, claims, choices and files."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import msgspec
import pytest

from trireme.core import puzzles
from trireme.core.errors import BadPuzzle, BadSpec, TriremeError
from trireme.core.lessons import LEARNER, LessonGoal
from trireme.core.puzzles import (
    K_FACTOR,
    Puzzle,
    PuzzleReview,
    check_puzzle,
    daily_puzzle,
    decode_puzzles,
    encode_puzzles,
    faults_of,
    load_puzzles,
    make_puzzles,
    new_rating,
    next_puzzle,
    puzzle_game,
    puzzle_start,
    share_text,
)

WIN = LessonGoal("win", within=2)


def puzzle(rating: int = 1000, opening: tuple[str, ...] = (), title: str = "Five") -> Puzzle:
    return Puzzle("vcf", rating, title, "Win.", WIN, ("a1",), {"size": 5}, opening)


class Maker:
    """Finds every claim right but those about Sunday, and makes what it is given."""

    made: tuple[Puzzle | None, ...] = ()

    def puzzles(self, rng: object) -> Iterator[Puzzle | None]:
        yield from self.made

    def check(self, claimed: Puzzle) -> None:
        if claimed.title == "Sunday":
            raise BadPuzzle("not on Sundays")


@pytest.fixture(autouse=True)
def _maker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzles, "maker_of", lambda _: Maker())


def test_the_moves_of_the_opening_lead_to_the_solver() -> None:
    claimed = puzzle(opening=("a1", "b2"))
    moves = puzzle_start(puzzle_game("gomoku", claimed), claimed)
    assert [dict(m.actions) for m in moves] == [{LEARNER: (0, 0)}, {1: (1, 1)}]
    assert moves[0].after == moves[1].before
    assert moves[1].after.stones == ((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("opening", "why"),
    [(("a1",), "not to move"), (("a1", "a1"), "taken|stone"), (("a1", "z9"), "z9")],
)
def test_a_claim_is_checked_from_its_start_on(opening: tuple[str, ...], why: str) -> None:
    with pytest.raises(TriremeError, match=why):
        check_puzzle("gomoku", puzzle(opening=opening))
    check_puzzle("gomoku", puzzle())


def test_moves_that_seats_make_together_are_no_opening() -> None:
    claimed = msgspec.structs.replace(puzzle(opening=("--------",)), settings={})
    with pytest.raises(BadPuzzle, match="nobody moves alone before the opening move '--------'"):
        check_puzzle("navigation", claimed)


def test_each_puzzle_has_its_fault_or_none() -> None:
    sunday = puzzle(title="Sunday")
    assert list(faults_of("gomoku", [puzzle(), sunday, puzzle(opening=("a1",))])) == [
        None,
        f"{sunday.id}: not on Sundays",
        f"{puzzle(opening=('a1',)).id}: the solver is not to move after the opening",
    ]


def test_no_puzzle_is_made_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = puzzle(1), puzzle(2)
    monkeypatch.setattr(Maker, "made", (one, None, one, two, one))
    assert list(make_puzzles("gomoku", 1)) == [one, None, None, two, None]


def test_a_file_has_a_greatest_length_packed_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = encode_puzzles([puzzle()])
    monkeypatch.setattr(puzzles, "MAX_FILE_BYTES", len(line) + 1)
    for more, data in ((0, line), (1, line + b"\n"), (2, line + b"\n\n")):
        path = tmp_path / str(more)
        path.write_bytes(data)
        for read in (
            lambda data=data: decode_puzzles(gzip.compress(data, mtime=0), "a file"),
            lambda path=path: load_puzzles(path),
        ):
            if more < 2:
                assert read() == [puzzle()]
            else:
                with pytest.raises(BadPuzzle, match=f"longer than {len(line) + 1} bytes"):
                    read()


def test_empty_lines_are_skipped_and_counted() -> None:
    line = encode_puzzles([puzzle()])
    assert decode_puzzles(b"\n" + line + b" \n" + line, "a file") == [puzzle(), puzzle()]
    with pytest.raises(BadPuzzle, match=r"^a file, line 4: "):
        decode_puzzles(b"\n" + line + b"\n{}", "a file")


def test_a_packed_file_has_no_time_in_it() -> None:
    packed = encode_puzzles([puzzle(), puzzle(2)], packed=True)
    assert packed[:2] == b"\x1f\x8b"
    assert packed[4:8] == bytes(4)
    assert gzip.decompress(packed) == encode_puzzles([puzzle(), puzzle(2)])


def test_puzzles_are_chosen_by_day_and_by_rating(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {p.id: p for p in (puzzle(r) for r in (900, 1000, 1010, 1100))}
    monkeypatch.setattr(puzzles, "puzzles_of", lambda _: found)
    day = date.fromordinal(4 * 1000)
    days = [daily_puzzle("gomoku", date.fromordinal(day.toordinal() + n)).id for n in range(5)]
    assert days == [*sorted(found), sorted(found)[0]]
    assert [next_puzzle("gomoku", r).rating for r in (0, 1004, 1006, 9999)] == [
        900, 1000, 1010, 1100,
    ]  # fmt: skip
    tied = sorted([puzzle(1000).id, puzzle(1010).id])
    assert next_puzzle("gomoku", 1005).id == tied[0], "of equally near ones the first by id"
    assert next_puzzle("gomoku", 1005, {tied[0]}).id == tied[1]
    monkeypatch.setattr(puzzles, "puzzles_of", lambda _: {})
    for ask in (lambda: next_puzzle("gomoku", 1), lambda: daily_puzzle("gomoku", day)):
        with pytest.raises(BadSpec, match="gomoku has no puzzles"):
            ask()


@pytest.mark.parametrize("ahead", [-800, -400, 0, 400, 800])
def test_a_rating_moves_by_the_surprise(ahead: int) -> None:
    expected = {-800: 100 / 101, -400: 10 / 11, 0: 1 / 2, 400: 1 / 11, 800: 1 / 101}[ahead]
    assert new_rating(1500, 1500 + ahead, True) == pytest.approx(1500 + K_FACTOR * (1 - expected))
    assert new_rating(1500, 1500 + ahead, False) == pytest.approx(1500 - K_FACTOR * expected)


def test_without_moves_the_shared_text_begins_with_the_result() -> None:
    text = share_text("battle_navigation", puzzle(7), "missed", PuzzleReview((), "note"))
    assert text == f"Trireme · Battle navigation puzzle {puzzle(7).id}\nnot solved, rated 7"
