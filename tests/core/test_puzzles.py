"""Puzzles: those that ship are right, wrong ones are refused, and all have the same each day."""

from __future__ import annotations

import gzip
import hashlib
from datetime import date, timedelta
from importlib.resources import files
from itertools import islice

import msgspec
import numpy as np
import pytest

from trireme.core.errors import BadPuzzle, BadSpec, TriremeError, UnknownName
from trireme.core.game import Turn
from trireme.core.lessons import LEARNER, GoalState, LessonGoal, LessonMove
from trireme.core.puzzles import (
    Puzzle,
    PuzzleReview,
    attempt_state,
    check_puzzle,
    daily_puzzle,
    decode_puzzles,
    encode_puzzles,
    make_puzzles,
    new_rating,
    next_puzzle,
    puzzle_game,
    puzzle_games,
    puzzle_start,
    puzzle_with_id,
    puzzles_of,
    review_attempt,
    share_text,
)
from trireme.core.registry import find, make_agent
from trireme.core.seeding import seat_generator
from trireme.gomoku.proof_checker import ProofChecker

GAMES = ("battleship", "gomoku", "navigation")
DAY = date(2026, 11, 16)
SAMPLE = 5


def sample(game: str, count: int = SAMPLE) -> list[Puzzle]:
    """A few shipped puzzles, spread over all ratings."""
    found = list(puzzles_of(game).values())
    return [found[i] for i in np.linspace(0, len(found) - 1, count).astype(int)]


def attempt(game: str, puzzle: Puzzle, actions: list[str]) -> tuple[GoalState, PuzzleReview]:
    """Play the solver's actions from the start on, the opponent answering."""
    made = puzzle_game(game, puzzle)
    opening = puzzle_start(made, puzzle)
    state = opening[-1].after if opening else made.start()
    agent = None if puzzle.opponent is None else make_agent(made, puzzle.opponent)
    rng, moves, left = seat_generator(bytes(16)), list[LessonMove](), list(actions)
    while made.to_move(state) and (left or LEARNER not in made.to_move(state)):
        chosen = {}
        for seat in made.to_move(state):
            if seat == LEARNER:
                chosen[seat] = made.read(left.pop(0))
                made.check(state, seat, chosen[seat])
            else:
                assert agent is not None
                view = made.view(state, seat)
                chosen[seat] = agent.act(Turn(made, seat, view, made.legal(state, seat), rng, 0.1))
        after = made.apply(state, chosen)
        moves.append(LessonMove(chosen, state, after))
        state = after
    return attempt_state(made, moves, puzzle), review_attempt(made, moves, puzzle)


def test_all_three_games_bring_puzzles() -> None:
    assert set(GAMES) <= set(puzzle_games())


@pytest.mark.parametrize("game", GAMES)
def test_a_thousand_different_puzzles_ship_in_a_small_file(game: str) -> None:
    package, _, name = (find(game).puzzles or "").partition(":")
    data = files(package).joinpath(name).read_bytes()
    assert len(data) < 300_000
    listed = decode_puzzles(data, name)
    found = puzzles_of(game)
    assert len(listed) == len(found) >= 1000
    ratings = [puzzle.rating for puzzle in found.values()]
    assert ratings == sorted(ratings)
    assert max(ratings) - min(ratings) > 500


@pytest.mark.parametrize("game", GAMES)
def test_shipped_puzzles_begin_with_the_solver_to_move(game: str) -> None:
    for puzzle in sample(game, 60):
        puzzle_start(puzzle_game(game, puzzle), puzzle)


@pytest.mark.parametrize("game", GAMES)
def test_a_sample_of_the_shipped_puzzles_is_right(game: str) -> None:
    # The hardest of Gomoku take seconds each: the larger sample has them.
    for puzzle in sample(game)[: 2 if game == "gomoku" else SAMPLE]:
        check_puzzle(game, puzzle)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_larger_sample_of_the_shipped_puzzles_is_right(game: str) -> None:
    for puzzle in sample(game, 30 if game == "gomoku" else 100):
        check_puzzle(game, puzzle)


