"""All rooms of a server: created, loaded from the database on demand, evicted from memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Engine

from trireme.core.errors import TriremeError
from trireme.core.game import AnyGame
from trireme.core.lessons import Lesson, lesson_named
from trireme.core.options import settings as settings_of
from trireme.core.record import Moves
from trireme.core.registry import make_game
from trireme.server.catalogue import Catalogue
from trireme.server.keys import is_room_id, new_room_id, new_seed, new_token, token_hash
from trireme.server.limits import ServerLimits
from trireme.server.metrics import Metrics
from trireme.server.protocol.bodies import NewRoom, SeatChoice, SeatGrant
from trireme.server.protocol.codes import Refusal
from trireme.server.storage.event_store import MAX_DELETED, EventStore, StoredRoom
from trireme.server.storage.ratings import Ratings
from trireme.server.storage.retention import Retention
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import WarmUp

from .clock import RoomClock
from .events import AnyEvent, RoomSetup, SeatHolder
from .retry import find_moment
from .room import Room
from .table import GameTable
from .views import terminal

P = ParamSpec("P")
T = TypeVar("T")

MAX_ERROR_LENGTH = 1000
"""Characters of an error message: it quotes the input, which may be long."""
LESSON_THINK = 0.3
"""Seconds that the opponent of a lesson has for a decision."""
MAX_THREADS = 4
"""Slow functions that may run in threads at the same time."""


class Lobby:
    """The rooms of one server, and the services that they share."""

    def __init__(
        self, engine: Engine, clock: RoomClock, limits: ServerLimits, workers: int
    ) -> None:
        self.limits = limits
        self.clock = clock
        self.metrics = Metrics()
        self.store = EventStore(engine, self.metrics.batch_committed)
        self._loop = asyncio.get_running_loop()
        self.workers = WorkerPool(
            workers, limits, self.metrics.task_seconds.observe, self._on_compile
        )
        self.catalogue = Catalogue(self.workers)
        self.ratings = Ratings(engine, clock)
        self.rooms: dict[str, Room] = {}
        self._threads = asyncio.Semaphore(MAX_THREADS)
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self.metrics.gauge("rooms", "Rooms in memory.", lambda: len(self.rooms))
        self.metrics.gauge("connections", "WebSockets in rooms.", lambda: self.connections)
        self.metrics.gauge("workers", "Live worker processes.", lambda: self.workers.alive)
        self.metrics.gauge("tasks_waiting", "Queued tasks.", lambda: self.workers.waiting)

    def _on_compile(self, game: str, kernels: int) -> None:
        """Called in a thread of the pool: tell the rooms that wait for an agent of the game."""

        def report() -> None:
            for room in self.rooms.values():
                room.report_preparation(game, kernels)

        with suppress(RuntimeError):  # the loop is closed: the server has stopped
            self._loop.call_soon_threadsafe(report)

    async def close(self) -> None:
        """Disconnect all clients, stop the workers, commit the queued writes."""
        for room in self.rooms.values():
            for client in room.clients:
                client.close(1001, "the server stops: reconnect soon")
        await asyncio.to_thread(self.workers.stop)
        await asyncio.to_thread(self.store.close)

    @property
    def connections(self) -> int:
        return sum(len(room.clients) for room in self.rooms.values())

    async def run_in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a slow function in a thread, a few at a time: the event loop is not blocked."""
        async with self._threads:
            return await asyncio.to_thread(function, *args, **kwargs)

    async def create(self, request: NewRoom) -> SeatGrant:
        """Create a room; the grant holds the creator's seats."""
        self._require_capacity()
        info = await self.catalogue.game(request.game)
        lesson = None
        if request.lesson is not None:
            lesson = lesson_named(request.game, request.lesson)
            if lesson is None:
                raise Refusal("bad_settings", f"{request.game} has no lesson {request.lesson!r}")
            request = _lesson_room(request, lesson)
        retry = None if request.again is None else await find_moment(self, request)
        if retry is not None:
            request = retry.request
        game = await self.run_in_thread(
            checked_game, request.game, request.variant, request.settings
        )
        settings = settings_of(game)
        choices = _default_seats(game) if request.seats is None else request.seats
        if len(choices) != game.seats:
            raise Refusal(
                "bad_settings", f"{request.game} has {game.seats} seats here, not {len(choices)}"
            )
        token = new_token() if any(choice.kind == "me" for choice in choices) else None
        holders = []
        for choice in choices:
            holder = _holder(choice, request.name, token, info.opponent)
            if holder.kind == "agent" and lesson is None:
                await self.catalogue.check_agent(request.game, settings, holder.name)
            holders.append(holder)
        room = await self._open(
            RoomSetup(
                room=new_room_id(),
                game=request.game,
                variant=request.variant,
                settings=settings,
                holders=tuple(holders),
                seed=new_seed(),
                clock=_clock_seconds(request),
                increment=request.increment,
                lesson=request.lesson,
                think=min(request.think, self.limits.agent_seconds),
                pace=request.pace,
                public=request.public,
                hints=_hints_are_fair(holders) if request.hints is None else request.hints,
                created=self.clock.timestamp(),
            ),
            () if retry is None else retry.moves,
        )
        for spec in {holder.name for holder in holders if holder.kind == "agent"}:
            self.workers.warm_up(WarmUp(request.game, settings, spec))
        seats = () if token is None else room.table.seats_of(token_hash(token))
        return _grant(room, token, seats)

    async def join(self, room_id: str, seat: int | None, name: str) -> SeatGrant:
        """Take an open seat of a room; None: the first one."""
        room = await self.get(room_id)
        token = new_token()
        return _grant(room, token, await room.take_seat(seat, name, token_hash(token)))

    async def get(self, room_id: str) -> Room:
        """The room, from memory or from the database."""
        room = self.rooms.get(room_id)
        if room is not None and not room.broken:
            if room.empty_since is not None:
                room.empty_since = self.clock.now()
            return room
        if not is_room_id(room_id):
            raise Refusal("no_such_room", f"there is no room {room_id[:40]!r}")
        if room_id not in self._loading:
            self._require_capacity()
            task = asyncio.create_task(self._load(room_id))
            self._loading[room_id] = task
            task.add_done_callback(lambda _: self._loading.pop(room_id, None))
        return await asyncio.shield(self._loading[room_id])

    async def create_rematch(self, table: GameTable) -> str:
        """Create a room with the same players, sides swapped, and return its id."""
        setup = msgspec.structs.replace(
            table.setup,
            room=new_room_id(),
            holders=(*table.holders[1:], table.holders[0]),
            seed=new_seed(),
            created=self.clock.timestamp(),
        )
        return (await self._open(setup)).id

    def listed(self) -> list[Room]:
        """Public rooms that are not over and have clients, newest first."""
        found = [
            room
            for room in self.rooms.values()
            if room.table.setup.public and room.clients and room.table.status != "over"
        ]
        return sorted(found, key=lambda room: room.table.setup.created, reverse=True)

    def sweep(self) -> None:
        """Evict rooms that have been empty for a while; the database keeps them."""
        now = self.clock.now()
        for room_id, room in list(self.rooms.items()):
            idle = room.empty_since is not None and (
                now - room.empty_since > self.limits.idle_seconds
            )
            if room.idle and (idle or room.broken):
                del self.rooms[room_id]

    async def delete_expired(self, retention: Retention) -> int:
        """Delete expired rooms from the database, in batches between moves; return their number."""
        deleted = 0
        while True:
            in_use = {*self.rooms, *self._loading}
            batch = await self.store.delete_expired(retention, self.clock.timestamp(), in_use)
            deleted += batch
            if batch < MAX_DELETED:
                return deleted

    def _require_capacity(self) -> None:
        if len(self.rooms) >= self.limits.rooms:
            self.sweep()
        if len(self.rooms) >= self.limits.rooms:
            raise Refusal("too_many_rooms", "the server is full; try again later")

    async def _open(self, setup: RoomSetup, opening: Sequence[Moves] = ()) -> Room:
        """Open a room, its game begun with these moves where nobody has to join."""
        table = GameTable(setup)
        events: list[AnyEvent] = []
        if all(holder.kind != "open" for holder in setup.holders):
            try:
                events = await self.run_in_thread(table.start, opening)
            except TriremeError as error:
                raise Refusal("bad_settings", str(error)) from None
        ts = self.clock.timestamp()
        await self.store.create(setup, events, ts)
        for event in events:
            table.apply_event(event, ts)
        room = Room(self, table, {})
        self.rooms[setup.room] = room
        return room

    async def _load(self, room_id: str) -> Room:
        stored = await self.store.load(room_id)
        if stored is None:
            raise Refusal("no_such_room", f"there is no room {room_id!r}")
        table = await self.run_in_thread(_rebuild, stored)
        room = Room(self, table, dict(stored.drafts))
        self.rooms[room_id] = room
        return room


