"""Puzzles of Gomoku: one first move wins, and positions with two of them are refused."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from trireme.core.errors import BadPuzzle
from trireme.core.lessons import LessonGoal, LessonMove
from trireme.core.puzzles import Puzzle
from trireme.gomoku import puzzles
from trireme.gomoku.engine.engine import Engine
from trireme.gomoku.puzzles import GomokuPuzzles
from trireme.gomoku.rules import Gomoku, GomokuState, read_points
from trireme.gomoku.verified_wins import ForcedWin


def puzzle(
    position: str, *solution: str, within: int = 2, kind: str = "win", by: str = "vcf"
) -> Puzzle:
    goal = LessonGoal(kind, within=within)
    return Puzzle(by, 1000, "", "", goal, solution, settings={"position": position})


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
        (puzzle(CROSSED, "i8"), "does not confirm|another"),
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


THREES = "e6f8f9h8f7f6e10e9"
"""Two open threes meet in g8, and no fours win."""
LINE = ("g8", "d5", "h7")


def test_a_double_three_is_a_win_by_threes(maker: GomokuPuzzles) -> None:
    maker.check(puzzle(THREES, *LINE, within=3, by="vct"))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        (puzzle(THREES, *LINE, within=3), "shortest win by fours"),
        (puzzle(CROSSED, "h7", within=3, by="vct"), "fours alone"),
        (puzzle(THREES, *LINE, within=4, by="vct"), "does not need 4"),
        (puzzle(THREES, *LINE, within=2, by="vct"), "may not take 2"),
        (puzzle(THREES, *LINE, within=10, by="vct"), "may not take 10"),
        (puzzle(THREES, "a15", "d5", "h7", within=3, by="vct"), "does not confirm"),
        (puzzle(THREES, *LINE, within=3, by="vcx"), "not 'vcx'"),
        (puzzle("h8a1i10b1k5c1m3d1", "e1", within=3, by="vct"), "white threatens five"),
    ],
)
def test_wrong_claims_of_threes_are_refused(
    maker: GomokuPuzzles, changed: Puzzle, why: str
) -> None:
    with pytest.raises(BadPuzzle, match=why):
        maker.check(changed)


@pytest.mark.parametrize(
    ("moves", "marks"),
    [
        ("g8 d5 h7", ["good", "good"]),
        ("g8 a15 h7", ["good", "inexact"]),  # white has left the line: nothing is known
        ("h7 d5 g8", ["bad", "bad"]),
        ("g8 d5 a15 b15 h7", ["good", "bad", "bad"]),
        ("g8 a15 h7 b15 c15", ["good", "inexact", "inexact"]),
    ],
)
def test_a_missed_win_is_held_against_the_solution(
    maker: GomokuPuzzles, moves: str, marks: list[str]
) -> None:
    game = Gomoku(position=THREES)
    state, played = game.start(), []
    for number, text in enumerate(moves.split()):
        actions = {number % 2: game.read(text)}
        after = game.apply(state, actions)
        played.append(LessonMove(actions, state, after))
        state = after
    found = maker.review(game, played, puzzle(THREES, *LINE, within=3, by="vct"))
    assert list(found.marks) == marks


def test_a_win_by_threes_takes_the_fewest_stones_that_the_checker_confirms(
    maker: GomokuPuzzles,
) -> None:
    state = Gomoku(position=THREES).start()
    line = tuple(maker.game.read(text) for text in LINE)
    made = maker._confirmed(state, ForcedWin(9, line, by_fours=False))
    assert made is not None
    assert (made.kind, made.goal.within, made.solution) == ("vct", 3, LINE)
    maker.check(made)


LOST_BY_BLACK = "e3f9d8g7e7f8e9f6f10c7g11h12e10f5f7e8g10h10d10c10d9d7c8f11d11d12f4g12h8i11g9"
"""A game in which forced wins were overlooked."""


@pytest.mark.parametrize(
    ("seed", "kind", "within", "rating", "position", "solution"),
    [
        (5, "vcf", 3, 920, "e7f9e9g7f10f8g11c8e10f5f7e8g10h10d10c10d9h12", "d8 c7 d7"),
        pytest.param(
            8, "vct", 7, 1862, "e3f9d8d11e9f6f10c7g11h12e10f5f7e8g10h10d10c10d9d7",
            "c8 f11 g9 g8 g13 g12 e11 b5 c6 h8 f12", marks=pytest.mark.slow,
        ),
    ],
)  # fmt: skip
def test_a_game_gives_the_same_puzzle_on_every_machine(
    maker: GomokuPuzzles, monkeypatch: pytest.MonkeyPatch, seed: int, kind: str, within: int,
    rating: int, position: str, solution: str,
) -> None:  # fmt: skip
    stones = tuple(read_points(maker.game, LOST_BY_BLACK))
    monkeypatch.setattr(puzzles, "_self_play", lambda *_: stones)
    made = list(iter(maker.puzzles(np.random.default_rng(seed)).__next__, None))
    assert len(made) == 1
    assert (made[0].kind, made[0].goal.within, made[0].rating) == (kind, within, rating)
    assert made[0].settings == {"position": position}
    assert made[0].solution == tuple(solution.split())
    maker.check(made[0])


def test_self_play_goes_on_from_its_opening_to_the_stone_before_the_end() -> None:
    game, opening = Gomoku(), tuple(read_points(Gomoku(), "h8i9g9"))
    rng = np.random.default_rng(5)
    stones = puzzles._self_play(game, Engine(rows=1 << 12), opening, rng)
    assert stones[:3] == opening
    state = GomokuState(stones)
    (seat,) = game.to_move(state)
    after = [game.apply(state, {seat: point}) for point in game.legal(state, seat)]
    assert not all(map(game.to_move, after))


@pytest.mark.slow
def test_both_kinds_are_made_and_pass_the_check(maker: GomokuPuzzles) -> None:
    made = (puzzle for puzzle in maker.puzzles(np.random.default_rng(6)) if puzzle is not None)
    kinds = set()
    for found in islice(made, 12):
        kinds.add(found.kind)
        if len(kinds) == 2:
            break
        maker.check(found)
    assert kinds == {"vcf", "vct"}


def test_other_rules_are_refused(maker: GomokuPuzzles) -> None:
    goal = LessonGoal("win", within=2)
    settings = {"position": CROSSED, "rule": "freestyle"}
    with pytest.raises(BadPuzzle, match="standard rule"):
        maker.check(Puzzle("vcf", 1000, "", "", goal, ("h7",), settings=settings))
