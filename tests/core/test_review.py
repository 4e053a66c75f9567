"""Reviews of any game: one definition of accuracy, only what a seat knew, clear refusals."""

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
import pytest

import trireme
from trireme.battleship.rules import BattleshipView
from trireme.core.errors import BadSpec, RecordError
from trireme.core.record import parse_record
from trireme.core.registry import GAMES, make_game
from trireme.core.review import (
    MOMENTS,
    Decision,
    Judgement,
    ReviewedMove,
    accuracy_of,
    decisions_of,
    has_review,
    review,
    reviewer_of,
)
from trireme.core.review_page import explanation, review_page, written_cost, written_percent
from trireme.core.seeding import fresh_seed

FLEETS = "A1-A2", "E4-E5"


def duel_session(shots: int) -> trireme.Session:
    """A duel on 5×5 after so many shots, running unless they end it."""
    game = make_game("battleship", duel=True, rows=5, cols=5, fleet=(2,))
    session = trireme.Session(
        game, ["a", "b"], seed=fresh_seed(), opening=[dict(enumerate(FLEETS))]
    )
    cells = ["C3", "C3", "B2", "D4", "E4", "A1", "E5"]
    for number in range(shots):
        session.move({number % 2: game.read(cells[number])})
    return session


def duel(shots: int) -> str:
    """The record of that game."""
    return duel_session(shots).record.text


def test_every_built_in_game_can_be_reviewed() -> None:
    assert all(has_review(name) for name in GAMES if not name.startswith("plugin"))


def test_random_play_has_accuracy_zero_and_faultless_play_a_hundred() -> None:
    assert accuracy_of(0.0, 0.25) == 100.0
    assert accuracy_of(0.25, 0.25) == 0.0
    assert accuracy_of(0.05, 0.25) == 80.0
    assert accuracy_of(9.0, 0.25) == 0.0  # worse than random play
    assert accuracy_of(0.0, 0.0) is None


def test_decisions_weigh_what_there_was_to_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fixed:
        unit, about = "points", "fixed"
        costs = iter([0.0, 1.0, 5.0, 0.04, 2.0, 3.0, 4.0])

        def judge(self, decision: Decision, rng: object) -> Judgement | None:
            if not isinstance(decision.view, BattleshipView) or decision.view.stage == "placing":
                return None
            cost = next(self.costs)
            at_stake = {0.04: 1.0, 5.0: 0.0, 4.0: 20.0}.get(cost, 10.0)
            return Judgement(decision.action, cost, at_stake, luck=0.5)

    monkeypatch.setattr("trireme.core.review.reviewer_of", lambda *_: Fixed())
    found = review(parse_record(duel(7)))
    first, second = found.seats
    assert (first.accuracy, first.decisions) == (100 * (1 - 11 / 40), 3)  # costs 0, 5, 2 and 4
    assert (first.random_cost, second.random_cost) == (40.0, 21.0)
    assert found.moves[-1].accuracy == 80.0
    assert first.cost == 11.0
    assert first.luck == 2.0
    assert [value for _, value in first.curve] == [0.0, 5.0, 7.0, 11.0]
    assert [found.moves[i].cost for i in found.moments] == [5.0, 4.0, 3.0]
    assert [found.moves[i].cost for i in second.moments] == [3.0, 1.0]  # 0.04 of 1 is too little
    assert len(found.moments) == MOMENTS
    assert found.curve == "expected points lost"


class Valued:
    """Says the same of every shot, to more digits than are kept, and notes its random numbers."""

    unit, about = "points", "valued"
    drawn: ClassVar[list[float]] = []

    def judge(self, decision: Decision, rng: np.random.Generator) -> Judgement | None:
        self.drawn.append(float(rng.random()))
        if decision.view.stage == "placing":
            return None
        shot = decision.action
        return Judgement(
            shot, 0.123456, 0.5, value=0.654321, luck=-0.111119, note="so", exact=True,
            missed=(shot,), allowed=(shot, shot),
        )  # fmt: skip


