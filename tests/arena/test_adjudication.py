"""Adjudication by agreement: which reports end a game, when, and how."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from trireme import BadSpec, Session, make_game
from trireme.arena import Match, entrants, schedule_hash
from trireme.arena.adjudication import Adjudication, Adjudicator, DrawRule
from trireme.arena.match import from_plain, to_plain
from trireme.core.move_report import MoveReport

GAME = make_game("gomoku", size=9)
QUIET = [f"{column}{row}" for row in "147" for column in "abcdefgh"]
"""Moves of a game in which nobody has more than one stone in a row; black and white alternate."""
DRAW = Adjudication(draw=DrawRule(0.1, moves=4, first=0))
WIN = Adjudication(0.9, 4)


def ended(rule: Adjudication, reports: Sequence[float | None]) -> tuple[int, Session]:
    """The move after which the game was adjudicated, 0 if never, and the game."""
    session = Session(GAME, ["black", "white"], seed=1)
    adjudicator = Adjudicator(rule, GAME)
    for number, (move, value) in enumerate(zip(QUIET, reports, strict=False), start=1):
        (seat,) = session.to_move
        session.move({seat: move}, {seat: MoveReport(0.0, value)})
        adjudicator.after_move(session)
        if session.over:
            return number, session
    return 0, session


@pytest.mark.parametrize(
    ("reports", "move"),
    [
        ([0.0, 0.0, 0.0, 0.0], 4),
        ([0.1, -0.1, 0.1, -0.1], 4),
        ([0.0, 0.0, 0.0], 0),
        ([0.11, 0.0, 0.0, 0.0, 0.0], 5),
        ([0.0, 0.0, -0.11, 0.0, 0.0, 0.0, 0.0], 7),
        ([0.0, 0.0, None, 0.0, 0.0, 0.0], 0),
        ([0.0, 0.5] * 6, 0),
        ([0.0, None] * 6, 0),
    ],
)
def test_both_near_zero_for_so_many_moves_is_a_draw(reports: list[float | None], move: int) -> None:
    number, session = ended(DRAW, reports)
    assert number == move
    if move:
        assert session.returns == (0.0, 0.0)
        record = session.record
        record.verify()
        assert record.end is not None
        assert record.end.reason == "both agents agree on a draw for 4 moves"


def test_a_draw_waits_for_its_first_move_and_the_count_does_not() -> None:
    late = Adjudication(draw=DrawRule(0.1, moves=4, first=10))
    assert ended(late, [0.0] * 20)[0] == 10
    assert ended(late, [0.0] * 8 + [1.0] + [0.0] * 9)[0] == 13


@pytest.mark.parametrize(
    ("reports", "move", "winner"),
    [
        ([0.9, -0.9, 0.9, -0.9], 4, 0),
        ([-1.0, 1.0, -1.0, 1.0], 4, 1),
        ([0.9, -0.89, 0.9, -0.9, 0.9], 0, None),
        ([-0.9, -0.9, 0.9, -0.9, 0.9], 5, 0),
        ([0.9, -0.9, None, -0.9, 0.9, -0.9, 0.9], 7, 0),
        ([0.9, 0.9] * 5, 0, None),
        ([0.0, 0.0] * 5, 0, None),
    ],
)
def test_both_naming_one_winner_for_so_many_moves_is_a_win(
    reports: list[float | None], move: int, winner: int | None
) -> None:
    number, session = ended(WIN, reports)
    assert number == move
    if winner is not None:
        assert session.returns == ((1.0, -1.0) if winner == 0 else (-1.0, 1.0))


@pytest.mark.parametrize("rule", [WIN, DRAW], ids=["win", "draw"])
def test_one_agent_alone_decides_nothing_however_often_it_moves(rule: Adjudication) -> None:
    session = Session(GAME, ["black", "white"], seed=1)
    adjudicator = Adjudicator(rule, GAME)
    session.play("a1")
    value = 0.0 if rule is DRAW else 1.0
    for _ in range(9):
        session.reports = {0: MoveReport(0.0, value)}
        adjudicator.after_move(session)
    assert not session.over
    session.reports = {1: MoveReport(0.0, -value)}
    adjudicator.after_move(session)
    assert session.over


def test_a_game_that_is_over_is_left_as_it_is() -> None:
    session = Session(GAME, ["black", "white"], seed=1)
    for move in ["a1", "a9", "b1", "b9", "c1", "c9", "d1", "d9", "e1"]:
        (seat,) = session.to_move
        session.move({seat: move}, {seat: MoveReport(0.0, 0.0)})
    adjudicator = Adjudicator(Adjudication(draw=DrawRule(0.1, 2, 0)), GAME)
    adjudicator.after_move(session)
    adjudicator.after_move(session)
    assert session.returns == (1.0, -1.0)


def test_rules_are_read_with_their_defaults() -> None:
    assert DrawRule.parse("0.05") == DrawRule(0.05, 8, 40)
    assert DrawRule.parse("0,2,0") == DrawRule(0.0, 2, 0)
    assert Adjudication.parse(None, draw="0.1") == Adjudication(draw=DrawRule(0.1))
    assert Adjudication.parse("0.8", proof=True, draw="0.1,9,5") == Adjudication(
        0.8, 6, proof=True, draw=DrawRule(0.1, 9, 5)
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a value, moves and the first move"),
        ("x", "such as 0.05,8,40, not 'x'"),
        ("0.1,x", "expected"),
        ("0.1,8.5", "expected"),
        ("0.1,8,40,1", "expected"),
        ("-0.1", "0 or more and below 1"),
        ("1", "0 or more and below 1"),
        ("nan", "0 or more and below 1"),
        ("0.1,1", "2 moves or more"),
        ("0.1,8,-1", "0 or more, not -1"),
    ],
)
def test_senseless_draw_rules_are_refused(text: str, message: str) -> None:
    with pytest.raises(BadSpec, match=message):
        Adjudication.parse(None, draw=text)


def test_a_value_can_not_be_a_win_and_a_draw() -> None:
    with pytest.raises(BadSpec, match=r"draw, 0\.5, must be below that of a win, 0\.5"):
        Adjudication.parse("0.5", draw="0.5")


def test_a_run_folder_holds_the_draw_rule_and_older_ones_keep_their_hash() -> None:
    old = Match(GAME, entrants(GAME, ["a=random", "b=random"]), games=2, adjudication=WIN)
    new = replace(old, adjudication=replace(WIN, draw=DrawRule(0.1)))
    assert to_plain(old)["adjudication"] == {"value": 0.9, "moves": 4, "proof": False}
    assert from_plain(to_plain(old)) == old
    assert from_plain(to_plain(new)) == new
    assert schedule_hash(old) != schedule_hash(new)
