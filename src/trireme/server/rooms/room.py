"""A room: one game with its connected clients and its clock."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

import msgspec

from trireme.core.game import Seat
from trireme.core.scene import scene
from trireme.server.limits import ServerLimits
from trireme.server.metrics import Metrics
from trireme.server.protocol import shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import (
    ClockChanged,
    RoomChanged,
    ServerStatus,
    Update,
    Welcome,
)
from trireme.server.storage.event_store import EventStore
from trireme.server.storage.health import StorageHealth, is_read_only
from trireme.server.storage.leases import LeaseLost
from trireme.server.workers.pool import WorkerPool

from . import events
from .agents import RoomAgents
from .client import Client
from .clock import RoomClock
from .events import AnyEvent
from .positions import PassedPositions
from .puzzles import puzzle_info
from .table import GameTable, LogEntry
from .timers import PlayerTimers
from .views import EventTexts, PositionViews, fallback, position, terminal, visible_events

log = logging.getLogger("trireme.server")

READ_ONLY = "the server can't store anything at the moment; nothing was done, try again soon"


class RoomServices(Protocol):
    """What a room needs of the server around it."""

    limits: ServerLimits
    clock: RoomClock
    store: EventStore
    workers: WorkerPool
    metrics: Metrics
    storage: StorageHealth

    async def create_rematch(self, table: GameTable, address: str) -> str: ...


class Room:
    """One game, its players and its spectators. Changes are serialised by a lock."""

    def __init__(
        self,
        services: RoomServices,
        table: GameTable,
        drafts: dict[Seat, tuple[int, str]],
        lease: int | None = None,
    ) -> None:
        self.services = services
        self.table = table
        self.lease = lease
        """Under which this server owns the room; None: there is only one server."""
        self.clients: set[Client] = set()
        self.empty_since: float | None = services.clock.now()
        self.broken = False
        """Whether nothing more may be written: a write failed, and the state must be reloaded; or
        the room was given up."""
        self.scene = scene(table.game)
        self.positions = PassedPositions(table)
        self._event_texts = EventTexts(table)
        self.lock = asyncio.Lock()
        self._drafts = drafts
        self.agents = RoomAgents(self)
        self._timers = PlayerTimers(
            table,
            services.clock,
            terminal(table.setup.game).playback(table.game),
            self._on_expired,
            self._on_shown,
        )
        now = services.clock.now()
        self._away_since: dict[str, float] = dict.fromkeys(table.people(), now)
        """By token of a person who is not connected: since when."""

    @property
    def id(self) -> str:
        return self.table.setup.room

    @property
    def idle(self) -> bool:
        """Whether nothing is under way that needs the room in memory."""
        return not self.clients and not self.agents.tasks and not self.lock.locked()

    # What clients see

    def info(self) -> shapes.RoomInfo:
        table, setup = self.table, self.table.setup
        held = {seat for client in self.clients for seat in client.seats}
        now = self.services.clock.now()
        return shapes.RoomInfo(
            room=setup.room,
            game=setup.game,
            variant=setup.variant,
            settings=dict(setup.settings),
            seats=[
                shapes.SeatInfo(
                    seat=seat,
                    kind=holder.kind,
                    name=holder.name,
                    online=holder.kind == "agent" or seat in held,
                    away=self._away(holder, now),
                )
                for seat, holder in enumerate(table.holders)
            ],
            status=table.status,
            clock=setup.clock,
            increment=setup.increment,
            think=setup.think,
            hints=table.hints,
            public=setup.public,
            lesson=setup.lesson,
            puzzle=puzzle_info(setup),
            created=setup.created,
            moves=len(table.moves),
            spectators=sum(not client.seats for client in self.clients),
        )

    def position(self, seats: Sequence[Seat]) -> shapes.RoomPosition:
        return position(self.table, seats, self.drafts, self._timers.state())

    def _away(self, holder: events.SeatHolder, now: float) -> float | None:
        since = None if holder.token is None else self._away_since.get(holder.token)
        return None if since is None else round(now - since, 3)

    @property
    def drafts(self) -> dict[Seat, str]:
        """The drafts of the current decision."""
        now = self.table.decision
        return {seat: text for seat, (at, text) in self._drafts.items() if at == now}

    def welcome(self, client: Client, since: int | None) -> None:
        """Send a client the position, and the events after version `since`."""
        text = Welcome(
            protocol=shapes.PROTOCOL,
            room=self.info(),
            scene=self.scene,
            seats=list(client.seats),
            position=self.position(client.seats),
            events=[],
        ).model_dump_json()
        missed = self._event_texts.since(min(since or 0, self.table.version), client.seats)
        client.send_text(f"{text.removesuffix(']}')}{missed}]}}")

    def _broadcast(self, since: int, entries: list[LogEntry]) -> None:
        """Send all clients the new events, each as its seats may see them."""
        updates: dict[tuple[Seat, ...], str] = {}
        positions = PositionViews(self.table, self.drafts, self._timers.state())
        for client in self.clients:
            seats = client.seats
            if seats not in updates:
                updates[seats] = Update(
                    since=since,
                    events=[v for e in entries for v in visible_events(self.table, e, seats)],
                    position=positions.of(seats),
                ).model_dump_json()
            client.send_text(updates[seats])

    def _broadcast_info(self) -> None:
        if self.clients:
            self.send_all(RoomChanged(room=self.info()))

    def send_all(self, message: shapes.Shape) -> None:
        """Send all clients the same message."""
        text = message.model_dump_json()
        for client in self.clients:
            client.send_text(text)

    # Connecting and taking seats

    async def enter(self, client: Client, token: str | None, since: int | None) -> None:
        async with self.lock:
            client.seats = () if token is None else self.table.seats_of(token)
            if token is not None and not client.seats:
                raise Refusal("bad_token", "this token holds no seat of this room")
            watching = sum(not c.seats for c in self.clients)
            if not client.seats and watching >= self.services.limits.spectators:
                raise Refusal("too_many_connections", "this room has no place for more spectators")
            self.clients.add(client)
            self.empty_since = None
            if token is not None:
                self._away_since.pop(token, None)
            self._set_clock()
            self.welcome(client, since)
            if self.services.storage.read_only:
                client.send(ServerStatus(read_only=True))
            self._broadcast_info()
            self.agents.start()

    async def leave(self, client: Client) -> None:
        async with self.lock:
            self.clients.discard(client)
            now = self.services.clock.now()
            if not self.clients:
                self.empty_since = now
            for token in self._tokens_of(client) - self._connected():
                self._away_since[token] = now
            self._set_clock()
            self._broadcast_info()

    async def take_seat(self, seat: Seat | None, name: str, token: str) -> tuple[Seat, ...]:
        async with self.lock:
            if seats := self.table.seats_of(token):  # the answer to the same request was lost
                return seats
            await self.commit(self.table.take_seat(seat, name, token))
            self._away_since[token] = self.services.clock.now()
            self._broadcast_info()
            return self.table.seats_of(token)

    # Requests that change the room

    async def apply_request(
        self, seat: Seat, id: str, request: Callable[[GameTable], list[AnyEvent]]
    ) -> int:
        """Carry out a seat's request, or refuse it; returns the version that it led to.

        `id` is the idempotency key: a request that was carried out before only returns its version.
        """
        async with self.lock:
            if (version := self.table.version_of(seat, id)) is not None:
                return version
            await self.commit(request(self.table))
            return self._version_of(seat, id)

    async def rematch(self, seat: Seat, id: str, address: str) -> int:
        async with self.lock:
            if (version := self.table.version_of(seat, id)) is not None:
                return version
            new = self.table.rematch(seat, id)
            if new is None:
                room = await self.services.create_rematch(self.table, address)
                new = [events.RematchedEvent(seat, room, id=id)]
            await self.commit(new)
            return self._version_of(seat, id)

    async def claim(self, seat: Seat, id: str) -> int:
        """The win over the person who has been away longest, if that is long enough."""
        mine = self.table.holders[seat].token
        now, needed = self.services.clock.now(), self.services.limits.claim_seconds

        def request(table: GameTable) -> list[AnyEvent]:
            absent = [
                other
                for other, holder in enumerate(table.holders)
                if holder.token != mine and (self._away(holder, now) or 0) >= needed
            ]
            if not absent and table.status == "playing":
                raise Refusal(
                    "not_absent",
                    f"a win can be claimed when another player has been away for {needed:g} s",
                )
            return table.claim(seat, absent[0] if absent else seat, id)

        return await self.apply_request(seat, id, request)

    async def shown(self, seat: Seat, moves: int) -> int:
        """The seat's player has seen the last move: the clock starts when all have."""
        async with self.lock:
            token = self.table.holders[seat].token
            if token is not None and self._timers.shown(token, moves):
                self._start_clock()
            return self.table.version

    def _version_of(self, seat: Seat, id: str) -> int:
        """The version that the request led to; the current one where it changed nothing."""
        version = self.table.version_of(seat, id)
        return self.table.version if version is None else version

    async def draft(self, seat: Seat, text: str | None) -> int:
        async with self.lock:
            if self.table.setup.clock is None:
                raise Refusal("no_clock", "this room has no clock: send the action itself")
            if text is not None:
                text = self.table.game.write(self.table.read(seat, text))
            decision = self.table.decision
            await self._stored(
                self.services.store.draft(self.id, seat, decision, text, lease=self.lease)
            )
            if text is None:
                self._drafts.pop(seat, None)
            else:
                self._drafts[seat] = decision, text
            return self.table.version

    async def commit(self, new: list[AnyEvent]) -> None:
        """Store the events, then apply them and send them to all clients. The lock is held."""
        if not new:
            return
        if self.broken:
            raise Refusal("shutting_down", "this room was given up; reconnect")
        table, ts, since = self.table, self.services.clock.timestamp(), self.table.version
        new = [self._with_time_left(event) for event in new]
        ending = table.ending(new, ts)
        await self._stored(
            self.services.store.append(self.id, since, new, ts, ending, lease=self.lease)
        )
        entries = [table.apply_event(event, ts) for event in new]
        self.services.metrics.count_events(table.setup.game, entries)
        self._set_clock()
        self._broadcast(since, entries)
        if any(isinstance(event, events.HintsAllowedEvent) for event in new):
            self._broadcast_info()
        self.agents.start()

    def _with_time_left(self, event: AnyEvent) -> AnyEvent:
        """The event with the time left on its seat's clock for the whole game."""
        increment = self.table.setup.increment
        if (
            increment is None
            or not isinstance(event, events.ActedEvent)
            or event.by not in ("person", "clock")
        ):
            return event
        left = round(self._timers.left(event.seat) + increment, 3)
        return msgspec.structs.replace(event, left=left)

    async def _stored(self, storing: Awaitable[Any]) -> None:
        """Wait for the database; if it fails, its contents are unknown and the room is reloaded."""
        try:
            await storing
        except LeaseLost as error:
            self.give_up(1012, "another server has the room: reconnect")
            raise Refusal("shutting_down", f"{error}; reconnect") from error
        except Exception as error:
            if is_read_only(error):  # nothing was written, so the room goes on when it can be
                self.services.storage.failed()
                raise Refusal("read_only", READ_ONLY, retry_after=10) from error
            log.exception("room %s: the database failed", self.id)
            self.give_up(1013, "the database failed: reconnect")
            raise Refusal("internal", "the database failed; nothing was done") from error

    def give_up(self, code: int, reason: str) -> None:
        """Disconnect all clients and write nothing more."""
        self.broken = True
        for client in self.clients:
            client.close(code, reason)

    def report_storage(self, read_only: bool) -> None:
        """Tell all clients whether moves can be stored; when they can again, agents go on."""
        self.send_all(ServerStatus(read_only=read_only))
        if not read_only:
            self.agents.start()

    # The clock

    def _tokens_of(self, client: Client) -> set[str]:
        tokens = (self.table.holders[seat].token for seat in client.seats)
        return {token for token in tokens if token is not None}

    def _connected(self) -> set[str]:
        """The tokens of all people who are connected."""
        return {token for client in self.clients for token in self._tokens_of(client)}

    def _set_clock(self) -> None:
        self._timers.update(self._connected())

    def _start_clock(self) -> None:
        """Start the clock that waited for the playback of the last move."""
        self._set_clock()
        self.send_all(ClockChanged(clock=self._timers.state()))

    def _on_shown(self) -> None:
        self._start_clock()

    def _on_expired(self, decision: int) -> None:
        task = asyncio.get_running_loop().create_task(self._handle_timeout(decision))
        _TIMEOUTS.add(task)
        task.add_done_callback(_TIMEOUTS.discard)

    async def _handle_timeout(self, decision: int) -> None:
        """Play the drafts, or the game's fallback actions, for all people whose time is over."""
        async with self.lock:
            table = self.table
            if table.decision != decision:
                return
            actions: dict[Seat, Any] = {}
            for seat in self._timers.expired():
                action = self._action_in_time_trouble(seat)
                if action is None:
                    await self.commit(table.forfeit(seat, "time", "the clock ran out"))
                    return
                actions[seat] = action
            if actions:
                await self.commit(table.act_all(actions, "clock"))
            else:
                self._set_clock()

    def _action_in_time_trouble(self, seat: Seat) -> Any:
        """What is played when the seat's clock has run out; None: it forfeits."""
        if self.table.setup.increment is not None:
            return None
        draft = self.drafts.get(seat)
        return fallback(self.table, seat) if draft is None else self.table.game.read(draft)


_TIMEOUTS: set[asyncio.Task[None]] = set()
"""Running timeout handlers: the event loop itself keeps only weak references to tasks."""
