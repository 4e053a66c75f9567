"""How long rooms are kept, in either database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from trireme.server.rooms.events import Acted, AnyEvent, Chair, Sat, Setup
from trireme.server.storage.event_store import Finished, Ledger
from trireme.server.storage.retention import AT_ONCE, Retention
from trireme.store import open_store

NOW = datetime(2030, 6, 1, tzinfo=UTC)
KEPT = Retention(finished=365, unfinished=30, empty=2)


def ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat(timespec="milliseconds")


def setup(room: str) -> Setup:
    chairs = (Chair("person", "Ada", "hash"), Chair("open"))
    return Setup(room, "gomoku", None, {}, chairs, 1, None, 1.0, 0.0, True, True, ago(0))


def with_ledger(url: str, story: Callable[[Ledger], Awaitable[None]]) -> None:
    engine = open_store(url)

    async def whole() -> None:
        ledger = Ledger(engine)
        try:
            await story(ledger)
        finally:
            ledger.close()

    asyncio.run(whole())
    engine.dispose()


def test_each_kind_of_room_has_its_time(store_url: str) -> None:
    move = Acted(0, "h8", "person")
    nature = Acted(-1, "A1-A5", "nature")
    boast = Sat(1, '"by":"person"', "token")
    rooms: dict[str, tuple[float, list[tuple[float, AnyEvent]], bool]] = {
        "new": (1, [], False),
        "empty": (3, [], False),
        "only-nature": (3, [(3, nature)], False),
        "only-a-boast": (9, [(9, boast)], False),
        "just-joined": (9, [(1, boast)], False),
        "going-on": (90, [(90, move), (29, move)], False),
        "abandoned": (90, [(90, move), (31, move)], False),
        "finished": (364, [(364, move)], True),
        "forgotten": (366, [(366, move)], True),
    }
    gone = {"empty", "only-nature", "only-a-boast", "abandoned", "forgotten"}

    async def story(ledger: Ledger) -> None:
        for room, (made, happened, over) in rooms.items():
            await ledger.create(setup(room), [], ago(made))
            for version, (days, event) in enumerate(happened):
                line = Finished(room, "gomoku", None, ["Ada", ""], [1, -1], 1, ago(days))
                done = [event]
                await ledger.append(room, version, done, ago(days), line if over else None)
            await ledger.draft(room, 0, 0, "h8")
        assert await ledger.forget(KEPT, ago(0), ()) == len(gone)
        left = {room for room in rooms if await ledger.load(room) is not None}
        assert left == set(rooms) - gone

    with_ledger(store_url, story)


def test_rooms_in_use_are_spared_and_many_go_bit_by_bit(store_url: str) -> None:
    async def story(ledger: Ledger) -> None:
        for number in range(AT_ONCE + 5):
            await ledger.create(setup(f"room-{number}"), [], ago(1000 - number))
        spared = {"room-0", "room-3"}
        gone = [await ledger.forget(KEPT, ago(0), spared) for _ in range(3)]
        assert gone == [AT_ONCE, 3, 0]
        assert await ledger.load("room-0") is not None
        assert await ledger.load("room-1") is None

    with_ledger(store_url, story)


def test_days_can_be_chosen() -> None:
    assert Retention.of(365) == Retention()
    assert Retention.of(10) == Retention(10, 10, 2)
    assert Retention.of(1) == Retention(1, 1, 1)
    assert Retention.of(0) is None
