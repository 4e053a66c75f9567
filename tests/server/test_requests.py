"""Requests at a table, one by one: what they lead to, and what is refused; and who sees what."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from numpy.random import default_rng

from trireme.core.game import CHANCE
from trireme.core.record import parse_record
from trireme.core.registry import find
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.events import (
    ActedEvent,
    AnyEvent,
    HintsAllowedEvent,
    OfferedEvent,
    RematchedEvent,
    SeatHolder,
    SeatTakenEvent,
    StartedEvent,
    TakenBackEvent,
    WithdrawnEvent,
)
from trireme.server.rooms.recording import (
    moves_of_record,
    record_text,
    replay_of_record,
    replay_of_table,
)
from trireme.server.rooms.table import GameTable
from trireme.server.rooms.views import (
    fallback,
    picture,
    position,
    visible_actions,
    visible_events,
)

from .tables import table_of

ANN = SeatHolder("person", "Ann", "ann")
BOB = SeatHolder("person", "Bob", "bob")
BOT = SeatHolder("agent", "random")
OPEN = SeatHolder("open")
NAVIGATION = {"turn_limit": 4}
DUEL = {"duel": True, "rows": 5, "cols": 5}


def do(table: GameTable, made: list[AnyEvent], ts: str = "t") -> None:
    for event in made:
        table.apply_event(event, ts)


def gomoku(*moves: str, holders: tuple[SeatHolder, ...] = (ANN, BOB)) -> GameTable:
    """A game of Gomoku on 5×5 after these moves."""
    table = table_of("gomoku", {"size": 5}, *holders)
    do(table, table.start(), "begun")
    for number, move in enumerate(moves, 1):
        do(table, table.act(table.to_move[0], move, "person", f"id{number}"), f"t{number}")
    return table


def refused(code: str) -> Any:
    return pytest.raises(Refusal, check=lambda refusal: refusal.code == code)


FIVE = ("a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1")


# Seats


def test_the_game_starts_when_the_last_seat_is_taken() -> None:
    table = table_of("gomoku", {"size": 5}, OPEN, OPEN)
    assert table.status == "waiting"
    assert table.to_move == ()
    made = table.take_seat(1, "Bob", "bob")
    assert made == [SeatTakenEvent(1, "Bob", "bob")]
    do(table, made)
    with refused("not_started"):
        table.act(1, "a1", "person")
    with refused("seat_taken"):
        table.take_seat(1, "Eve", "eve")
    made = table.take_seat(None, "Ann", "ann")
    assert made == [SeatTakenEvent(0, "Ann", "ann"), StartedEvent()]
    do(table, made, "later")
    assert (table.status, table.started, table.version) == ("playing", "later", 3)
    assert table.names() == ["Ann", "Bob"]
    assert table.people() == {"ann", "bob"}
    assert (table.seats_of("ann"), table.seats_of("eve")) == ((0,), ())
    with refused("room_full"):
        table.take_seat(None, "Eve", "eve")


def test_who_has_no_name_is_numbered() -> None:
    nameless = SeatHolder("person", "", "x")
    assert table_of("gomoku", {"size": 5}, nameless, nameless).names() == ["player 1", "player 2"]


# Moves


def test_a_move_is_checked_and_remembered_by_its_key() -> None:
    table = gomoku("a1")
    with refused("not_your_turn"):
        table.act(0, "b1", "person")
    with refused("illegal_action"):
        table.act(1, "a1", "person")
    with refused("bad_action"):
        table.act(1, "z99", "person")
    assert table.version_of(0, "id1") == 2
    assert table.version_of(1, "id1") is None
    assert table.version_of(0, "other") is None
    before = table.decision
    do(table, table.act(1, "b1", "person"))
    assert table.decision == before + 1
    assert [m.number for m in table.moves] == [1, 2]


def test_seats_that_move_together_wait_for_each_other() -> None:
    table = table_of("navigation", NAVIGATION, ANN, BOB)
    do(table, table.start())
    plan = table.game.write(table.game.legal(table.state, 1).sample(default_rng(3)))
    do(table, table.act(1, plan, "person"))
    assert (table.waiting_for, table.to_move, len(table.moves)) == ((0,), (0, 1), 0)
    with refused("not_your_turn"):
        table.act(1, plan, "person")
    ready = position(table, (), {}, None)
    assert (ready.ready, ready.to_move, ready.moves) == ([1], [0, 1], 0)
    (seen,) = visible_events(table, table.log[-1], ())
    assert seen.model_dump()["seat"] == 1
    assert "action" not in seen.model_dump()  # the plan is shown when both have theirs
    first, second = position(table, (0, 1), {0: "draft", 1: "draft"}, None).seats.values()
    assert (first.to_move, first.locked, first.draft) == (True, None, "draft")
    assert (second.to_move, second.locked, second.draft) == (False, plan, None)
    other = table.game.write(table.game.legal(table.state, 0).sample(default_rng(3)))
    do(table, table.act(0, other, "person"))
    assert (len(table.moves), table.pending, table.waiting_for) == (1, {}, (0, 1))
    assert list(table.moves[0].actions) == [0, 1]


def test_a_game_ends_with_its_last_move() -> None:
    table = gomoku(*FIVE[:-1])
    last = table.act(0, "e1", "person")
    ending = table.ending(last, "t")
    assert ending is not None
    assert (ending.names, ending.returns, ending.moves) == (["Ann", "Bob"], (1.0, -1.0), 9)
    assert table.ending(table.act(0, "e5", "person"), "t") is None
    decision = table.decision
    do(table, last)
    assert table.decision == decision + 2  # the move, and the end
    assert (table.status, table.returns, table.log[-1].ended) == ("over", (1.0, -1.0), True)
    assert table.ending([], "t") is None
    with refused("game_over"):
        table.act(1, "e5", "person")
    with refused("game_over"):
        table.forfeit(1, "resigned", "")
    result = position(table, (), {}, None).result
    assert result is not None
    assert (result.winners, result.returns) == ([0], [1.0, -1.0])
    assert [e.model_dump()["kind"] for e in visible_events(table, table.log[-1], ())][1:] == [
        "ended"
    ]


def test_a_forfeit_ends_the_game() -> None:
    table = gomoku("a1")
    made = table.forfeit(0, "resigned", "gave up", "id")
    ending = table.ending(made, "t")
    assert ending is not None
    assert (ending.returns, ending.moves) == ((-1.0, 1.0), 1)
    do(table, made)
    assert (table.status, table.to_move, table.returns) == ("over", (), (-1.0, 1.0))
    assert table.version_of(0, "id") == table.version
    result = position(table, (0,), {}, None).result
    assert result is not None
    assert [(f.seat, f.reason, f.detail) for f in result.forfeits] == [(0, "resigned", "gave up")]
    end = parse_record(record_text(table, ())).end
    assert end is not None
    assert (end.end, len(end.forfeits)) == ("forfeit", 1)


def test_chance_draws_from_the_seed_and_the_place_of_its_event() -> None:
    table = table_of("battleship", {"rows": 5, "cols": 5}, ANN)
    made = table.start()
    assert [type(e) for e in made] == [StartedEvent, ActedEvent]
    drawn = made[1]
    assert isinstance(drawn, ActedEvent)
    assert (drawn.seat, drawn.by) == (CHANCE, "nature")
    assert drawn.action == FLEET
    do(table, made)
    assert table.to_move == (0,)
    (seen,) = visible_events(table, table.log[-1], (0,))
    assert [(a["name"], a["action"]) for a in seen.model_dump()["actions"]] == [("nature", None)]


FLEET = "C3-E3 B5-C5"
"""What chance draws from seed 5 at version 1: rooms of existing databases are rebuilt from it."""


# Taking back


def test_who_plays_an_agent_takes_back_at_once() -> None:
    table = gomoku("a1", "b1", "c1", holders=(ANN, BOT))
    assert (table.undo_count(0), table.undo_count(1)) == (1, 2)
    do(table, table.act(1, "d1", "agent"))
    made = table.undo(0, "id")
    assert made == [TakenBackEvent(0, 2, id="id")]
    decision = table.decision
    do(table, made)
    assert [m.number for m in table.moves] == [1, 2]
    assert table.to_move == (0,)
    assert table.decision == decision + 1
    assert table.version_of(0, "id") == table.version


def test_a_person_is_asked_first() -> None:
    table = gomoku("a1", "b1")
    with refused("no_offer"):
        table.answer(1, "undo", True, None)
    made = table.undo(0, "ask")
    assert made == [OfferedEvent(0, "undo", id="ask")]
    do(table, made)
    assert table.offers == [("undo", 0)]
    assert table.undo(0, None) == []  # it stands already
    with refused("no_offer"):
        table.answer(0, "undo", True, None)
    with refused("no_offer"):
        table.answer(1, "rematch", True, None)
    assert table.answer(1, "undo", False, "no") == [WithdrawnEvent(1, "undo", 0, id="no")]
    agreed = table.answer(1, "undo", True, "yes")
    assert agreed == table.undo(1, "yes") == [TakenBackEvent(0, 2, 1, id="yes")]
    do(table, agreed)
    assert (table.moves, table.offers, table.to_move) == ([], [], (0,))
    assert table.version_of(1, "yes") == table.version
    assert table.version_of(0, "yes") is None
    with refused("no_undo"):
        table.undo(0, None)


def test_a_declined_offer_and_one_that_a_move_overtakes_are_closed() -> None:
    table = gomoku("a1", "b1")
    do(table, table.undo(0, None))
    do(table, table.answer(1, "undo", False, None))
    assert table.offers == []
    do(table, table.undo(1, None))
    made = table.act(0, "c1", "person")
    assert made[1:] == [WithdrawnEvent(1, "undo", 1)]
    do(table, made)
    assert table.offers == []


def test_what_was_seen_can_not_be_taken_back() -> None:
    table = table_of("battleship", {"rows": 5, "cols": 5}, ANN)
    do(table, table.start())
    do(table, table.act(0, "a1", "person"))
    assert table.undo_count(0) == 0
    with pytest.raises(Refusal, match="can't be unseen"):
        table.undo(0, None)
    assert not position(table, (0,), {}, None).seats[0].can_undo
    with pytest.raises(Refusal, match="nothing to take back"):
        gomoku().undo(0, None)
    assert position(gomoku("a1"), (0,), {}, None).seats[0].can_undo
    assert not position(gomoku("a1"), (1,), {}, None).seats[1].can_undo
    assert not position(gomoku(*FIVE), (0,), {}, None).seats[0].can_undo


# Rematch


def test_a_rematch_needs_everybody() -> None:
    with refused("game_running"):
        gomoku("a1").rematch(0, None)
    table = gomoku(*FIVE)
    made = table.rematch(0, "again")
    assert made == [OfferedEvent(0, "rematch", id="again")]
    do(table, made or [])
    assert table.rematch(0, None) == []
    assert table.rematch(1, None) is None
    assert table.answer(1, "rematch", False, None) == [WithdrawnEvent(1, "rematch", 0)]
    do(table, [RematchedEvent(1, "newroomnewro")])
    assert (table.next_room, table.offers) == ("newroomnewro", [])
    assert table.rematch(0, None) == []
    assert gomoku(*FIVE, holders=(ANN, BOT)).rematch(0, None) is None


# Records and replays


def test_the_record_of_a_running_game_hides_what_its_viewer_may_not_know() -> None:
    table = table_of("battleship", {"rows": 5, "cols": 5}, ANN)
    do(table, table.start(), "begun")
    do(table, table.act(0, "a1", "person"), "t1")
    text = record_text(table, (0,))
    assert '"seed":null' in text
    assert '"chance":null' in text
    assert FLEET not in text
    do(table, table.forfeit(0, "resigned", ""), "t2")
    record = parse_record(record_text(table, ()))
    assert record.header.seed == 5
    assert record.moves[0] == {CHANCE: FLEET}
    assert record.end is not None
    assert (record.header.started, record.end.ts) == ("begun", "t2")


def test_moves_taken_back_stay_in_the_record_and_leave_the_replay() -> None:
    table = gomoku("a1", "b1", "c1", holders=(ANN, BOT))
    do(table, table.undo(0, None), "t4")
    do(table, table.act(0, "e5", "person"), "t5")
    record = parse_record(record_text(table, ()))
    assert list(record.moves) == [{0: "a1"}, {1: "b1"}, {0: "e5"}]
    assert '"c1"' in record.text
    assert record.text.count('"player":"black"') == 3, "details stand beside what all may see"
    start, moves = moves_of_record(record)
    assert (start, len(moves)) == (table.game.start(), 3)
    assert [m.ts for m in moves] == ["t1", "t2", "t5"]
    assert [m.number for m in moves] == [1, 2, 3]
    assert (moves[2].before, moves[2].after) == (table.moves[1].after, table.state)
    replay = replay_of_table(table, (0,))
    assert (replay.room, replay.started, replay.result) == ("abcdefghjkmn", "begun", None)
    assert [f.move for f in replay.frames] == [0, 1, 2, 3]
    assert [f.to_move for f in replay.frames] == [[0], [1], [0], [1]]
    assert replay.frames[0].moved is None
    assert [f.moved.move for f in replay.frames[1:] if f.moved] == [1, 2, 3]
    assert [set(f.views) for f in replay.frames] == [{"0"}] * 4
    assert set(replay_of_table(table, ()).frames[0].views) == {"spectator"}


def test_the_replay_of_a_finished_game_shows_every_seat() -> None:
    table = gomoku(*FIVE)
    replay = replay_of_table(table, (0,))
    assert set(replay.frames[0].views) == {"0", "1", "spectator"}
    assert replay.result is not None
    assert replay.result.winners == [0]
    read = replay_of_record(parse_record(record_text(table, ())))
    assert (read.room, read.result, read.frames) == (None, replay.result, replay.frames)
    unfinished = replay_of_record(parse_record(record_text(gomoku("a1"), ())))
    assert (unfinished.result, len(unfinished.frames)) == (None, 2)


def test_an_action_is_seen_by_those_from_whom_it_is_not_hidden() -> None:
    table = table_of("battleship", DUEL, ANN, BOB)
    do(table, table.start())
    fleets = {}
    for seat in table.to_move:
        action = table.game.legal(table.state, seat).sample(default_rng(seat))
        fleets[seat] = table.game.write(action)
        do(table, table.act(seat, fleets[seat], "person"))
    (move,) = table.moves
    shown = {
        seats: visible_actions(table.game, move, seats, reveal=False)
        for seats in ((), (0,), (1,), (0, 1))
    }
    assert shown[()] == {0: None, 1: None}
    assert shown[0,] == {0: fleets[0], 1: None}
    assert shown[1,] == {0: None, 1: fleets[1]}
    assert shown[0, 1] == fleets
    assert visible_actions(table.game, move, (), reveal=True) == fleets


def test_the_clock_plays_what_the_game_proposes() -> None:
    table = table_of("navigation", NAVIGATION, ANN, BOB)
    do(table, table.start())
    action = fallback(table, 0)
    assert action is not None
    table.game.check(table.state, 0, action)
    assert fallback(gomoku("a1"), 1) is None


def test_legal_actions_are_listed_for_the_seat_to_move() -> None:
    seats = position(gomoku("a1"), (0, 1), {}, None).seats
    assert seats[0].legal is None
    assert len(seats[1].legal or []) == 24
    assert "a1" not in (seats[1].legal or [])
    table = table_of("navigation", NAVIGATION, ANN, BOB)
    do(table, table.start())
    assert position(table, (0,), {}, None).seats[0].legal is None  # too many plans to list


def test_offers_are_announced_and_closed_when_the_game_ends() -> None:
    table = gomoku("a1", "b1")
    do(table, table.undo(0, None))
    assert len(visible_events(table, table.log[-1], ())) == 1
    do(table, table.answer(1, "undo", False, None))
    assert len(visible_events(table, table.log[-1], ())) == 1
    do(table, table.undo(0, None))
    do(table, table.forfeit(1, "resigned", ""))
    assert table.offers == []
    do(table, [RematchedEvent(1, "newroomnewro")])
    assert len(visible_events(table, table.log[-1], ())) == 1


def test_only_who_holds_no_seat_gets_the_view_of_a_spectator() -> None:
    table = gomoku("a1")
    assert position(table, (0,), {}, None).spectator is None
    shown = position(table, (), {}, None)
    assert shown.spectator is not None
    assert shown.seats == {}


def test_a_record_tells_what_is_left_of_a_clock() -> None:
    table = gomoku("a1")
    (event,) = table.act(1, "a2", "person")
    assert isinstance(event, ActedEvent)
    do(table, [msgspec.structs.replace(event, left=61.25)])
    moves = [json.loads(line) for line in record_text(table, ()).splitlines()[1:]]
    assert [move.get("clock_ms") for move in moves] == [None, 61_250]


# Help and pictures


def test_help_is_on_when_all_people_have_agreed() -> None:
    table = table_of("gomoku", {"size": 5}, ANN, OPEN)  # Ann wants it
    do(table, table.take_seat(None, "Bob", "bob"))
    assert not table.hints
    made = table.allow_hints(1, "x")
    assert made == [HintsAllowedEvent(1, id="x")]
    do(table, made)
    assert table.hints
    (seen,) = visible_events(table, table.log[-1], ())
    assert seen.model_dump() == {"kind": "hints_allowed", "seat": 1}
    assert table.allow_hints(0, None) == []


def test_only_games_without_a_page_of_their_own_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    table = gomoku("a1")
    assert picture(table.game, table.state, 0) is None
    bare = replace(find("gomoku"), own_page=False)
    monkeypatch.setattr("trireme.server.rooms.views.find", lambda _: bare)
    drawn = picture(table.game, table.state, 0)
    assert drawn is not None
    assert "X" in drawn.text
