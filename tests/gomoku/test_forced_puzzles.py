"""Puzzles of Gomoku: one first move wins, and positions with two of them are refused."""

from __future__ import annotations

import pytest

from trireme.core.errors import BadPuzzle
from trireme.core.lessons import LessonGoal
from trireme.core.puzzles import Puzzle
from trireme.gomoku.puzzles import GomokuPuzzles


def puzzle(position: str, *solution: str, within: int = 2, kind: str = "win") -> Puzzle:
    goal = LessonGoal(kind, within=within)
    return Puzzle("vcf", 1000, "", "", goal, solution, settings={"position": position})


@pytest.fixture(scope="module")
def maker() -> GomokuPuzzles:
    return GomokuPuzzles()


def test_an_open_three_has_two_winning_moves(maker: GomokuPuzzles) -> None:
    with pytest.raises(BadPuzzle, match="another first move"):
        maker.check(puzzle("g8a1h8a3i8a5", "j8"))


CLOSED_THREES = "b8a8c8h4d8a1h5a3h6a5h7o1"
"""Two closed threes, b8 c8 d8 behind a8 and h5 h6 h7 behind h4: their fours do not meet."""


def test_fours_that_do_not_meet_win_nothing(maker: GomokuPuzzles) -> None:
    with pytest.raises(BadPuzzle, match="shortest win"):
        maker.check(puzzle(CLOSED_THREES, "e8"))


CROSSED = "j2f3i4k5e8j4h5g6e6j6e9e7f8i7h8l4m3g8h6g7"
"""Two fours meet in h7, and white is close to a win of its own."""


def test_a_double_four_is_the_only_move(maker: GomokuPuzzles) -> None:
    maker.check(puzzle(CROSSED, "h7"))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (puzzle(CROSSED, "i8"), "escapes|another|shortest"),
        (puzzle(CROSSED, "h7", within=3), "shortest"),
        (puzzle(CROSSED, "h7", "a15"), "last four"),
        (puzzle(CROSSED, "e8"), "empty points"),
        (puzzle(CROSSED + "o15", "h7"), "black must be to move"),
        (puzzle(CROSSED, "h7", kind="play"), "win by fours"),
    ],
)
def test_wrong_claims_are_refused(maker: GomokuPuzzles, changed: Puzzle, why: str) -> None:
    with pytest.raises(BadPuzzle, match=why):
        maker.check(changed)


def test_other_rules_are_refused(maker: GomokuPuzzles) -> None:
    goal = LessonGoal("win", within=2)
    settings = {"position": CROSSED, "rule": "freestyle"}
    with pytest.raises(BadPuzzle, match="standard rule"):
        maker.check(Puzzle("vcf", 1000, "", "", goal, ("h7",), settings=settings))
