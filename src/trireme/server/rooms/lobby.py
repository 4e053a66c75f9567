"""All rooms of a server: created, loaded from the database on demand, evicted from memory."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from trireme.core.errors import TriremeError
from trireme.core.game import AnyGame
from trireme.core.lessons import Lesson, lesson_named
from trireme.core.options import settings as settings_of
from trireme.core.puzzles import puzzle_start
from trireme.core.record import Moves
from trireme.core.registry import GAMES
from trireme.server.catalogue import Catalogue, require_game
from trireme.server.checking import GameChecks
from trireme.server.keys import is_room_id, new_room_id, new_seed, new_token, token_hash
from trireme.server.limits import SERVER, Quotas, ServerLimits
from trireme.server.metrics import Metrics
from trireme.server.protocol.bodies import NewRoom, SeatChoice, SeatGrant
from trireme.server.protocol.codes import STOPPING, Refusal
from trireme.server.protocol.shapes import RoomInfo
from trireme.server.signing import RecordSigner
from trireme.server.storage.event_store import MAX_DELETED, EventStore, StoredRoom
from trireme.server.storage.health import StorageHealth, is_read_only
from trireme.server.storage.leases import LeaseLost, RoomLeases
from trireme.server.storage.ratings import Ratings
from trireme.server.storage.retention import Retention
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.readiness import Readiness
from trireme.server.workers.tasks import WarmUp

from .clock import RoomClock
from .events import AnyEvent, RoomSetup, SeatHolder
from .peer_positions import PeerPositions
from .positions import Boards
from .private_room import private_room
from .puzzles import find_puzzle, puzzle_room
from .retry import find_moment, write_moves
from .room import READ_ONLY, Room
from .table import GameTable
from .views import terminal

log = logging.getLogger("trireme.server")

P = ParamSpec("P")
T = TypeVar("T")

LESSON_THINK = 0.3
"""Seconds that the opponent of a lesson has for a decision."""
MAX_SHOWN = 100
"""Rooms in a list of rooms: of one game, or of all."""
PROBE_TIMEOUT = 5
"""Seconds in which the database must answer a health check."""
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
        self.quotas = Quotas(
            limits, clock.now, self.metrics.quota_charged, self.metrics.quota_exceeded
        )
        self.workers = WorkerPool(workers, limits, self._on_task, self._on_compile)
        self.readiness = Readiness(self.workers)
        self.checks = GameChecks(limits, self.quotas, self._on_task)
        self.catalogue = Catalogue(self.workers)
        self.ratings = Ratings(engine, clock)
        self.signer = RecordSigner(engine)
        self.storage = StorageHealth(self._on_storage_change)
        self.rooms: dict[str, Room] = {}
        self.leases: RoomLeases | None = None
        """Shares the rooms with other servers on one PostgreSQL; None: this is the only server."""
        self.peers: PeerPositions | None = None
        """Set with `leases`."""
        self._renewing = asyncio.Lock()
        self._stopping = False
        self._listed_elsewhere: list[RoomInfo] = []
        self._threads = asyncio.Semaphore(MAX_THREADS)
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self.metrics.gauge("rooms", "Rooms in memory.", lambda: len(self.rooms))
        self.metrics.gauge("connections", "WebSockets in rooms.", lambda: self.connections)
        self.metrics.gauge("workers", "Live worker processes.", lambda: self.workers.alive)
        self.metrics.gauge("tasks_waiting", "Queued tasks.", lambda: self.workers.waiting)
        self.metrics.gauge(
            "read_only", "Whether nothing can be stored.", lambda: float(self.storage.read_only)
        )
        self.metrics.gauge("checks_waiting", "Queued checks.", lambda: self.checks.waiting)

    def _on_task(self, seconds: float, cpu: float, address: str) -> None:
        """Called in a thread of a pool: charge a task to the address that asked for it."""
        self.metrics.task_seconds.observe(seconds)
        with suppress(RuntimeError):  # the loop is closed: the server has stopped
            self._loop.call_soon_threadsafe(self.quotas.spend, "cpu", address, cpu)

    def _on_compile(self, game: str, kernels: int) -> None:
        """Called in a thread of the pool: tell the rooms that wait for an agent of the game."""

        def report() -> None:
            if kernels:
                self.readiness.count(game)
            for room in self.rooms.values():
                room.agents.report_preparation(game, kernels)

        with suppress(RuntimeError):  # the loop is closed: the server has stopped
            self._loop.call_soon_threadsafe(report)

    def _on_storage_change(self, read_only: bool) -> None:
        for room in self.rooms.values():
            room.report_storage(read_only)

    async def probe_storage(self) -> None:
        """Write to the database: begins or ends the read-only mode; raises what went wrong."""
        try:
            await asyncio.wait_for(self.store.ping(self.clock.timestamp()), PROBE_TIMEOUT)
        except Exception as error:
            if is_read_only(error):
                self.storage.failed()
            raise
        self.storage.succeeded()

    async def hand_over(self) -> None:
        """Disconnect all clients, commit the queued writes, and give the rooms up to other servers,
        to which their clients are reconnecting already. Calling it again does nothing."""
        if self._stopping:
            return
        self._stopping = True
        for room in self.rooms.values():
            room.give_up(1001, "the server stops: reconnect soon")
        if self.leases is not None:
            with suppress(Exception):  # the database is gone: so is the lease
                # A write waits for those in the queue.
                await self.store.ping(self.clock.timestamp())
            await asyncio.to_thread(self.leases.close)

    async def close(self) -> None:
        """Hand the rooms over, commit the queued writes, stop the workers."""
        await self.hand_over()
        if self.peers is not None:
            await self.peers.close()
        await asyncio.to_thread(self.checks.stop)
        await asyncio.to_thread(self.store.close)
        await asyncio.to_thread(self.workers.stop)

    @property
    def connections(self) -> int:
        return sum(len(room.clients) for room in self.rooms.values())

    async def run_in_thread(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a slow function in a thread, a few at a time: the event loop is not blocked."""
        async with self._threads:
            return await asyncio.to_thread(function, *args, **kwargs)

    async def create(self, request: NewRoom, address: str = SERVER) -> SeatGrant:
        """Create a room; the grant holds the creator's seats."""
        require_game(request.game)
        self._charge_room(address)
        info = await self.catalogue.game(request.game)
        lesson = None
        if request.lesson is not None:
            lesson = lesson_named(request.game, request.lesson)
            if lesson is None:
                raise Refusal("bad_settings", f"{request.game} has no lesson {request.lesson!r}")
            request = _lesson_room(request, lesson)
        puzzle = None if request.puzzle is None else find_puzzle(request.game, request.puzzle)
        if puzzle is not None:
            request = puzzle_room(request, puzzle)
        retry = None if request.again is None else await find_moment(self, request, address)
        if retry is not None:
            request = retry.request
        game = await self.checks.game(request.game, request.variant, request.settings, address)
        opening: Sequence[Moves] = () if retry is None else retry.moves
        if puzzle is not None:
            opening = [write_moves(game, move.actions) for move in puzzle_start(game, puzzle)]
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
            if holder.kind == "agent" and lesson is None and puzzle is None:
                await self.catalogue.check_agent(request.game, settings, holder.name, address)
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
                puzzle=request.puzzle,
                think=min(request.think, self.limits.agent_seconds),
                pace=request.pace,
                public=request.public,
                hints=_hints_are_fair(holders) if request.hints is None else request.hints,
                created=self.clock.timestamp(),
            ),
            game,
            opening,
        )
        for spec in {holder.name for holder in holders if holder.kind == "agent"}:
            self.workers.warm_up(WarmUp(request.game, settings, spec))
        seats = () if token is None else room.table.seats_of(token_hash(token))
        return _grant(room, token, seats)

    async def join(
        self, room_id: str, seat: int | None, name: str, key: str | None = None
    ) -> SeatGrant:
        """Take an open seat of a room; None: the first one. `key`: the token that will hold it."""
        room = await self.get(room_id)
        token = new_token() if key is None else key
        return _grant(room, token, await room.take_seat(seat, name, token_hash(token)))

    async def get(self, room_id: str) -> Room:
        """The room, from memory or from the database; raises `OwnedElsewhere` where another server
        has it."""
        room = self.rooms.get(room_id)
        if room is not None and not room.broken:
            if room.empty_since is not None:
                room.empty_since = self.clock.now()
            return room
        if not is_room_id(room_id):
            raise Refusal("no_such_room", f"there is no room {room_id[:40]!r}")
        self._require_serving()
        if room_id not in self._loading:
            self._require_capacity()
            task = asyncio.create_task(self._load(room_id))
            self._loading[room_id] = task
            task.add_done_callback(lambda _: self._loading.pop(room_id, None))
        return await asyncio.shield(self._loading[room_id])

    async def create_rematch(self, table: GameTable, address: str) -> str:
        """Create a room with the same players, sides swapped, and return its id."""
        self._charge_room(address)
        setup = msgspec.structs.replace(
            table.setup,
            room=new_room_id(),
            holders=(*table.holders[1:], table.holders[0]),
            seed=new_seed(),
            puzzle=None,
            created=self.clock.timestamp(),
            hints=table.hints,
        )
        return (await self._open(setup, table.game)).id

    async def running_positions(self, game: str) -> tuple[Boards, ...]:
        """The positions of the game that are being played without engine help, on any server."""
        if game not in GAMES:
            return ()
        here = await self.running_here(game)
        return here if self.peers is None else here + await self.peers.running(game)

    async def running_here(self, game: str) -> tuple[Boards, ...]:
        """The positions that rooms of this server are playing without engine help."""
        found = [
            room.positions
            for room in self.rooms.values()
            if room.table.setup.game == game
            and room.table.status == "playing"
            and not room.table.hints
        ]
        return await self.run_in_thread(lambda: tuple(passed.current() for passed in found))

    def listed(self, game: str | None) -> list[RoomInfo]:
        """Public rooms that are not over and have clients, newest first, of all servers."""
        here = [room.info() for room in self._listed_here(game)]
        mine = {info.room for info in here}
        elsewhere = [
            info
            for info in self._listed_elsewhere
            if info.room not in mine and (game is None or info.game == game)
        ]
        return sorted(here + elsewhere, key=lambda info: info.created, reverse=True)[:MAX_SHOWN]

    def _listed_here(self, game: str | None) -> list[Room]:
        found = [
            room
            for room in self.rooms.values()
            if room.table.setup.public
            and room.clients
            and room.table.status != "over"
            and (game is None or room.table.setup.game == game)
        ]
        return sorted(found, key=lambda room: room.table.setup.created, reverse=True)[:MAX_SHOWN]

    async def share_rooms(self, address: str) -> None:
        """Register at PostgreSQL as one of the servers that share the rooms; `address`: HOST:PORT
        at which the others reach this one."""
        self.leases = RoomLeases(self.store.engine, address)
        self.peers = PeerPositions(self.leases, self.signer)
        await asyncio.to_thread(self.leases.open)

    async def renew_leases(self) -> None:
        """Keep the rooms and exchange lists of rooms with the other servers; where the rooms were
        lost, drop them and begin anew."""
        if self.leases is None:
            return
        async with self._renewing:
            if not self._stopping:
                await self._renew(self.leases)

    async def _renew(self, leases: RoomLeases) -> None:
        games = {room.table.setup.game for room in self.rooms.values()}
        shown = (
            [room.info() for game in games for room in self._listed_here(game)]
            if leases.peers
            else []
        )
        listed = "[" + ",".join(info.model_dump_json() for info in shown) + "]"
        try:
            texts = await asyncio.to_thread(leases.renew, listed)
        except LeaseLost:
            log.warning("this server's rooms were taken over by others")
            for room in self.rooms.values():
                room.give_up(1012, "another server has the room: reconnect")
            self.rooms.clear()
            await asyncio.to_thread(leases.open)
            return
        self._listed_elsewhere = [
            RoomInfo.model_validate(info, strict=False)
            for text in texts
            for info in msgspec.json.decode(text, type=list[dict[str, Any]])
        ]

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
            lease = None if self.leases is None else self.leases.id
            batch = await self.store.delete_expired(
                retention, self.clock.timestamp(), in_use, lease=lease
            )
            deleted += batch
            if batch < MAX_DELETED:
                return deleted

    def _charge_room(self, address: str) -> None:
        """Refuse a new room beyond the server's capacity or the address' quota."""
        self._require_serving()
        self._require_capacity()
        self.quotas.charge("rooms", address)

    def _require_serving(self) -> None:
        if self._stopping:
            raise Refusal("shutting_down", STOPPING)

    def _require_capacity(self) -> None:
        if len(self.rooms) >= self.limits.rooms:
            self.sweep()
        if len(self.rooms) >= self.limits.rooms:
            raise Refusal("too_many_rooms", "the server is full; try again later")

    async def _open(
        self, setup: RoomSetup, game: AnyGame | None = None, opening: Sequence[Moves] = ()
    ) -> Room:
        """Open a room, its game begun with these moves where nobody has to join."""
        table = GameTable(setup, game)
        events: list[AnyEvent] = []
        if all(holder.kind != "open" for holder in setup.holders):
            try:
                events = await self.run_in_thread(table.start, opening)
            except TriremeError as error:
                raise Refusal("bad_settings", str(error)) from None
        ts = self.clock.timestamp()
        try:
            await self.store.create(setup, events, ts)
        except DBAPIError as error:
            if not is_read_only(error):
                raise
            self.storage.failed()
            raise Refusal("read_only", READ_ONLY) from error
        for event in events:
            table.apply_event(event, ts)
        room = Room(self, table, {})
        if self.leases is None:
            self.rooms[setup.room] = room
        # else the server that its first client connects to will own it: the load balancer's choice
        return room

    async def _claim(self, room_id: str) -> int | None:
        if self.leases is None:
            return None
        try:
            return await asyncio.to_thread(self.leases.claim, room_id)
        except LeaseLost:
            await self.renew_leases()
        try:
            return await asyncio.to_thread(self.leases.claim, room_id)
        except LeaseLost as error:
            raise Refusal("shutting_down", f"{error}; try again") from None

    async def _load(self, room_id: str) -> Room:
        lease = await self._claim(room_id)
        stored = await self.store.load(room_id)
        if stored is None:
            raise Refusal("no_such_room", f"there is no room {room_id!r}")
        setup = stored.setup
        game = await self.checks.game(setup.game, None, dict(setup.settings))
        table = await self.run_in_thread(_rebuild, stored, game)
        room = Room(self, table, dict(stored.drafts), lease)
        self.rooms[room_id] = room
        return room


def _rebuild(stored: StoredRoom, game: AnyGame) -> GameTable:
    """The room's state, from its events."""
    table = GameTable(stored.setup, game)
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
    task = private_room(request, lesson.settings, lesson.opponent, LESSON_THINK)
    return task.model_copy(update={"lesson": lesson.id, "hints": True})


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
