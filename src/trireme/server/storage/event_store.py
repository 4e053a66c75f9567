"""The event store: append-only event logs of rooms in the database, written with group commit.

One thread does all reading and writing. A caller's `await` returns when its rows are committed;
requests that arrive while a transaction runs are batched into the next one, so that a busy server
commits many moves at once.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, text

from trireme.server.protocol.bodies import RecentGame
from trireme.server.rooms.events import AnyEvent, RoomSetup, decode, encode
from trireme.server.rooms.table import Ending

from .leases import check_lease
from .retention import Retention

T = TypeVar("T")
MAX_BATCH = 500
"""Requests of one transaction."""
MAX_ROWS = 100
"""Rows of one INSERT. Each statement reacquires Python's global interpreter lock, which on a busy
machine takes far longer than the database does."""
MAX_STALLED = "10s"
"""How long PostgreSQL lets a transaction wait for a server that hangs: a takeover waits for it."""
MAX_DELETED = 200
"""Expired rooms deleted in one transaction: moves wait for it."""


@dataclass(frozen=True)
class StoredRoom:
    """A room as the database has it."""

    setup: RoomSetup
    events: list[tuple[AnyEvent, str]]
    """Each with its timestamp."""
    drafts: dict[int, tuple[int, str]]
    """By seat: the decision that the draft was made for, and its text."""


@dataclass(frozen=True)
class _Row:
    """One row of `room_events`."""

    room: str
    version: int
    event: str
    ts: str


@dataclass
class _Request:
    """What one caller waits for: the rows are inserted, then `execute` is called."""

    rows: Sequence[_Row]
    execute: Callable[[Connection], Any] | None
    lease: int | None
    """Under which the room is owned (`leases.py`); None: there is only one server."""
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]


class EventStore:
    """Rooms, their event logs and drafts."""

    def __init__(
        self, engine: Engine, on_commit: Callable[[float, int], None] | None = None
    ) -> None:
        """`on_commit(seconds, requests)` is called in the store's thread after a transaction."""
        self.engine = engine
        self._on_commit = on_commit
        self._requests: queue.SimpleQueue[_Request | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="event-store", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Commit the queued requests, then stop the thread."""
        self._requests.put(None)
        self._thread.join()

    async def ping(self, ts: str) -> None:
        """Return if the database can be written."""
        await self._submit(
            lambda connection: connection.execute(
                text(
                    "INSERT INTO server_state (name, value) VALUES ('health', :ts)"
                    " ON CONFLICT (name) DO UPDATE SET value = :ts"
                ),
                {"ts": ts},
            )
        )

    async def create(self, setup: RoomSetup, events: Sequence[AnyEvent], ts: str) -> None:
        def execute(connection: Connection) -> None:
            connection.execute(
                text(
                    "INSERT INTO rooms (room_id, game, variant, setup, public, status, names,"
                    " returns, moves, created, updated) VALUES (:room, :game, :variant, :setup,"
                    " :public, 'open', '[]', '[]', 0, :ts, :ts)"
                ),
                {
                    "room": setup.room,
                    "game": setup.game,
                    "variant": setup.variant,
                    "setup": _json(setup),
                    "public": setup.public,
                    "ts": ts,
                },
            )
            _insert(connection, _rows(setup.room, 0, events, ts))

        await self._submit(execute)

    async def append(
        self,
        room: str,
        version: int,
        events: Sequence[AnyEvent],
        ts: str,
        ending: Ending | None = None,
        *,
        lease: int | None = None,
    ) -> None:
        """Append the events that follow `version`, and the final result where they end the game.

        Raises `LeaseLost` where the room is no longer owned under `lease`; so does `draft`.
        """
        rows = _rows(room, version, events, ts)
        if ending is None:
            await self._submit(None, rows, lease)
        else:
            await self._submit(
                lambda connection: _finish(connection, room, ending, ts), rows, lease
            )

    async def draft(
        self, room: str, seat: int, decision: int, action: str | None, *, lease: int | None = None
    ) -> None:
        """Store a seat's draft; None deletes it."""

        def execute(connection: Connection) -> None:
            row = {"room": room, "seat": seat, "decision": decision, "action": action}
            connection.execute(
                text("DELETE FROM room_drafts WHERE room_id = :room AND seat = :seat"), row
            )
            if action is not None:
                connection.execute(
                    text("INSERT INTO room_drafts VALUES (:room, :seat, :decision, :action)"), row
                )

        await self._submit(execute, lease=lease)

    async def load(self, room: str) -> StoredRoom | None:
        """The room, or None where there is none."""
        return await self._submit(lambda connection: _load(connection, room))

    async def recent(self, game: str | None, count: int) -> list[RecentGame]:
        """Finished public games, newest first."""
        return await self._submit(lambda connection: _recent(connection, game, count))

    async def delete_expired(
        self, retention: Retention, now: str, in_use: Collection[str], *, lease: int | None = None
    ) -> int:
        """Delete up to `MAX_DELETED` expired rooms, none that are `in_use` here and none that
        another server owns; return their number."""
        return await self._submit(
            lambda connection: _delete_expired(connection, retention, now, in_use, lease)
        )

    async def _submit(
        self,
        execute: Callable[[Connection], T] | None,
        rows: Sequence[_Row] = (),
        lease: int | None = None,
    ) -> T:
        """Insert the rows and call `execute`, in one transaction."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._requests.put(_Request(rows, execute, lease, loop, done))
        return await done

    def _run(self) -> None:
        with self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection.execute(
                    text(f"SET idle_in_transaction_session_timeout = '{MAX_STALLED}'")
                )
                connection.commit()
            while (request := self._requests.get()) is not None:
                batch = [request]
                stop = False
                while len(batch) < MAX_BATCH and not self._requests.empty():
                    more = self._requests.get()
                    if more is None:
                        stop = True
                        break
                    batch.append(more)
                self._commit(connection, batch)
                if stop:
                    return

    def _commit(self, connection: Connection, batch: list[_Request]) -> None:
        """One transaction for the batch; if any request fails, one for each."""
        began = time.perf_counter()
        try:
            results = _execute(connection, batch)
            connection.commit()
        except Exception as error:
            connection.rollback()
            if len(batch) == 1:
                _resolve(batch, [None], error)
            else:
                for request in batch:
                    self._commit(connection, [request])
            return
        _resolve(batch, results)
        if self._on_commit is not None:
            self._on_commit(time.perf_counter() - began, len(batch))


def _execute(connection: Connection, batch: Sequence[_Request]) -> list[Any]:
    """Execute the requests in order; rows of consecutive requests share INSERT statements."""
    for lease in {request.lease for request in batch}:
        if lease is not None:
            check_lease(connection, lease)
    results: list[Any] = []
    rows: list[_Row] = []
    for request in batch:
        rows.extend(request.rows)
        if request.execute is None:
            results.append(None)
        else:
            _insert(connection, rows)
            rows.clear()
            results.append(request.execute(connection))
    _insert(connection, rows)
    return results


def _resolve(
    batch: Sequence[_Request], results: Sequence[Any], error: Exception | None = None
) -> None:
    """Complete the futures of all callers with one callback in their event loop."""

    def resolve() -> None:
        for request, result in zip(batch, results, strict=True):
            if request.done.cancelled():
                continue
            if error is None:
                request.done.set_result(result)
            else:
                request.done.set_exception(error)

    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        batch[0].loop.call_soon_threadsafe(resolve)


def _rows(room: str, version: int, events: Sequence[AnyEvent], ts: str) -> list[_Row]:
    return [_Row(room, version + n, encode(event), ts) for n, event in enumerate(events, 1)]


def _insert(connection: Connection, rows: Sequence[_Row]) -> None:
    for begin in range(0, len(rows), MAX_ROWS):
        some = rows[begin : begin + MAX_ROWS]
        values = [value for row in some for value in (row.room, row.version, row.event, row.ts)]
        # In the driver's own words: SQLAlchemy would spend more time on the names of parameters
        # than the database on the rows.
        place = "%s" if connection.dialect.name == "postgresql" else "?"
        connection.exec_driver_sql(_insert_statement(len(some), place), tuple(values))


@cache
def _insert_statement(count: int, place: str) -> str:
    """The INSERT of `count` events; `place` stands for a parameter."""
    row = f"({', '.join([place] * 4)})"
    places = ", ".join([row] * count)
    return f"INSERT INTO room_events (room_id, version, event, ts) VALUES {places}"


def _finish(connection: Connection, room: str, ending: Ending, ts: str) -> None:
    connection.execute(
        text(
            "UPDATE rooms SET status = 'over', names = :names, returns = :returns,"
            " moves = :moves, updated = :ts WHERE room_id = :room"
        ),
        {
            "room": room,
            "names": _json(ending.names),
            "returns": _json(ending.returns),
            "moves": ending.moves,
            "ts": ts,
        },
    )


def _load(connection: Connection, room: str) -> StoredRoom | None:
    key = {"room": room}
    setup = connection.execute(
        text("SELECT setup FROM rooms WHERE room_id = :room"), key
    ).scalar_one_or_none()
    if setup is None:
        return None
    rows = connection.execute(
        text("SELECT event, ts FROM room_events WHERE room_id = :room ORDER BY version"), key
    )
    events = [(decode(event), ts) for event, ts in rows]
    drafts = connection.execute(
        text("SELECT seat, decision, action FROM room_drafts WHERE room_id = :room"), key
    )
    return StoredRoom(
        msgspec.json.decode(setup, type=RoomSetup),
        events,
        {seat: (decision, action) for seat, decision, action in drafts},
    )


def _recent(connection: Connection, game: str | None, count: int) -> list[RecentGame]:
    rows = connection.execute(
        text(
            "SELECT room_id, game, variant, names, returns, moves, updated FROM rooms"
            " WHERE status = 'over' AND public"
            + (" AND game = :game" if game is not None else "")
            + " ORDER BY updated DESC LIMIT :count"
        ),
        {"game": game, "count": count} if game is not None else {"count": count},
    )
    return [
        RecentGame(
            room=row.room_id,
            game=row.game,
            variant=row.variant,
            seats=msgspec.json.decode(row.names, type=list[str]),
            returns=msgspec.json.decode(row.returns, type=list[float]),
            moves=row.moves,
            ended=row.updated,
        )
        for row in rows
    ]


_NOT_ELSEWHERE = "(owner IS NULL OR owner = :lease OR owner NOT IN (SELECT server_id FROM servers))"
"""The condition that no other server owns the room."""
_EXPIRED = f"""
SELECT room_id FROM rooms WHERE {_NOT_ELSEWHERE} AND (
  (status = 'over' AND updated < :finished)
  OR (status <> 'over' AND updated < :empty
      AND NOT EXISTS (SELECT 1 FROM room_events AS e WHERE e.room_id = rooms.room_id
                      AND (e.ts >= :unfinished
                           AND (e.event LIKE :person OR e.event LIKE :agent)
                           OR e.ts >= :empty))))
ORDER BY updated LIMIT :count
"""


def _delete_expired(
    connection: Connection,
    retention: Retention,
    now: str,
    in_use: Collection[str],
    lease: int | None,
) -> int:
    def before(days: float) -> str:
        then = datetime.fromisoformat(now) - timedelta(days=days)
        return then.isoformat(timespec="milliseconds")

    values = {
        "finished": before(retention.finished),
        "unfinished": before(retention.unfinished),
        "empty": before(retention.empty),
        "person": '%"by":"person"%',
        "agent": '%"by":"agent"%',
        "count": MAX_DELETED + len(in_use),
        "lease": lease,
    }
    found = connection.execute(text(_EXPIRED), values).scalars()
    expired = [room for room in found if room not in in_use][:MAX_DELETED]
    for room in expired:
        connection.execute(
            text(f"DELETE FROM rooms WHERE room_id = :room AND {_NOT_ELSEWHERE}"),
            {"room": room, "lease": lease},
        )
    return len(expired)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
