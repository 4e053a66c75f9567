"""A room: one game with its connected clients, its agents and its clock."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from trireme.core.game import Seat
from trireme.server.limits import ServerLimits
from trireme.server.metrics import Metrics
from trireme.server.protocol import shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import RoomChanged, Update, Welcome
from trireme.server.storage.event_store import EventStore
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import Decide, SeatView, TaskFailure

from . import events
from .client import Client
from .clock import RoomClock, TimerHandle
from .events import AnyEvent
from .table import GameTable, LogEntry
from .views import fallback, position, scene, visible_events

log = logging.getLogger("trireme.server")


class RoomServices(Protocol):
    """What a room needs of the server around it."""

    limits: ServerLimits
    clock: RoomClock
    store: EventStore
    workers: WorkerPool
    metrics: Metrics

    async def create_rematch(self, table: GameTable) -> str: ...


class Room:
    """One game, its players and its spectators. Changes are serialised by a lock."""

    def __init__(
        self, services: RoomServices, table: GameTable, drafts: dict[Seat, tuple[int, str]]
    ) -> None:
        self.services = services
        self.table = table
        self.clients: set[Client] = set()
        self.empty_since: float | None = services.clock.now()
        self.broken = False
        """Whether a write failed: the state may differ from the database and must be reloaded."""
        self.scene = scene(table.game)
        self._lock = asyncio.Lock()
        self._drafts = drafts
        self._agent_tasks: dict[Seat, asyncio.Task[None]] = {}
        self._timer: TimerHandle | None = None
        self._timer_decision: int | None = None
        self._deadline = 0.0
        self._left: float | None = None
        """Seconds that were left of the decision when the last player disconnected."""

    @property
    def id(self) -> str:
        return self.table.setup.room

    @property
    def idle(self) -> bool:
        """Whether nothing is under way that needs the room in memory."""
        return not self.clients and not self._agent_tasks and not self._lock.locked()

    # What clients see

    def info(self) -> shapes.RoomInfo:
        table, setup = self.table, self.table.setup
        held = {seat for client in self.clients for seat in client.seats}
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
                )
                for seat, holder in enumerate(table.holders)
            ],
            status=table.status,
            clock=setup.clock,
            think=setup.think,
            hints=setup.hints,
            public=setup.public,
            created=setup.created,
            moves=len(table.moves),
            spectators=sum(not client.seats for client in self.clients),
        )

    def position(self, seats: Sequence[Seat]) -> shapes.RoomPosition:
        return position(self.table, seats, self.drafts, self._clock_state())

    @property
    def drafts(self) -> dict[Seat, str]:
        """The drafts of the current decision."""
        now = self.table.decision
        return {seat: text for seat, (at, text) in self._drafts.items() if at == now}

    def welcome(self, client: Client, since: int | None) -> None:
        """Send a client the position, and the events after version `since`."""
        from_version = min(since or 0, self.table.version)
        missed = self.table.log[from_version:]
        client.send(
            Welcome(
                protocol=shapes.PROTOCOL,
                room=self.info(),
                scene=self.scene,
                seats=list(client.seats),
                position=self.position(client.seats),
                events=[v for e in missed for v in visible_events(self.table, e, client.seats)],
            )
        )

    def _broadcast(self, since: int, entries: list[LogEntry]) -> None:
        """Send all clients the new events, each as its seats may see them."""
        updates: dict[tuple[Seat, ...], str] = {}
        for client in self.clients:
            seats = client.seats
            if seats not in updates:
                updates[seats] = Update(
                    since=since,
                    events=[v for e in entries for v in visible_events(self.table, e, seats)],
                    position=self.position(seats),
                ).model_dump_json()
            client.send_text(updates[seats])

    def _broadcast_info(self) -> None:
        if self.clients:
            text = RoomChanged(room=self.info()).model_dump_json()
            for client in self.clients:
                client.send_text(text)

    # Connecting and taking seats

    async def enter(self, client: Client, token: str | None, since: int | None) -> None:
        async with self._lock:
            client.seats = () if token is None else self.table.seats_of(token)
            if token is not None and not client.seats:
                raise Refusal("bad_token", "this token holds no seat of this room")
            watching = sum(not c.seats for c in self.clients)
            if not client.seats and watching >= self.services.limits.spectators:
                raise Refusal("too_many_connections", "this room has no place for more spectators")
            self.clients.add(client)
            self.empty_since = None
            self._set_clock()
            self.welcome(client, since)
            self._broadcast_info()
            self._start_agents()

    async def leave(self, client: Client) -> None:
        async with self._lock:
            self.clients.discard(client)
            if not self.clients:
                self.empty_since = self.services.clock.now()
            self._set_clock()
            self._broadcast_info()

    async def take_seat(self, seat: Seat | None, name: str, token: str) -> tuple[Seat, ...]:
        async with self._lock:
            await self._commit(self.table.take_seat(seat, name, token))
            self._broadcast_info()
            return self.table.seats_of(token)

    # Requests that change the room

    async def apply_request(
        self, seat: Seat, id: str, request: Callable[[GameTable], list[AnyEvent]]
    ) -> int:
        """Carry out a seat's request, or refuse it; returns the version that it led to.

        `id` is the idempotency key: a request that was carried out before only returns its version.
        """
        async with self._lock:
            if (version := self.table.version_of(seat, id)) is not None:
                return version
            await self._commit(request(self.table))
            return self._version_of(seat, id)

    async def rematch(self, seat: Seat, id: str) -> int:
        async with self._lock:
            if (version := self.table.version_of(seat, id)) is not None:
                return version
            new = self.table.rematch(seat, id)
            if new is None:
                room = await self.services.create_rematch(self.table)
                new = [events.RematchedEvent(seat, room, id=id)]
            await self._commit(new)
            return self._version_of(seat, id)

    def _version_of(self, seat: Seat, id: str) -> int:
        """The version that the request led to; the current one where it changed nothing."""
        version = self.table.version_of(seat, id)
        return self.table.version if version is None else version

    async def draft(self, seat: Seat, text: str | None) -> int:
        async with self._lock:
            if self.table.setup.clock is None:
                raise Refusal("no_clock", "this room has no clock: send the action itself")
            if text is not None:
                text = self.table.game.write(self.table.read(seat, text))
            decision = self.table.decision
            await self._stored(self.services.store.draft(self.id, seat, decision, text))
            if text is None:
                self._drafts.pop(seat, None)
            else:
                self._drafts[seat] = decision, text
            return self.table.version

    async def _commit(self, new: list[AnyEvent]) -> None:
        """Store the events, then apply them and send them to all clients. The lock is held."""
        if not new:
            return
        table, ts, since = self.table, self.services.clock.timestamp(), self.table.version
        ending = table.ending(new, ts)
        await self._stored(self.services.store.append(self.id, since, new, ts, ending))
        entries = [table.apply_event(event, ts) for event in new]
        self.services.metrics.count_events(table.setup.game, entries)
        self._set_clock()
        self._broadcast(since, entries)
        self._start_agents()

    async def _stored(self, storing: Awaitable[Any]) -> None:
        """Wait for the database; if it fails, its contents are unknown and the room is reloaded."""
        try:
            await storing
        except Exception as error:
            log.exception("room %s: the database failed", self.id)
            self.broken = True
            for client in self.clients:
                client.close(1013, "the database failed: reconnect")
            raise Refusal("internal", "the database failed; nothing was done") from error

    # Agents

    def _start_agents(self) -> None:
        """Start the agents that are to move, while any client is connected."""
        if not self.clients:
            return
        for seat in self.table.waiting_for:
            if self.table.holders[seat].kind == "agent" and seat not in self._agent_tasks:
                task = asyncio.create_task(self._run_agent(seat, self.table.decision))
                self._agent_tasks[seat] = task

    async def _run_agent(self, seat: Seat, decision: int) -> None:
        try:
            await self._agent_move(seat, decision)
        except Refusal as refusal:
            log.warning("room %s: agent of seat %d: %s", self.id, seat, refusal)
        except Exception:
            log.exception("room %s: the agent of seat %d could not move", self.id, seat)
        finally:
            self._agent_tasks.pop(seat, None)
            if (
                not self.broken
                and seat in self.table.waiting_for
                and (self.table.decision != decision)
            ):
                self._start_agents()

    async def _agent_move(self, seat: Seat, decision: int) -> None:
        began = self.services.clock.now()
        text, failure = "", None
        try:
            text = await self.services.workers.run(
                self.decide_task(seat, self.table.holders[seat].name, self.table.setup.think),
                self.table.setup.think,
            )
        except TaskFailure as error:
            failure = error
        if (rest := self.table.setup.pace - (self.services.clock.now() - began)) > 0:
            await asyncio.sleep(rest)
        async with self._lock:
            table = self.table
            if table.decision != decision or seat not in table.waiting_for:
                return
            if failure is None:
                try:
                    new = table.act(seat, text, "agent")
                except Refusal as refusal:
                    failure = TaskFailure("illegal", refusal.message)
            if failure is not None:
                self.services.metrics.agent_failures.inc()
                log.warning("room %s: %s forfeits: %s", self.id, table.holders[seat].name, failure)
                new = table.forfeit(seat, failure.reason, failure.detail)
            await self._commit(new)

    def decide_task(self, seat: Seat, spec: str, seconds: float) -> Decide:
        """The current decision of `seat` for an agent in a worker: its view and nothing else."""
        table = self.table
        at = SeatView.of(
            seat,
            table.game.view(table.state, seat),
            seed=table.setup.seed,
            place=table.version,
            seconds=seconds,
        )
        legal = table.game.legal(table.state, seat)
        return Decide(table.setup.game, dict(table.setup.settings), spec, at, legal)

    # The clock

    def _waiting_people(self) -> list[Seat]:
        holders = self.table.holders
        return [seat for seat in self.table.waiting_for if holders[seat].kind == "person"]

    def _set_clock(self) -> None:
        """Start, keep, stop or pause the timer of the current decision."""
        seconds, decision = self.table.setup.clock, self.table.decision
        if seconds is None:
            return
        if not self._waiting_people():
            self._stop_timer()
            self._left = None
            return
        now = self.services.clock.now()
        if not any(client.seats for client in self.clients):
            if self._timer is not None:
                self._left = max(1.0, self._deadline - now)
                self._stop_timer()
            return
        if self._timer is not None and self._timer_decision == decision:
            return
        paused = self._left if self._timer_decision == decision else None
        self._stop_timer()
        left = seconds if paused is None else paused
        self._left, self._timer_decision, self._deadline = None, decision, now + left
        self._timer = self.services.clock.call_later(left, lambda: self._on_timer(decision))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _clock_state(self) -> shapes.ClockState | None:
        seconds = self.table.setup.clock
        if seconds is None or self._timer is None:
            return None
        left = max(0.0, self._deadline - self.services.clock.now())
        return shapes.ClockState(seconds=seconds, left=round(left, 3))

    def _on_timer(self, decision: int) -> None:
        self._timer = None
        task = asyncio.get_running_loop().create_task(self._handle_timeout(decision))
        _TIMEOUTS.add(task)
        task.add_done_callback(_TIMEOUTS.discard)

    async def _handle_timeout(self, decision: int) -> None:
        """Play the drafts, or the game's fallback actions, for all people who have not acted."""
        async with self._lock:
            table, waiting = self.table, self._waiting_people()
            if table.decision != decision or not waiting:
                return
            actions: dict[Seat, Any] = {}
            for seat in waiting:
                draft = self.drafts.get(seat)
                action = fallback(table, seat) if draft is None else table.game.read(draft)
                if action is None:
                    await self._commit(table.forfeit(seat, "time", "the clock ran out"))
                    return
                actions[seat] = action
            await self._commit(table.act_all(actions, "clock"))


_TIMEOUTS: set[asyncio.Task[None]] = set()
"""Running timeout handlers: the event loop itself keeps only weak references to tasks."""
