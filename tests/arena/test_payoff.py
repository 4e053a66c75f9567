"""Payoff analysis: alpha-rank by its published properties, and cycles as strong components."""

import itertools
from pathlib import Path

import pytest

from trireme import make_game
from trireme.arena import Match, Outcome, build_report, entrants, schedule, to_plain
from trireme.arena.report.page import page
from trireme.arena.run import Progress
from trireme.arena.statistics.payoff import alpha_rank, analyse_payoffs, components

GAME = make_game("gomoku", size=5)
CYCLE = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]


def test_rock_paper_scissors_share_alike_and_a_loser_to_all_has_nothing() -> None:
    names = ["rock", "paper", "scissors", "dud"]
    found = analyse_payoffs(names, [*CYCLE, *((n, "dud") for n in names[:3])])
    assert found.alpha_rank == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-4)
    assert found.agents[-1] == "dud"
    assert found.cycles == (("rock", "paper", "scissors"),)


def test_who_beats_all_has_everything() -> None:
    names = ["a", "b", "c", "d"]
    shares = alpha_rank(names, list(itertools.combinations(names, 2)))
    assert shares == pytest.approx([1, 0, 0, 0], abs=1e-4)
    assert analyse_payoffs(names, itertools.combinations(names, 2)).cycles == ()


def test_level_agents_share_alike() -> None:
    assert alpha_rank("abcde", []) == pytest.approx([0.2] * 5)
    assert alpha_rank("a", []) == pytest.approx([1.0])


def test_the_shares_are_those_of_the_chain_by_hand() -> None:
    """a beats b, b beats c, a and c are level: from a to c with ½, from c to a with ½ and to b with
    1 (each of two others is tried with ½), from b to a with 1. With shares A, B, C the flows
    balance: A/4 = C/4 + B/2 for a, and B/2 = C/2 for b; so A = 3C, B = C: 3/5, 1/5, 1/5."""
    assert alpha_rank("abc", [("a", "b"), ("b", "c")]) == pytest.approx([0.6, 0.2, 0.2], abs=1e-4)


def test_components_are_those_that_reach_each_other() -> None:
    graph = {"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["c"], "e": ["a"]}
    assert components(graph) == [["a", "b"], ["c", "d"], ["e"]]


def test_a_report_shows_a_cycle_as_a_cycle() -> None:
    made = Match(GAME, entrants(GAME, [f"{n}=random" for n in ("rock", "paper", "scissors")]), 40)
    progress = Progress(made, list(schedule(made)))
    beats = set(CYCLE)
    for fixture in progress.fixtures:
        first, second = (made.names[i] for i in fixture.seats)
        won = 1.0 if (first, second) in beats else -1.0
        progress.outcomes[fixture.number] = Outcome(
            fixture.number, (won, -won), 9, f"{fixture.number}", (0.1, 0.1), (5, 4)
        )
    report = build_report(progress, "hash")
    assert report.payoff is not None
    assert report.payoff.alpha_rank == pytest.approx([1 / 3] * 3, abs=1e-4)
    assert set(report.payoff.beats) == beats
    assert to_plain(report)["payoff"]["cycles"] == [["rock", "paper", "scissors"]]
    html = page(report, progress)
    assert html.count("#c8553d") >= 3, "the arrows of the cycle"
    assert "rock beats scissors" in html


def test_two_agents_have_no_payoff_analysis(tmp_path: Path) -> None:
    made = Match(GAME, entrants(GAME, ["a=random", "b=random"]), 2)
    report = build_report(Progress(made, list(schedule(made))), "hash")
    assert report.payoff is None
    assert "payoff" not in to_plain(report)
