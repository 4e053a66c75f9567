"""Repeated games: they are no evidence, and a match warns when its starts run out."""

from pathlib import Path
from typing import Any

import pytest

from trireme import make_game
from trireme.arena import (
    Match,
    Outcome,
    Sprt,
    build_report,
    entrants,
    run_match,
    schedule,
    start,
)
from trireme.arena.repeats import repeated_pairs, starts_warning
from trireme.arena.run import SequentialTest

pytestmark = pytest.mark.usefixtures("no_preflight")


def outcome_of(number: int, ours: float, fingerprint: str) -> Outcome:
    """A game whose first agent, on seat 0 in even games, has the return `ours`."""
    returns = (ours, -ours) if number % 2 == 0 else (-ours, ours)
    return Outcome(number, returns, 1, fingerprint, (0.0, 0.0), (1, 1))


def test_pairs_that_repeat_earlier_ones_are_no_evidence() -> None:
    same = {n: outcome_of(n, 1.0, f"same {n % 2}") for n in range(46)}
    test = SequentialTest(Sprt(0, 50))
    assert not test.advance(same)
    assert (test.scores, test.pairs, test.repeated, test.games) == ([1.0], 23, 22, 46)
    fresh = {n: outcome_of(n, 1.0, f"{n}") for n in range(46)}
    test = SequentialTest(Sprt(0, 50))
    assert test.advance(fresh)
    assert test.repeated == 0
    swapped = {n: outcome_of(n, 1.0, f"{(n + n // 2) % 2}") for n in range(4)}
    test = SequentialTest(Sprt(0, 50))
    test.advance(swapped)
    assert len(test.scores) == 2, "the same games from other seats are another pair"


def test_a_test_of_deterministic_agents_with_one_start_stays_undecided(tmp_path: Path) -> None:
    game = make_game("gomoku", size=5, position="a1")
    made = Match(game, entrants(game, [First(), Last()]), games=40, sprt=Sprt(0, 50))
    done = run_match(start(made, tmp_path / "run"), executor="serial")
    assert done.test is not None
    assert done.test.verdict is None
    assert (len(done.test.scores), done.test.repeated) == (1, 19)
    assert repeated_pairs(done.fixtures, done.outcomes) == 19
    report = build_report(done, "")
    assert report.sprt is not None
    assert (report.sprt.pairs, report.sprt.repeated) == (1, 19)
    warning = starts_warning(made, done.fixtures)
    assert warning is not None
    assert warning.startswith("Different starts: 1, for 20 rounds.")


class First:
    name = "first"

    def act(self, turn: Any) -> Any:
        return turn.legal[0]


class Last:
    name = "last"

    def act(self, turn: Any) -> Any:
        return turn.legal[-1]


def test_starts_are_not_missed_where_fleets_or_maps_differ() -> None:
    for spec, variant in (("navigation", None), ("battleship", "duel"), ("battleship", None)):
        game = make_game(spec, variant)
        made = Match(game, entrants(game, ["random", "b=random"]), games=8)
        assert starts_warning(made, list(schedule(made))) is None
    sea = make_game("navigation", map="procedural:3", ships=("war_brig", "war_brig"))
    made = Match(sea, entrants(sea, ["random", "b=random"]), games=8)
    assert "Different starts: 1, for 4 rounds" in str(starts_warning(made, list(schedule(made))))
