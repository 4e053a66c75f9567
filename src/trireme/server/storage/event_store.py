"""The rooms' part of the database: one thread writes and reads it, many wishes to a transaction.

A caller's `await` returns when its rows are committed. While one transaction runs, the wishes that
come are gathered for the next, so that a busy server commits many moves at once.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Engine, TextClause, text

from trireme.server.rooms.events import AnyEvent, Setup, decode, encode

from .retention import Retention, forget

T = TypeVar("T")
BATCH = 500
ROWS = 100
"""Rows of one statement. The fewer statements, the less often the thread has to ask for Python's
lock again, which on a busy machine takes far longer than the database does."""


@dataclass(frozen=True)
class Stored:
    """A room as the database has it."""

    setup: Setup
    events: list[tuple[AnyEvent, str]]
    """Each with its time."""
    drafts: dict[int, tuple[int, str]]
    """By seat: the decision it was made for, and its text."""


@dataclass(frozen=True)
class Finished:
    """A finished game in the list of recent ones."""

    room: str
    game: str
    variant: str | None
    names: list[str]
    returns: list[float]
    moves: int
    ended: str


@dataclass(frozen=True)
class _Row:
    """One event on its way into the database."""

    room: str
    version: int
    event: str
    ts: str


@dataclass
class _Wish:
    rows: Sequence[_Row]
    do: Callable[[Connection], Any] | None
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[Any]


class Ledger:
    """Rooms, their events and drafts."""

    def __init__(self, engine: Engine, timed: Callable[[float, int], None] | None = None) -> None:
        self._engine = engine
        self._timed = timed
        self._wishes: queue.SimpleQueue[_Wish | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Commit what is waiting, then stop."""
        self._wishes.put(None)
        self._thread.join()

    async def ping(self) -> None:
        """Return if the database answers."""
        await self._do(lambda connection: connection.execute(text("SELECT 1")).scalar_one())

    async def create(self, setup: Setup, made: Sequence[AnyEvent], ts: str) -> None:
        def do(connection: Connection) -> None:
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
                    "setup": msgspec.json.encode(setup).decode(),
                    "public": setup.public,
                    "ts": ts,
                },
            )
            _insert(connection, _rows(setup.room, 0, made, ts))

        await self._do(do)

    async def append(
        self,
        room: str,
        version: int,
        made: Sequence[AnyEvent],
        ts: str,
        finished: Finished | None = None,
    ) -> None:
        """Store the events that follow `version`, and the end where they bring it."""
        rows = _rows(room, version, made, ts)
        if finished is None:
            await self._do(None, rows)
        else:
            await self._do(lambda connection: _finish(connection, finished), rows)

    async def draft(self, room: str, seat: int, decision: int, action: str | None) -> None:
        """Keep a seat's draft; None forgets it."""

        def do(connection: Connection) -> None:
            row = {"room": room, "seat": seat, "decision": decision, "action": action}
            connection.execute(
                text("DELETE FROM room_drafts WHERE room_id = :room AND seat = :seat"), row
            )
            if action is not None:
                connection.execute(
                    text("INSERT INTO room_drafts VALUES (:room, :seat, :decision, :action)"), row
                )

        await self._do(do)

    async def load(self, room: str) -> Stored | None:
        """The room, or None where there is none."""
        return await self._do(lambda connection: _load(connection, room))

    async def recent(self, game: str | None, count: int) -> list[Finished]:
        """Finished public games, newest first."""

        def do(connection: Connection) -> list[Finished]:
            rows = connection.execute(
                text(
                    "SELECT room_id, game, variant, names, returns, moves, updated FROM rooms"
                    " WHERE status = 'over' AND public"
                    + (" AND game = :game" if game is not None else "")
                    + " ORDER BY updated DESC LIMIT :count"
                ),
                {"game": game, "count": count} if game is not None else {"count": count},
            )
            return [Finished(r[0], r[1], r[2], _list(r[3]), _list(r[4]), r[5], r[6]) for r in rows]

        return await self._do(do)

    async def forget(self, kept: Retention, now: str, spared: Collection[str]) -> int:
        """Delete some rooms whose time is over, and give their number."""
        return await self._do(lambda connection: forget(connection, kept, now, spared))

    async def _do(self, do: Callable[[Connection], T] | None, rows: Sequence[_Row] = ()) -> T:
        """Have the rows entered, then `do` done, in one transaction."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._wishes.put(_Wish(rows, do, loop, done))
        return await done

    def _run(self) -> None:
        with self._engine.connect() as connection:
            while (wish := self._wishes.get()) is not None:
                batch = [wish]
                stop = False
                while len(batch) < BATCH and not self._wishes.empty():
                    more = self._wishes.get()
                    if more is None:
                        stop = True
                        break
                    batch.append(more)
                self._commit(connection, batch)
                if stop:
                    return

    def _commit(self, connection: Connection, batch: list[_Wish]) -> None:
        """One transaction for all, or, if any of them fails, one for each."""
        began = time.perf_counter()
        try:
            results = _execute(connection, batch)
            connection.commit()
        except Exception as error:
            connection.rollback()
            if len(batch) == 1:
                _tell(batch, [None], error)
            else:
                for wish in batch:
                    self._commit(connection, [wish])
            return
        _tell(batch, results)
        if self._timed is not None:
            self._timed(time.perf_counter() - began, len(batch))


def _execute(connection: Connection, batch: Sequence[_Wish]) -> list[Any]:
    """Do what is wished, in order, the rows of neighbours together."""
    results: list[Any] = []
    rows: list[_Row] = []
    for wish in batch:
        rows.extend(wish.rows)
        if wish.do is None:
            results.append(None)
        else:
            _insert(connection, rows)
            rows.clear()
            results.append(wish.do(connection))
    _insert(connection, rows)
    return results


def _tell(batch: Sequence[_Wish], results: Sequence[Any], error: Exception | None = None) -> None:
    """Wake everybody who waits, in one go."""

    def tell() -> None:
        for wish, result in zip(batch, results, strict=True):
            if wish.done.cancelled():
                continue
            if error is None:
                wish.done.set_result(result)
            else:
                wish.done.set_exception(error)

    with suppress(RuntimeError):  # the loop is closed: nobody waits any more
        batch[0].loop.call_soon_threadsafe(tell)


def _rows(room: str, version: int, made: Sequence[AnyEvent], ts: str) -> list[_Row]:
    return [_Row(room, version + n, encode(event), ts) for n, event in enumerate(made, 1)]


def _insert(connection: Connection, rows: Sequence[_Row]) -> None:
    for begin in range(0, len(rows), ROWS):
        some = rows[begin : begin + ROWS]
        values: dict[str, Any] = {}
        for n, row in enumerate(some):
            values |= {f"r{n}": row.room, f"v{n}": row.version, f"e{n}": row.event, f"t{n}": row.ts}
        connection.execute(_insertion(len(some)), values)


@cache
def _insertion(count: int) -> TextClause:
    """The statement that enters so many events."""
    places = ", ".join(f"(:r{n}, :v{n}, :e{n}, :t{n})" for n in range(count))
    return text(f"INSERT INTO room_events (room_id, version, event, ts) VALUES {places}")


def _finish(connection: Connection, finished: Finished) -> None:
    """Enter a finished game in the list of recent ones."""
    connection.execute(
        text(
            "UPDATE rooms SET status = 'over', names = :names, returns = :returns,"
            " moves = :moves, updated = :ts WHERE room_id = :room"
        ),
        {
            "room": finished.room,
            "names": msgspec.json.encode(finished.names).decode(),
            "returns": msgspec.json.encode(finished.returns).decode(),
            "moves": finished.moves,
            "ts": finished.ended,
        },
    )


def _load(connection: Connection, room: str) -> Stored | None:
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
    return Stored(
        msgspec.json.decode(setup, type=Setup),
        events,
        {seat: (decision, action) for seat, decision, action in drafts},
    )


def _list(text: str) -> list[Any]:
    decoded: list[Any] = msgspec.json.decode(text)
    return decoded
