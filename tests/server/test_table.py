"""Event sourcing: a room rebuilt from its stored events is in the same state."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from trireme.core.game import CHANCE
from trireme.core.record import parse_record
from trireme.core.registry import make_game
from trireme.server.keys import is_room_id, new_room_id, new_token, token_hash
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.events import AnyEvent, RoomSetup, SeatHolder, decode, encode
from trireme.server.rooms.recording import record_text
from trireme.server.rooms.table import Ending, GameTable
from trireme.server.rooms.views import position, visible_events
from trireme.server.storage.event_store import EventStore
from trireme.store import open_store

from .tables import table_of

GAMES = [
    ("gomoku", {"size": 5}),
    ("battleship", {"duel": True, "rows": 5, "cols": 5}),
    ("battleship", {"rows": 5, "cols": 5, "mines": 3}),
    ("navigation", {"turn_limit": 4}),
    ("navigation", {"turn_limit": 3, "ships": ("sloop", "dhow", "cutter", "war_brig")}),
]


def seated(game: str, settings: dict[str, Any], room: str | None = None) -> GameTable:
    """A table whose every seat is held by a person of its own."""
    seats = range(make_game(game, **settings).seats)
    holders = [SeatHolder("person", f"p{s}", token_hash(f"p{s}")) for s in seats]
    return table_of(game, settings, *holders, room=room or new_room_id())


def request(table: GameTable, draw: Any, id: str) -> list[AnyEvent]:
    """A request of one of the players, allowed or not."""
    seat = draw(st.integers(0, table.game.seats - 1))
    kind = draw(st.sampled_from(["act"] * 12 + ["undo", "undo", "yes", "no", "resign", "rematch"]))
    match kind:
        case "act":
            if seat not in table.to_move:
                return table.act(seat, "a1", "person", id)
            rng = default_rng(draw(st.integers(0, 2**32)))
            action = table.game.legal(table.state, seat).sample(rng)
            return table.act(seat, table.game.write(action), "person", id)
        case "undo":
            return table.undo(seat, id)
        case "yes" | "no":
            return table.answer(seat, "undo", kind == "yes", id)
        case "rematch":
            return table.rematch(seat, id) or []
    return table.forfeit(seat, "resigned", "gave the game up", id)


@pytest.mark.parametrize(("game", "settings_"), GAMES)
@settings(max_examples=settings().max_examples // 5)
@given(data=st.data())
def test_a_table_rebuilt_from_its_stored_events_is_the_same(
    game: str, settings_: dict[str, Any], data: st.DataObject
) -> None:
    table = seated(game, settings_)
    play_events(table, table.start())
    refused = 0
    for number in range(data.draw(st.integers(1, 40))):
        try:
            made = request(table, data.draw, str(number))
        except Refusal:
            refused += 1
            continue
        ending = table.ending(made, "t")
        for event in made:
            table.apply_event(event, f"2026-01-01T00:00:00.{number:03}+00:00")
        assert (ending is not None) == (bool(made) and table.log[-1].ended)
        if ending is not None:
            assert (ending.returns, ending.moves) == (table.returns, len(table.moves))
    again = GameTable(table.setup)
    for entry in table.log:
        again.apply_event(decode(encode(entry.event)), entry.ts)
    for seats in ((), *((s,) for s in range(table.game.seats))):
        assert position(again, seats, {}, None) == position(table, seats, {}, None)
        seen = [[visible_events(t, e, seats) for e in t.log] for t in (table, again)]
        assert seen[0] == seen[1]
        assert record_text(again, seats) == record_text(table, seats)
    if table.status == "over":
        record = parse_record(record_text(table, ()))
        record.verify()
        assert record.returns == table.returns


def test_chance_moves_are_drawn_from_the_rooms_seed() -> None:
    fleets = set()
    for _ in range(3):
        table = seated("battleship", {})
        made = table.start()
        assert [e.seat for e in made[1:]] == [CHANCE]  # type: ignore[union-attr]
        fleets.add(made[1].action)  # type: ignore[union-attr]
    assert len(fleets) == 1


def test_a_token_is_kept_only_as_its_hash() -> None:
    token = new_token()
    assert token not in token_hash(token)
    assert token_hash(token) == token_hash(token)
    assert token_hash(new_token()) != token_hash(token)
    assert is_room_id(new_room_id())
    assert not is_room_id("../../../etc")


def test_the_event_store_returns_what_was_stored(store_url: str) -> None:
    engine = open_store(store_url)

    async def story() -> None:
        store = EventStore(engine)
        tables = [seated("gomoku", {"size": 5}) for _ in range(30)]

        async def one(table: GameTable, number: int) -> None:
            setup = table.setup
            made = table.start()
            await store.create(setup, made, "t0")
            await store.draft(setup.room, 0, 1, "a1")
            await store.draft(setup.room, 0, 2, "b1")
            await store.draft(setup.room, 1, 2, "b1")
            await store.draft(setup.room, 1, 2, None)
            for event in made:
                table.apply_event(event, "t0")
            for cell in ("a1", "b1", "c1"):
                made = table.act(table.to_move[0], cell, "person", cell)
                await store.append(setup.room, table.version, made, "t1")
                for event in made:
                    table.apply_event(event, "t1")
            if number % 2:
                end = Ending(["p0", "p1"], (1, -1), 3)
                made = table.forfeit(1, "resigned", "", None)
                await store.append(setup.room, table.version, made, f"t{number}", end)
                for event in made:
                    table.apply_event(event, f"t{number}")

        await asyncio.gather(*(one(table, n) for n, table in enumerate(tables, 10)))
        for table in tables:
            stored = await store.load(table.setup.room)
            assert stored is not None
            assert stored.setup == table.setup
            assert stored.events == [(e.event, e.ts) for e in table.log]
            assert stored.drafts == {0: (2, "b1")}
        assert await store.load("nosuchroom22") is None
        recent = await store.recent("gomoku", 5)
        assert [game.ended for game in recent] == ["t39", "t37", "t35", "t33", "t31"]
        assert recent[0].returns == [1, -1]
        assert await store.recent("navigation", 5) == []
        store.close()

    asyncio.run(story())
    engine.dispose()


def test_the_event_store_reconnects_to_its_database(postgres_server: str) -> None:
    engine = open_store(f"{postgres_server}/postgres")

    async def story() -> None:
        store = EventStore(engine)
        await store.ping("t")
        with engine.connect() as other:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
            other.execute(text(f"{others} pg_backend_pid() AND backend_type = 'client backend'"))
        with pytest.raises(DBAPIError):
            await store.ping("t")
        await store.ping("t")
        store.close()

    asyncio.run(story())
    engine.dispose()


def test_one_request_that_fails_does_not_affect_its_batch(store_url: str) -> None:
    engine = open_store(store_url)

    async def story() -> None:
        store = EventStore(engine)
        table = seated("gomoku", {"size": 5})
        other = seated("gomoku", {"size": 5})
        await store.create(table.setup, table.start(), "t0")
        outcomes = await asyncio.gather(
            store.create(other.setup, other.start(), "t0"),
            store.append(table.setup.room, 0, table.start(), "t0"),
            store.append("nosuchroom22", 0, table.start(), "t0"),
            store.draft(table.setup.room, 0, 1, "a1"),
            return_exceptions=True,
        )
        assert [isinstance(o, Exception) for o in outcomes] == [False, True, True, False]
        stored = await store.load(other.setup.room)
        assert stored is not None
        assert len(stored.events) == 1
        store.close()

    asyncio.run(story())
    engine.dispose()


def test_events_of_existing_databases_can_be_read() -> None:
    """Rows as earlier versions wrote them: tags and field names never change."""
    rows = [
        '{"kind":"sat","seat":1,"name":"Bob","token":"hash"}',
        '{"kind":"started"}',
        '{"kind":"acted","seat":-1,"action":"A1-A5","by":"nature"}',
        '{"kind":"acted","seat":0,"action":"h8","by":"person","id":"x"}',
        '{"kind":"took_back","seat":0,"count":2,"id":"y","accepted":1}',
        '{"kind":"forfeited","seat":1,"reason":"time","detail":"the clock ran out"}',
        '{"kind":"offered","seat":0,"what":"undo","id":"z"}',
        '{"kind":"withdrawn","seat":1,"what":"undo","proposer":0}',
        '{"kind":"rematched","seat":0,"room":"abcdefghjkmn","id":"r"}',
    ]
    for row in rows:
        assert json.loads(encode(decode(row))) == json.loads(row)
    setup = (
        b'{"room":"abcdefghjkmn","game":"gomoku","variant":null,"settings":{"size":9},'
        b'"chairs":[{"kind":"person","name":"Ann","token":"hash"},'
        b'{"kind":"agent","name":"random","token":null}],"seed":7,"clock":null,"think":1.0,'
        b'"pace":0.0,"public":true,"hints":true,"created":"2026-01-01T00:00:00.000+00:00"}'
    )
    read = msgspec.json.decode(setup, type=RoomSetup)
    assert [holder.name for holder in read.holders] == ["Ann", "random"]
    assert msgspec.json.encode(read) == setup


def play_events(table: GameTable, made: list[AnyEvent]) -> None:
    for event in made:
        table.apply_event(event, "t0")


def test_who_is_out_of_the_game_is_waited_for_no_more() -> None:
    rows = [{"x": 2, "y": 2, "facing": "N"}, {"x": 3, "y": 2, "facing": "N"}]
    sea = {"id": "x", "name": "X", "width": 9, "height": 9, "spawns": rows}
    table = seated("navigation", {"ships": ("cutter",) * 4, "map": sea, "phases": 1})
    play_events(table, table.start())
    for seat, plan in enumerate(("-h", "--", "--", "--")):
        assert seat in table.waiting_for
        play_events(table, table.act(seat, plan, "person", f"a{seat}"))
    assert table.status == "playing"
    assert table.waiting_for == (0, 2, 3)
    with pytest.raises(Refusal, match="not the turn of seat 1"):
        table.act(1, "--", "person", "b1")
    for seat in table.waiting_for:
        play_events(table, table.act(seat, "--", "person", f"c{seat}"))
    assert table.state.turn == 2
