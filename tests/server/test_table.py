"""A table is the sum of its events: built again from them, it is the same table."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.random import default_rng
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from trireme.core.game import CHANCE
from trireme.core.options import settings as settings_of
from trireme.core.record import parse_record
from trireme.core.registry import make_game
from trireme.server.keys import is_room_id, new_room_id, new_token, token_hash
from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.events import AnyEvent, Chair, Setup, decode, encode
from trireme.server.rooms.recording import record_text
from trireme.server.rooms.table import Table
from trireme.server.rooms.views import happenings, position
from trireme.server.storage.event_store import Finished, Ledger
from trireme.store import open_store

GAMES = [
    ("gomoku", {"size": 5}),
    ("battleship", {"duel": True, "rows": 5, "cols": 5}),
    ("battleship", {"rows": 5, "cols": 5, "mines": 3}),
    ("navigation", {"turn_limit": 4}),
]


def seated(game: str, settings: dict[str, Any], room: str | None = None) -> Table:
    """A table whose every seat is held by a person of its own."""
    made = make_game(game, **settings)
    chairs = tuple(Chair("person", f"p{s}", token_hash(f"p{s}")) for s in range(made.seats))
    return Table(
        Setup(
            room or new_room_id(),
            game,
            None,
            settings_of(made),
            chairs,
            seed=5,
            clock=None,
            think=1,
            pace=0,
            public=True,
            hints=True,
            created="2026-01-01T00:00:00.000+00:00",
        )
    )


def wish(table: Table, draw: Any, id: str) -> list[AnyEvent]:
    """Something that one of the players wants now, allowed or not."""
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
@settings(max_examples=40)
@given(data=st.data())
def test_a_table_built_again_from_its_stored_events_is_the_same(
    game: str, settings_: dict[str, Any], data: st.DataObject
) -> None:
    table = seated(game, settings_)
    for event in table.start():
        table.add(event, "t0")
    refused = 0
    for number in range(data.draw(st.integers(1, 40))):
        try:
            made = wish(table, data.draw, str(number))
        except Refusal:
            refused += 1
            continue
        ending = table.ending(made, "t")
        for event in made:
            table.add(event, f"2026-01-01T00:00:00.{number:03}+00:00")
        assert (ending is not None) == (bool(made) and table.entries[-1].ended)
        if ending is not None:
            assert (ending.returns, ending.moves) == (table.returns, len(table.moves))
    again = Table(table.setup)
    for entry in table.entries:
        again.add(decode(encode(entry.event)), entry.ts)
    for seats in ((), *((s,) for s in range(table.game.seats))):
        assert position(again, seats, {}, None) == position(table, seats, {}, None)
        told = [[happenings(t, e, seats) for e in t.entries] for t in (table, again)]
        assert told[0] == told[1]
        assert record_text(again, seats) == record_text(table, seats)
    if table.status == "over":
        record = parse_record(record_text(table, ()))
        record.verify()
        assert record.returns == table.returns


def test_the_rooms_seed_decides_what_nature_does() -> None:
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


def test_the_ledger_gives_back_what_it_was_given(store_url: str) -> None:
    engine = open_store(store_url)

    async def story() -> None:
        ledger = Ledger(engine)
        tables = [seated("gomoku", {"size": 5}) for _ in range(30)]

        async def one(table: Table, number: int) -> None:
            setup = table.setup
            made = table.start()
            await ledger.create(setup, made, "t0")
            await ledger.draft(setup.room, 0, 1, "a1")
            await ledger.draft(setup.room, 0, 2, "b1")
            await ledger.draft(setup.room, 1, 2, "b1")
            await ledger.draft(setup.room, 1, 2, None)
            for event in made:
                table.add(event, "t0")
            for cell in ("a1", "b1", "c1"):
                made = table.act(table.to_move[0], cell, "person", cell)
                await ledger.append(setup.room, table.version, made, "t1")
                for event in made:
                    table.add(event, "t1")
            if number % 2:
                end = Finished(setup.room, "gomoku", None, ["p0", "p1"], [1, -1], 3, f"t{number}")
                made = table.forfeit(1, "resigned", "", None)
                await ledger.append(setup.room, table.version, made, "t2", end)
                for event in made:
                    table.add(event, "t2")

        await asyncio.gather(*(one(table, n) for n, table in enumerate(tables, 10)))
        for table in tables:
            stored = await ledger.load(table.setup.room)
            assert stored is not None
            assert stored.setup == table.setup
            assert stored.events == [(e.event, e.ts) for e in table.entries]
            assert stored.drafts == {0: (2, "b1")}
        assert await ledger.load("nosuchroom22") is None
        recent = await ledger.recent("gomoku", 5)
        assert [game.ended for game in recent] == ["t39", "t37", "t35", "t33", "t31"]
        assert recent[0].returns == [1, -1]
        assert await ledger.recent("navigation", 5) == []
        ledger.close()

    asyncio.run(story())
    engine.dispose()


def test_the_ledger_finds_its_database_again(postgres_server: str) -> None:
    engine = open_store(f"{postgres_server}/postgres")

    async def story() -> None:
        ledger = Ledger(engine)
        await ledger.ping()
        with engine.connect() as other:
            others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
            other.execute(text(f"{others} pg_backend_pid() AND backend_type = 'client backend'"))
        with pytest.raises(DBAPIError):
            await ledger.ping()
        await ledger.ping()
        ledger.close()

    asyncio.run(story())
    engine.dispose()


def test_one_wish_that_fails_takes_no_other_with_it(store_url: str) -> None:
    engine = open_store(store_url)

    async def story() -> None:
        ledger = Ledger(engine)
        table = seated("gomoku", {"size": 5})
        other = seated("gomoku", {"size": 5})
        await ledger.create(table.setup, table.start(), "t0")
        outcomes = await asyncio.gather(
            ledger.create(other.setup, other.start(), "t0"),
            ledger.append(table.setup.room, 0, table.start(), "t0"),
            ledger.append("nosuchroom22", 0, table.start(), "t0"),
            ledger.draft(table.setup.room, 0, 1, "a1"),
            return_exceptions=True,
        )
        assert [isinstance(o, Exception) for o in outcomes] == [False, True, True, False]
        stored = await ledger.load(other.setup.room)
        assert stored is not None
        assert len(stored.events) == 1
        ledger.close()

    asyncio.run(story())
    engine.dispose()