def test_a_reviewed_move_says_what_its_judgement_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trireme.core.review.reviewer_of", lambda *_: Valued())
    Valued.drawn.clear()
    found = review(parse_record(duel(7)), seed=3)
    accuracy = round(100 * (1 - 0.123456 / 0.5), 2)
    assert found.moves[0] == ReviewedMove(
        2, 0, "C3", "C3", 0.1235, 0.5, accuracy, 0.6543, -0.1111, "so", True, ("C3",), ("C3", "C3")
    )
    assert [(m.move, m.seat) for m in found.moves] == [(n + 2, n % 2) for n in range(7)]
    seeds = [(1, 0), (1, 1), *((n + 2, n % 2) for n in range(7))]
    assert Valued.drawn == [np.random.default_rng([3, *seed]).random() for seed in seeds]
    assert found.curve == "winning chance"
    first, second = found.seats
    assert (first.luck, first.cost) == (round(4 * -0.1111, 4), round(4 * 0.1235, 4))
    # before each decision, and at the end, where the first seat has won
    assert first.curve == ((1, 0.6543), (3, 0.6543), (5, 0.6543), (7, 0.6543), (8, 1.0))
    assert second.curve == ((2, 0.6543), (4, 0.6543), (6, 0.6543), (8, 0.0))
    running = review(parse_record(duel(2)), seat=0)
    assert running.seats[0].curve == ((1, 0.6543),), "without an end there is no result"


def test_the_curve_of_a_draw_ends_in_the_middle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trireme.core.review.reviewer_of", lambda *_: Valued())
    session = duel_session(2)
    session.adjudicate((0.0, 0.0), "agreed")
    assert [seat.curve[-1] for seat in review(session.record).seats] == [(3, 0.5), (3, 0.5)]


def test_a_curve_shows_chances_as_soon_as_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Seldom(Valued):
        def judge(self, decision: Decision, rng: np.random.Generator) -> Judgement | None:
            found = super().judge(decision, rng)
            known = found is not None and decision.seat == 0
            return found if known or found is None else replace(found, value=None, cost=1 / 3)

    monkeypatch.setattr("trireme.core.review.reviewer_of", lambda *_: Seldom())
    found = review(parse_record(duel(7)))
    assert found.curve == "winning chance"
    assert found.seats[0].curve[-1] == (8, 1.0)
    assert found.seats[1].curve == ((3, 0.3333), (5, 0.6666), (7, 0.9999)), "sums of rounded costs"