@pytest.mark.parametrize("game", ["battleship", "navigation"])
def test_a_solution_solves_its_puzzle_and_another_first_move_does_not(game: str) -> None:
    for puzzle in sample(game):
        state, review = attempt(game, puzzle, list(puzzle.solution))
        assert (state, set(review.marks)) == ("met", {"good"})
        wrong = "--------" if game == "navigation" else _poor_shot(puzzle)
        rest = [] if game == "navigation" else [c for c in _cells(puzzle) if c != wrong]
        state, review = attempt(game, puzzle, [wrong, *rest])
        assert state == "missed"
        assert review.marks[0] != "good"


@pytest.mark.slow
def test_the_solution_of_gomoku_wins_against_the_engine() -> None:
    by_fours = [puzzle for puzzle in sample("gomoku", 40) if puzzle.kind == "vcf"]
    for puzzle in by_fours[::8]:
        own = list(puzzle.solution[::2])
        state, review = attempt("gomoku", puzzle, own)
        assert state == "open"  # the five itself is not part of the solution
        assert set(review.marks) == {"good"}
        made = puzzle_game("gomoku", puzzle)
        board = made.start().board()
        board |= {made.read(p): 1 - 2 * (n % 2) for n, p in enumerate(puzzle.solution)}
        fives = [made.write(point) for point in ProofChecker().fives(board, 1)]
        assert len(fives) > 1
        assert any(_wins("gomoku", puzzle, [*own, five]) for five in fives)


def _wins(game: str, puzzle: Puzzle, actions: list[str]) -> bool:
    try:
        return attempt(game, puzzle, actions)[0] == "met"
    except TriremeError:  # the point is taken
        return False


def _cells(puzzle: Puzzle) -> list[str]:
    """The cells not yet fired at."""
    side = puzzle.settings["rows"]
    cells = [f"{chr(65 + row)}{col + 1}" for row in range(side) for col in range(side)]
    return [cell for cell in cells if cell not in puzzle.opening]


def _poor_shot(puzzle: Puzzle) -> str:
    """A shot that can't hit."""
    from trireme.battleship.board import write_cell
    from trireme.battleship.endgame import endgame

    made = puzzle_game("battleship", puzzle)
    state = puzzle_start(made, puzzle)[-1].after
    may_hit = set(map(write_cell, endgame(made.boards[0], state.seas[0].shots).cells()))
    return next(cell for cell in _cells(puzzle) if cell not in may_hit)


def changed(puzzle: Puzzle, **fields: object) -> Puzzle:
    return msgspec.structs.replace(puzzle, **fields)


@pytest.mark.parametrize("game", GAMES)
def test_a_puzzle_with_another_solution_or_goal_is_refused(game: str) -> None:
    puzzle = sample(game)[2]
    goals = {
        "gomoku": [LessonGoal("win", within=(puzzle.goal.within or 0) + 1), LessonGoal("sunk")],
        "battleship": [LessonGoal("sunk"), LessonGoal("win")],
        "navigation": [LessonGoal("hit", within=1), LessonGoal("safe")],
    }
    wrong = {
        "gomoku": [("a1",), (), ("h8h8",), (*puzzle.solution, "o15")],
        "battleship": [(), puzzle.solution[1:], (_poor_shot(puzzle), *puzzle.solution)]
        if game == "battleship"
        else [],
        "navigation": [("--------",), (), ("nonsense",)],
    }
    for goal in goals[game]:
        with pytest.raises(TriremeError):
            check_puzzle(game, changed(puzzle, goal=goal))
    for solution in wrong[game]:
        with pytest.raises(TriremeError):
            check_puzzle(game, changed(puzzle, solution=solution))
    with pytest.raises(TriremeError):
        check_puzzle(game, changed(puzzle, opening=(*puzzle.opening, "nonsense")))
    with pytest.raises(TriremeError):
        check_puzzle(game, changed(puzzle, settings={"no": "setting"}))


@pytest.mark.parametrize("game", GAMES)
def test_the_daily_puzzle_goes_round_through_all(game: str) -> None:
    assert daily_puzzle(game, DAY) is daily_puzzle(game, DAY)
    count = len(puzzles_of(game))
    ids = [daily_puzzle(game, DAY + timedelta(days)).id for days in range(count + 1)]
    assert len(set(ids[:count])) == count
    assert ids[count] == ids[0]
    assert ids[:count] != list(puzzles_of(game))  # not from easy to hard


