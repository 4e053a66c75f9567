"""What a move of Gomoku costs, with an engine whose values are given: chances in percent."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from trireme.gomoku import review as module
from trireme.gomoku.engine.analysis import PROVEN_WIN
from trireme.gomoku.review import GomokuReviewer
from trireme.gomoku.rules import Gomoku, GomokuState, Point

GAME = Gomoku(5)
FULL = ["BBWWB", "WWBBW", "BBWWB", "WWBBW", "BBWWB"]
"""A board without a five."""


def analysis(value: int, best: Point = (0, 0), plies: int | None = None) -> Any:
    line = (best, (4, 4))
    moves = [SimpleNamespace(plies=plies)]
    return SimpleNamespace(value=value, best=best, line=line, proven=plies is not None, moves=moves)


UNKNOWN = analysis(90)
"""Of positions that a test does not name: after a random stone the other side has 90 %."""


@pytest.fixture
def reviewer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Its `known` are analyses by stones; a value of 40 is a chance of 0.4 for the side to move."""
    made: Any = GomokuReviewer(GAME, 10)
    made.known = {}
    monkeypatch.setattr(made, "_analyse", lambda view: made.known.get(view.stones, UNKNOWN))
    monkeypatch.setattr(made, "_verified", lambda *_: False)
    monkeypatch.setattr(module, "chance_of", lambda v: 1.0 if v >= PROVEN_WIN else max(v, 0) / 100)
    return made


def judged(reviewer: Any, stones: tuple[Point, ...], played: Point) -> Any:
    view = GomokuState(stones)
    after = GAME.apply(view, {GAME.to_move(view)[0]: played})
    return reviewer._judge_stone(view, played, after, np.random.default_rng(0))


def test_a_move_costs_the_chance_that_it_loses_against_the_best(reviewer: Any) -> None:
    stones = ((2, 2), (1, 1))
    reviewer.known = {
        stones: analysis(50, best=(3, 3)),
        (*stones, (3, 3)): analysis(30),
        (*stones, (0, 4)): analysis(55),
        (*stones, (4, 0)): analysis(20),
    }
    poor = judged(reviewer, stones, (0, 4))
    assert (poor.best, poor.value) == ((3, 3), pytest.approx(0.7))
    assert poor.random_cost == pytest.approx(0.7 - 0.1)
    assert poor.cost == pytest.approx(0.7 - 0.45)
    assert judged(reviewer, stones, (3, 3)).cost == 0
    better = judged(reviewer, stones, (4, 0))
    assert (better.cost, better.value) == (0, pytest.approx(0.8)), "better than the engine's best"


def test_the_first_stone_is_compared_with_the_middle(reviewer: Any) -> None:
    reviewer.known = {((2, 2),): analysis(40), ((0, 1),): analysis(60)}
    corner = judged(reviewer, (), (0, 1))
    assert (corner.best, corner.cost) == ((2, 2), pytest.approx(0.6 - 0.4))


def test_a_forced_win_that_is_allowed_is_shown_where_something_was_at_stake(reviewer: Any) -> None:
    stones = ((2, 2), (1, 1))
    reviewer.known = {
        stones: analysis(50, best=(3, 3)),
        (*stones, (3, 3)): analysis(60),
        (*stones, (0, 4)): analysis(PROVEN_WIN, best=(1, 2), plies=5),
    }
    blunder = judged(reviewer, stones, (0, 4))
    assert blunder.cost == pytest.approx(0.4)
    assert (blunder.allowed, blunder.note) == (((1, 2), (4, 4)), "allows a forced win in 5 plies")
    reviewer.known[*stones, (3, 3)] = analysis(PROVEN_WIN, plies=7)
    lost = judged(reviewer, stones, (0, 4))
    assert (lost.random_cost, lost.allowed, lost.cost) == (0, (), 0)
    assert lost.note == "lost, whatever is played"


def test_a_win_that_is_missed_costs_what_is_left_of_it(reviewer: Any) -> None:
    stones = ((2, 2), (1, 1))
    reviewer.known = {
        stones: analysis(PROVEN_WIN, best=(3, 3), plies=3),
        (*stones, (0, 4)): analysis(25),
        (*stones, (4, 0)): analysis(0),
    }
    missed = judged(reviewer, stones, (0, 4))
    assert (missed.cost, missed.value) == (pytest.approx(0.25), 1.0)
    assert (missed.missed, missed.note) == (((3, 3), (4, 4)), "misses a forced win in 3 plies")
    assert judged(reviewer, stones, (3, 3)).note == "wins by force in 3 plies"
    kept = judged(reviewer, stones, (4, 0))
    assert (kept.cost, kept.note) == (0, "keeps the forced win")


@pytest.mark.parametrize("free", [1, 2])
def test_nothing_is_at_stake_on_the_last_point(reviewer: Any, free: int) -> None:
    cells = {c: [(i // 5, i % 5) for i, m in enumerate("".join(FULL)) if m == c] for c in "BW"}
    order = tuple(cells["BW"[n % 2]][n // 2] for n in range(25))
    stones = order[: 25 - free]
    reviewer.known = {stones: analysis(50, best=order[25 - free]), order[:24]: analysis(50)}
    assert judged(reviewer, stones, order[25 - free]).random_cost == (0.4 if free == 2 else 0)


def test_a_finished_game_is_worth_its_result(reviewer: Any) -> None:
    row = [(0, col) for col in range(5)]
    other = [(4, 0), (3, 1), (4, 2), (3, 3)]
    stones = tuple(p for pair in zip(row, other, strict=False) for p in pair)
    won = GAME.apply(GomokuState(stones), {0: row[4]})
    assert (reviewer._after(won).chance, reviewer._after(won).forced) == (1.0, True)


@pytest.mark.parametrize(("white", "best"), [(70, "white"), (50, "white"), (30, "black")])
def test_a_colour_costs_what_the_other_has_more(reviewer: Any, white: int, best: str) -> None:
    view = GomokuState(((2, 2), (1, 1), (3, 3)))
    reviewer.known = {view.stones: analysis(white)}
    for choice in ("white", "black"):
        found = reviewer._judge_choice(view, choice)
        chance = max(white, 100 - white) / 100
        assert (found.best, found.value) == (best, pytest.approx(chance))
        lost = 0 if choice == best else abs(2 * white - 100) / 100
        assert found.cost == pytest.approx(lost)
    assert reviewer._judge_choice(view, "more") is None
