"""A room: a table with clients around it, agents at it, and a clock over it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from trireme.core.game import Seat
from trireme.server.limits import Limits
from trireme.server.metrics import Metrics
from trireme.server.protocol import shapes
from trireme.server.protocol.codes import Refusal
from trireme.server.protocol.messages import RoomChanged, Update, Welcome
from trireme.server.storage.event_store import Finished, Ledger
from trireme.server.workers.pool import Workers
from trireme.server.workers.tasks import Decide, Failure

from . import events
from .client import Client
from .clock import Alarm, Clock
from .events import AnyEvent
from .table import Entry, Table
from .views import fallback, happenings, position, scene

log = logging.getLogger("trireme.server")


class House(Protocol):
    """What a room needs of the server around it."""

    limits: Limits
    clock: Clock
    ledger: Ledger
    workers: Workers
    metrics: Metrics

    async def rematch(self, table: Table) -> str: ...


class Room:
    """One game and everybody who takes part in it or looks on."""

    def __init__(self, house: House, table: Table, drafts: dict[Seat, tuple[int, str]]) -> None:
        self.house = house
        self.table = table
        self.clients: set[Client] = set()
        self.deserted_at: float | None = house.clock.now()
        self.broken = False
        self.scene = scene(table.game)
        self._lock = asyncio.Lock()
        self._drafts = drafts
        self._thinking: dict[Seat, asyncio.Task[None]] = {}
        self._alarm: Alarm | None = None
        self._alarm_for: int | None = None
        self._alarm_at = 0.0
        self._left: float | None = None
        """What was left of the decision's time when the last player went."""

    @property
    def id(self) -> str:
        return self.table.setup.room

    @property
    def idle(self) -> bool:
        """Whether nothing goes on that needs the room in memory."""
        return not self.clients and not self._thinking and not self._lock.locked()

    # Telling

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
                    kind=chair.kind,
                    name=chair.name,
                    online=chair.kind == "agent" or seat in held,
                )
                for seat, chair in enumerate(table.chairs)
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

    def position(self, seats: Sequence[Seat]) -> shapes.Position:
        return position(self.table, seats, self.drafts, self._clock_state())

    @property
    def drafts(self) -> dict[Seat, str]:
        """The drafts of the present decision."""
        now = self.table.decision
        return {seat: text for seat, (at, text) in self._drafts.items() if at == now}

    def welcome(self, client: Client, since: int | None) -> None:
        """Tell a client everything it needs, and what it missed."""
        from_version = min(since or 0, self.table.version)
        missed = self.table.entries[from_version:]
        client.send(
            Welcome(
                protocol=shapes.PROTOCOL,
                room=self.info(),
                scene=self.scene,
                seats=list(client.seats),
                position=self.position(client.seats),
                happened=[h for e in missed for h in happenings(self.table, e, client.seats)],
            )
        )

    def _tell(self, since: int, entries: list[Entry]) -> None:
        """Send everybody what happened, each as its seats may know it."""
        made: dict[tuple[Seat, ...], str] = {}
        for client in self.clients:
            seats = client.seats
            if seats not in made:
                made[seats] = Update(
                    since=since,
                    happened=[h for e in entries for h in happenings(self.table, e, seats)],
                    position=self.position(seats),
                ).model_dump_json()
            client.send_text(made[seats])

    def _tell_room(self) -> None:
        if self.clients:
            text = RoomChanged(room=self.info()).model_dump_json()
            for client in self.clients:
                client.send_text(text)

    # Coming and going

    async def enter(self, client: Client, token: str | None, since: int | None) -> None:
        async with self._lock:
            client.seats = () if token is None else self.table.holds(token)
            if token is not None and not client.seats:
                raise Refusal("bad_token", "this token holds no seat of this room")
            watching = sum(not c.seats for c in self.clients)
            if not client.seats and watching >= self.house.limits.spectators:
                raise Refusal("too_many_connections", "this room has no place for more spectators")
            self.clients.add(client)
            self.deserted_at = None
            self._set_clock()
            self.welcome(client, since)
            self._tell_room()
            self._wake_agents()

    async def leave(self, client: Client) -> None:
        async with self._lock:
            self.clients.discard(client)
            if not self.clients:
                self.deserted_at = self.house.clock.now()
            self._set_clock()
            self._tell_room()

    async def sit(self, seat: Seat | None, name: str, token: str) -> tuple[Seat, ...]:
        async with self._lock:
            await self._do(self.table.sit(seat, name, token))
            self._tell_room()
            return self.table.holds(token)

    # Doing

    async def perform(self, seat: Seat, id: str, wish: Callable[[Table], list[AnyEvent]]) -> int:
        """Grant a seat's wish, or refuse it; gives the version that it led to.

        The same id is granted once: again, it only gives the version it led to then.
        """
        async with self._lock:
            granted = self.table.granted(seat, id)
            if granted is not None:
                return granted
            await self._do(wish(self.table))
            return self._version_of(seat, id)

    async def rematch(self, seat: Seat, id: str) -> int:
        async with self._lock:
            if (granted := self.table.granted(seat, id)) is not None:
                return granted
            made = self.table.rematch(seat, id)
            if made is None:
                room = await self.house.rematch(self.table)
                made = [events.Rematched(seat, room, id)]
            await self._do(made)
            return self._version_of(seat, id)

    def _version_of(self, seat: Seat, id: str) -> int:
        """The version that the message led to; the present one where it changed nothing."""
        granted = self.table.granted(seat, id)
        return self.table.version if granted is None else granted

    async def draft(self, seat: Seat, text: str | None) -> int:
        async with self._lock:
            if self.table.setup.clock is None:
                raise Refusal("no_clock", "this room has no clock: send the action itself")
            if text is not None:
                text = self.table.game.write(self.table.read(seat, text))
            decision = self.table.decision
            await self._stored(self.house.ledger.draft(self.id, seat, decision, text))
            if text is None:
                self._drafts.pop(seat, None)
            else:
                self._drafts[seat] = decision, text
            return self.table.version

    async def _do(self, made: list[AnyEvent]) -> None:
        """Store what shall happen, let it happen, tell everybody. The lock is held."""
        if not made:
            return
        table, ts, since = self.table, self.house.clock.stamp(), self.table.version
        finished = self._finish_of(made, ts)
        await self._stored(self.house.ledger.append(self.id, since, made, ts, finished))
        entries = [table.add(event, ts) for event in made]
        self.house.metrics.happened(table.setup.game, entries)
        self._set_clock()
        self._tell(since, entries)
        self._wake_agents()

    def _finish_of(self, made: list[AnyEvent], ts: str) -> Finished | None:
        """The line in the list of finished games, if these events end the game."""
        ending = self.table.ending(made, ts)
        if ending is None:
            return None
        setup, returns = self.table.setup, list(ending.returns)
        return Finished(self.id, setup.game, setup.variant, ending.names, returns, ending.moves, ts)

    async def _stored(self, storing: Awaitable[Any]) -> None:
        """Wait for the database; if it fails, nobody knows what it holds: load the room again."""
        try:
            await storing
        except Exception as error:
            log.exception("room %s: the database failed", self.id)
            self.broken = True
            for client in self.clients:
                client.close(1013, "the database failed: reconnect")
            raise Refusal("internal", "the database failed; nothing was done") from error

    # Agents

    def _wake_agents(self) -> None:
        """Let every agent that is to move think, while anybody looks on."""
        if not self.clients:
            return
        for seat in self.table.waiting_for:
            if self.table.chairs[seat].kind == "agent" and seat not in self._thinking:
                task = asyncio.create_task(self._think(seat, self.table.decision))
                self._thinking[seat] = task

    async def _think(self, seat: Seat, decision: int) -> None:
        try:
            await self._agent_move(seat, decision)
        except Refusal as refusal:
            log.warning("room %s: agent of seat %d: %s", self.id, seat, refusal)
        except Exception:
            log.exception("room %s: the agent of seat %d could not move", self.id, seat)
        finally:
            self._thinking.pop(seat, None)
            if (
                not self.broken
                and seat in self.table.waiting_for
                and (self.table.decision != decision)
            ):
                self._wake_agents()

    async def _agent_move(self, seat: Seat, decision: int) -> None:
        began = self.house.clock.now()
        text, fault = "", None
        try:
            text = await self.house.workers.ask(
                self.decide_task(seat, self.table.chairs[seat].name, self.table.setup.think),
                self.table.setup.think,
            )
        except Failure as failure:
            fault = failure
        if (rest := self.table.setup.pace - (self.house.clock.now() - began)) > 0:
            await asyncio.sleep(rest)
        async with self._lock:
            table = self.table
            if table.decision != decision or seat not in table.waiting_for:
                return
            if fault is None:
                try:
                    made = table.act(seat, text, "agent")
                except Refusal as refusal:
                    fault = Failure("illegal", refusal.message)
            if fault is not None:
                self.house.metrics.agent_failures += 1
                log.warning("room %s: %s forfeits: %s", self.id, table.chairs[seat].name, fault)
                made = table.forfeit(seat, fault.reason, fault.detail)
            await self._do(made)

    def decide_task(self, seat: Seat, spec: str, seconds: float) -> Decide:
        """The decision of `seat` as an agent in a worker gets it: its view and nothing else."""
        table = self.table
        return Decide(
            table.setup.game,
            dict(table.setup.settings),
            spec,
            seat,
            table.game.view(table.state, seat),
            table.game.legal(table.state, seat),
            table.setup.seed,
            (seat + 1, table.version),
            seconds,
        )

    # The clock

    def _asked_people(self) -> list[Seat]:
        chairs = self.table.chairs
        return [seat for seat in self.table.waiting_for if chairs[seat].kind == "person"]

    def _set_clock(self) -> None:
        """Start, keep, stop or pause the alarm of the present decision."""
        seconds, decision = self.table.setup.clock, self.table.decision
        if seconds is None:
            return
        if not self._asked_people():
            self._stop_alarm()
            self._left = None
            return
        now = self.house.clock.now()
        if not any(client.seats for client in self.clients):
            if self._alarm is not None:
                self._left = max(1.0, self._alarm_at - now)
                self._stop_alarm()
            return
        if self._alarm is not None and self._alarm_for == decision:
            return
        paused = self._left if self._alarm_for == decision else None
        self._stop_alarm()
        left = seconds if paused is None else paused
        self._left, self._alarm_for, self._alarm_at = None, decision, now + left
        self._alarm = self.house.clock.alarm(left, lambda: self._ring(decision))

    def _stop_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _clock_state(self) -> shapes.ClockState | None:
        seconds = self.table.setup.clock
        if seconds is None or self._alarm is None:
            return None
        left = max(0.0, self._alarm_at - self.house.clock.now())
        return shapes.ClockState(seconds=seconds, left=round(left, 3))

    def _ring(self, decision: int) -> None:
        self._alarm = None
        task = asyncio.get_running_loop().create_task(self._time_is_up(decision))
        _RINGING.add(task)
        task.add_done_callback(_RINGING.discard)

    async def _time_is_up(self, decision: int) -> None:
        """Play the drafts, or the game's fallback, for everybody who has not acted."""
        async with self._lock:
            table, asked = self.table, self._asked_people()
            if table.decision != decision or not asked:
                return
            actions: dict[Seat, Any] = {}
            for seat in asked:
                draft = self.drafts.get(seat)
                action = fallback(table, seat) if draft is None else table.game.read(draft)
                if action is None:
                    await self._do(table.forfeit(seat, "time", "the clock ran out"))
                    return
                actions[seat] = action
            await self._do(table.act_all(actions, "clock"))


_RINGING: set[asyncio.Task[None]] = set()
"""Tasks of clocks that have rung: the loop itself would forget them."""