def checked_game(name: str, variant: str | None, settings: dict[str, Any]) -> AnyGame:
    """The game with these settings, or a refusal that says what is wrong with them."""
    try:
        return make_game(name, variant, **settings)
    except TriremeError as error:
        text = str(error)
        shown = text if len(text) <= MAX_ERROR_LENGTH else f"{text[:MAX_ERROR_LENGTH]}…"
        raise Refusal("bad_settings", shown) from None


def _rebuild(stored: StoredRoom) -> GameTable:
    """The room's state, from its events."""
    table = GameTable(stored.setup)
    for event, ts in stored.events:
        table.apply_event(event, ts)
    return table


def _grant(room: Room, token: str | None, seats: tuple[int, ...]) -> SeatGrant:
    return SeatGrant(room=room.id, token=token, seats=list(seats), info=room.info())


def _default_seats(game: AnyGame) -> list[SeatChoice]:
    others = [SeatChoice(kind="agent") for _ in range(game.seats - 1)]
    return [SeatChoice(kind="me"), *others]


def _lesson_room(request: NewRoom, lesson: Lesson) -> NewRoom:
    """The room in which a lesson is taken: its position and opponent, no clock, nobody watches."""
    seats = [SeatChoice(kind="me")]
    if lesson.opponent is not None:
        seats.append(SeatChoice(kind="agent", agent=lesson.opponent))
    return NewRoom(
        game=request.game,
        settings=lesson.settings,
        seats=seats,
        name=request.name,
        clock="none",
        think=LESSON_THINK,
        pace=request.pace,
        public=False,
        lesson=lesson.id,
        hints=True,
    )


def _holder(choice: SeatChoice, name: str, token: str | None, opponent: str) -> SeatHolder:
    if choice.kind == "me" and token is not None:
        return SeatHolder("person", name, token_hash(token))
    if choice.kind == "agent":
        return SeatHolder("agent", choice.agent or opponent)
    return SeatHolder("open")


def _clock_seconds(request: NewRoom) -> float | None:
    if request.increment is not None and isinstance(request.clock, str):
        raise Refusal("bad_settings", "an increment needs a clock: its seconds for the whole game")
    if request.clock == "usual":
        return terminal(request.game).clock
    return None if request.clock == "none" else request.clock


def _hints_are_fair(holders: list[SeatHolder]) -> bool:
    """Whether at most one person plays, so that hints are unfair to nobody."""
    return all(holder.kind != "open" for holder in holders)
