"""How long rooms are kept, in either database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

from trireme.server.rooms.events import (
    ActedEvent,
    AnyEvent,
    RoomSetup,
    SeatHolder,
    SeatTakenEvent,
)
from trireme.server.rooms.table import Ending
from trireme.server.storage.event_store import MAX_DELETED, EventStore
from trireme.server.storage.retention import Retention
from trireme.store import open_store

NOW = datetime(2030, 6, 1, tzinfo=UTC)
KEPT = Retention(finished=365, unfinished=30, empty=2)


def ago(days: float) -> str:
    return (NOW - timedelta(days=days)).isoformat(timespec="milliseconds")


def setup(room: str) -> RoomSetup:
    holders = (SeatHolder("person", "Ada", "hash"), SeatHolder("open"))
    return RoomSetup(room, "gomoku", None, {}, holders, 1, None, 1.0, 0.0, True, True, ago(0))


def with_store(url: str, story: Callable[[EventStore], Awaitable[None]]) -> None:
    engine = open_store(url)

    async def whole() -> None:
        store = EventStore(engine)
        try:
            await story(store)
        finally:
            store.close()

    asyncio.run(whole())
    engine.dispose()


def test_each_kind_of_room_has_its_retention(store_url: str) -> None:
    move = ActedEvent(0, "h8", "person")
    nature = ActedEvent(-1, "A1-A5", "nature")
    boast = SeatTakenEvent(1, '"by":"person"', "token")
    rooms: dict[str, tuple[float, list[tuple[float, AnyEvent]], bool]] = {
        "new": (1, [], False),
        "empty": (3, [], False),
        "only-nature": (3, [(3, nature)], False),
        "only-a-boast": (9, [(9, boast)], False),
        "just-joined": (9, [(1, boast)], False),
        "going-on": (90, [(90, move), (29, move)], False),
        "abandoned": (90, [(90, move), (31, move)], False),
        "finished": (364, [(364, move)], True),
        "expired": (366, [(366, move)], True),
    }
    deleted = {"empty", "only-nature", "only-a-boast", "abandoned", "expired"}

    async def story(store: EventStore) -> None:
        for room, (made, events, over) in rooms.items():
            await store.create(setup(room), [], ago(made))
            for version, (days, event) in enumerate(events):
                ending = Ending(["Ada", ""], (1, -1), 1) if over else None
                await store.append(room, version, [event], ago(days), ending)
            await store.draft(room, 0, 0, "h8")
        assert await store.delete_expired(KEPT, ago(0), ()) == len(deleted)
        left = {room for room in rooms if await store.load(room) is not None}
        assert left == set(rooms) - deleted

    with_store(store_url, story)


def test_rooms_in_use_are_kept_and_many_are_deleted_in_batches(store_url: str) -> None:
    async def story(store: EventStore) -> None:
        for number in range(MAX_DELETED + 5):
            await store.create(setup(f"room-{number}"), [], ago(1000 - number))
        in_use = {"room-0", "room-3"}
        deleted = [await store.delete_expired(KEPT, ago(0), in_use) for _ in range(3)]
        assert deleted == [MAX_DELETED, 3, 0]
        assert await store.load("room-0") is not None
        assert await store.load("room-1") is None

    with_store(store_url, story)


def test_days_can_be_chosen() -> None:
    assert Retention.of(365) == Retention()
    assert Retention.of(10) == Retention(10, 10, 2)
    assert Retention.of(1) == Retention(1, 1, 1)
    assert Retention.of(0) is None