@pytest.mark.parametrize(("cost", "moments"), [(0.0249, ()), (0.025, (0, 1, 2))])
def test_a_moment_costs_a_share_of_what_random_play_loses_and_the_first_come_first(
    cost: float, moments: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cheap(Valued):
        def judge(self, decision: Decision, rng: np.random.Generator) -> Judgement | None:
            found = super().judge(decision, rng)
            return None if found is None else replace(found, cost=cost)

    monkeypatch.setattr("trireme.core.review.reviewer_of", lambda *_: Cheap())
    found = review(parse_record(duel(7)))
    assert found.moments == moments
    assert found.seats[1].moments == (() if not moments else (1, 3, 5))


def test_a_reviewer_gets_views_and_never_the_state() -> None:
    for _, decision in decisions_of(parse_record(duel(4))):
        hidden = decision.view.seas[1 - decision.seat].fleet
        assert hidden is None
        assert decision.after.seas[1 - decision.seat].fleet is None
        assert all(mover == decision.seat or decision.view.stage != "placing"
                   for mover in decision.actions)  # fmt: skip


def test_a_review_does_not_depend_on_what_was_hidden() -> None:
    game = make_game("battleship", duel=True, rows=5, cols=5, fleet=(2,))
    reviews = []
    for fleet in ("E4-E5", "A4-A5"):
        opening = [{0: "A1-A2", 1: fleet}]
        session = trireme.Session(game, ["a", "b"], seed=0, opening=opening)
        for number, cell in enumerate(["C3", "C3", "B2", "D4"]):
            session.move({number % 2: game.read(cell)})
        reviews.append(review(session.record, seat=0))
    assert reviews[0] == reviews[1]


def test_a_running_game_is_reviewed_for_one_seat_only() -> None:
    record = parse_record(duel(4))
    with pytest.raises(RecordError, match="not over"):
        review(record)
    found = review(record, seat=0)
    assert {move.seat for move in found.moves} == {0}
    assert not found.finished
    assert [seat.seat for seat in found.seats] == [0]


def test_a_seat_is_judged_alike_alone_and_together() -> None:
    record = parse_record(duel(7))
    both = review(record)
    assert both.finished
    for seat in (0, 1):
        alone = review(record, seat=seat)
        assert alone.moves == tuple(move for move in both.moves if move.seat == seat)
        assert alone.seats[0].accuracy == both.seats[seat].accuracy
    assert review(record, seed=3) == review(record, seed=3)


@pytest.mark.parametrize("seat", [-1, 2, 99])
def test_a_seat_that_the_game_has_not_is_refused(seat: int) -> None:
    with pytest.raises(BadSpec, match=f"from 0 to 1, not {seat}"):
        review(parse_record(duel(7)), seat=seat)


@pytest.mark.parametrize("garbage", [b"", b"\xff\xfe", b"{}\n", b"[1, 2]\n", b"null", b"{" * 9_999])
def test_what_is_no_record_is_refused(garbage: bytes, tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(garbage)
    with pytest.raises(RecordError):
        trireme.review(path)
    with pytest.raises(RecordError):
        trireme.review(str(path))


def test_a_record_whose_moves_can_not_be_played_is_refused() -> None:
    record = parse_record(duel(7))
    swapped = replace(record, moves=(*record.moves[:2], *record.moves[2:][::-1]))
    with pytest.raises(RecordError):
        review(swapped)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="can't read"):
        trireme.review(tmp_path / "nothing.jsonl")


def test_a_game_without_a_reviewer_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from trireme.core import review as module

    found = replace(module.find("gomoku"), review=None)
    monkeypatch.setattr(module, "find", lambda _: found)
    with pytest.raises(BadSpec, match="gomoku can't be reviewed"):
        reviewer_of(make_game("gomoku"), 1)
    assert not has_review("gomoku")


def test_progress_is_reported_from_the_first_decision_to_the_last() -> None:
    seen: list[tuple[int, int]] = []
    review(
        parse_record(duel(4)), seat=1, on_reviewed=lambda done, total: seen.append((done, total))
    )
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]  # its fleet, and two shots


def test_a_review_is_plain_json_and_comes_back() -> None:
    found = review(parse_record(duel(7)))
    assert msgspec.json.decode(msgspec.json.encode(found), type=trireme.Review) == found


def test_the_page_stands_alone_and_escapes_names() -> None:
    record = parse_record(duel(7))
    header = msgspec.structs.replace(record.header, seats=("<script>x</script>", "b"))
    record = replace(record, header=header)
    found = review(record)
    page = review_page(found, record)
    assert page.startswith("<!doctype html>")
    assert "http" not in page.replace("http-equiv", "")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    for move in found.moves:
        assert move.played in page


def test_a_review_shows_itself() -> None:
    record = parse_record(duel(7))
    header = msgspec.structs.replace(record.header, seats=("<b>a</b>", "b"))
    found = review(replace(record, header=header))
    accuracies = [written_percent(seat.accuracy) for seat in found.seats]
    expected = f"<Review of battleship: accuracy of <b>a</b> {accuracies[0]}, b {accuracies[1]}>"
    assert repr(found) == expected
    shown = found._repr_html_()
    assert "&lt;b&gt;a" in shown
    assert "<b>a" not in shown
    assert all(move.played in shown for move in found.moves)


def test_costs_are_written_in_their_unit() -> None:
    found = review(parse_record(duel(7)))
    assert written_cost(found, 0.125) == "0.12"
    assert written_cost(msgspec.structs.replace(found, unit="winning chance"), 0.125) == "12.5 %"
    assert written_percent(None) == "–"
    assert written_percent(99.95) == "100.0 %"
    move = msgspec.structs.replace(found.moves[0], note="n", missed=("a1", "b2"), allowed=("c3",))
    lines = "n; the win: a1 b2; the answer: c3"
    assert explanation(move) == f"{lines}; found by search, not verified"
    assert explanation(msgspec.structs.replace(move, verified=True)) == f"{lines}; verified"