def test_the_next_puzzle_is_the_nearest_that_was_not_tried() -> None:
    found = puzzles_of("gomoku")
    first = next_puzzle("gomoku", 1200)
    assert abs(first.rating - 1200) == min(abs(p.rating - 1200) for p in found.values())
    second = next_puzzle("gomoku", 1200, {first.id})
    assert second.id != first.id
    assert next_puzzle("gomoku", 1200, set(found)).id == first.id
    assert next_puzzle("gomoku", 9999).rating == max(p.rating for p in found.values())


def test_ratings_follow_elo() -> None:
    assert new_rating(1200, 1200, True) == 1216
    assert new_rating(1200, 1200, False) == 1184
    assert 1200 < new_rating(1200, 800, True) < 1204
    assert 1228 < new_rating(1200, 1600, True) < 1232


def test_the_shared_text_says_the_result_and_not_the_solution() -> None:
    puzzle = daily_puzzle("gomoku", DAY)
    review = PuzzleReview(("good", "bad"), "The win was missed.")
    text = share_text("gomoku", puzzle, "missed", review, DAY)
    assert text.splitlines() == [
        "Trireme · Gomoku daily puzzle 2026-11-16",
        f"🟩🟥 not solved, rated {puzzle.rating}",
    ]
    solved = share_text("gomoku", puzzle, "met", PuzzleReview(("good",), "Won in 3 moves."))
    assert solved.splitlines() == [
        f"Trireme · Gomoku puzzle {puzzle.id}",
        f"🟩 solved, rated {puzzle.rating}",
        "Won in 3 moves.",
    ]


def test_unknown_ids_and_games_without_puzzles_are_refused() -> None:
    for id in ("", "nothing", "x" * 10_000, "\0"):
        with pytest.raises(UnknownName):
            puzzle_with_id("gomoku", id)
    with pytest.raises(UnknownName):
        puzzle_with_id("chess", "0000000000")


def test_puzzles_survive_being_written_and_read() -> None:
    found = sample("navigation")
    for packed in (False, True):
        data = encode_puzzles(found, packed=packed)
        assert decode_puzzles(data, "a file") == found
        assert data == encode_puzzles(found, packed=packed)
    assert [p.id for p in decode_puzzles(encode_puzzles(found), "")] == [p.id for p in found]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"{}", "line 1"),
        (b"\n\nnonsense", "line 3"),
        (b"[" * 100_000, "line 1"),
        (b'{"kind": "vcf"}', "line 1"),
        (b"\xff\xfe", "line 1"),
        (b"\x1f\x8bnothing", "unpacked"),
        (gzip.compress(b"{}" * 1000, mtime=0)[:-9], "unpacked"),
    ],
)
def test_garbage_is_no_file_of_puzzles(data: bytes, why: str) -> None:
    with pytest.raises(BadPuzzle, match=why):
        decode_puzzles(data, "the file")


def made(game: str, seed: int, count: int) -> list[Puzzle]:
    found = (puzzle for puzzle in make_puzzles(game, seed) if puzzle is not None)
    return list(islice(found, count))


def test_another_seed_makes_other_puzzles() -> None:
    assert made("navigation", 3, 2) == made("navigation", 3, 2) != made("navigation", 4, 2)


@pytest.mark.parametrize(
    ("game", "kinds", "digest"),
    [
        ("battleship", {"endgame", "subtle endgame"}, "b7d29e2a8d3ec40b"),
        ("navigation", {"safe", "outgun"}, "9f1e09761eee9560"),
    ],
)
def test_the_same_seed_makes_the_same_puzzles_on_every_machine(
    game: str, kinds: set[str], digest: str
) -> None:
    found = made(game, 3, 12)
    assert {puzzle.kind for puzzle in found} == kinds
    assert hashlib.sha256(encode_puzzles(found)).hexdigest()[:16] == digest


def test_a_game_without_a_maker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from trireme.core import puzzles, registry

    plain = registry.Slice(summary="", game="", text="")
    monkeypatch.setattr(puzzles, "find", lambda _: plain)
    with pytest.raises(BadSpec, match="makes no puzzles"):
        next(make_puzzles("checkers", 1))
