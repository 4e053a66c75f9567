"""All rooms: made, found, loaded from the database when they are needed, and let go."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

import msgspec
from sqlalchemy import Engine

from trireme.core.errors import TriremeError
from trireme.core.game import AnyGame
from trireme.core.options import settings as settings_of
from trireme.core.registry import make_game
from trireme.server.catalogue import Catalogue
from trireme.server.keys import is_room_id, new_room_id, new_seed, new_token, token_hash
from trireme.server.limits import Limits
from trireme.server.metrics import Metrics
from trireme.server.protocol.bodies import Chair as WantedChair
from trireme.server.protocol.bodies import NewRoom
from trireme.server.protocol.codes import Refusal
from trireme.server.storage.event_store import Ledger, Stored
from trireme.server.storage.ratings import Ratings
from trireme.server.storage.retention import AT_ONCE, Retention
from trireme.server.workers.pool import Workers
from trireme.server.workers.tasks import Warm

from .clock import Clock
from .events import AnyEvent, Chair, Setup
from .room import Room
from .table import Table
from .views import terminal

P = ParamSpec("P")
T = TypeVar("T")

MOST_SAID = 1000
"""Characters of an error that are sent: it quotes what came, and that may be long."""
ASIDE = 4
"""Slow pieces of work that may run at once beside the rooms."""


@dataclass(frozen=True)
class Held:
    """Seats that somebody now holds."""

    room: Room
    token: str | None
    seats: tuple[int, ...]


class Lobby:
    """The rooms of one server."""

    def __init__(self, engine: Engine, clock: Clock, limits: Limits, workers: int) -> None:
        self.limits = limits
        self.clock = clock
        self.metrics = Metrics()
        self.ledger = Ledger(engine, self.metrics.committed_batch)
        self.workers = Workers(workers, limits, self.metrics.thoughts.see)
        self.catalogue = Catalogue(self.workers)
        self.ratings = Ratings(engine, clock)
        self.rooms: dict[str, Room] = {}
        self._aside = asyncio.Semaphore(ASIDE)
        self._loading: dict[str, asyncio.Task[Room]] = {}

    async def close(self) -> None:
        """Send everybody away, stop the workers, commit what is waiting."""
        for room in self.rooms.values():
            for client in room.clients:
                client.close(1001, "the server stops: reconnect soon")
        await asyncio.to_thread(self.workers.stop)
        await asyncio.to_thread(self.ledger.close)

    @property
    def connections(self) -> int:
        return sum(len(room.clients) for room in self.rooms.values())

    async def aside(self, do: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run what may take a while in a thread, a few at a time, so that nobody has to wait."""
        async with self._aside:
            return await asyncio.to_thread(do, *args, **kwargs)

    async def create(self, wish: NewRoom) -> Held:
        """A new room, and the creator's seats in it."""
        self._must_have_place()
        info = await self.catalogue.game(wish.game)
        game = await self.aside(checked_game, wish.game, wish.variant, wish.settings)
        chosen = settings_of(game)
        wanted = _usual_chairs(game) if wish.seats is None else wish.seats
        if len(wanted) != game.seats:
            raise Refusal(
                "bad_settings", f"{wish.game} has {game.seats} seats here, not {len(wanted)}"
            )
        token = new_token() if any(chair.kind == "me" for chair in wanted) else None
        chairs = []
        for chair in wanted:
            made = _chair(chair, wish.name, token, info.opponent)
            if made.kind == "agent":
                await self.catalogue.vet(wish.game, chosen, made.name)
            chairs.append(made)
        setup = Setup(
            new_room_id(),
            wish.game,
            wish.variant,
            chosen,
            tuple(chairs),
            new_seed(),
            _seconds(wish),
            min(wish.think, self.limits.agent_seconds),
            wish.pace,
            wish.public,
            _alone(chairs) if wish.hints is None else wish.hints,
            self.clock.stamp(),
        )
        room = await self._open(setup)
        for spec in {chair.name for chair in chairs if chair.kind == "agent"}:
            self.workers.prepare(Warm(wish.game, chosen, spec))
        seats = () if token is None else room.table.holds(token_hash(token))
        return Held(room, token, seats)

    async def join(self, room_id: str, seat: int | None, name: str) -> Held:
        room = await self.get(room_id)
        token = new_token()
        return Held(room, token, await room.sit(seat, name, token_hash(token)))

    async def get(self, room_id: str) -> Room:
        """The room, from memory or from the database."""
        room = self.rooms.get(room_id)
        if room is not None and not room.broken:
            if room.deserted_at is not None:
                room.deserted_at = self.clock.now()
            return room
        if not is_room_id(room_id):
            raise Refusal("no_such_room", f"there is no room {room_id[:40]!r}")
        if room_id not in self._loading:
            self._must_have_place()
            task = asyncio.create_task(self._load(room_id))
            self._loading[room_id] = task
            task.add_done_callback(lambda _: self._loading.pop(room_id, None))
        return await asyncio.shield(self._loading[room_id])

    async def rematch(self, table: Table) -> str:
        """The same players in a new room, sides swapped."""
        setup = msgspec.structs.replace(
            table.setup,
            room=new_room_id(),
            chairs=(*table.chairs[1:], table.chairs[0]),
            seed=new_seed(),
            created=self.clock.stamp(),
        )
        return (await self._open(setup)).id

    def listed(self) -> list[Room]:
        """Public rooms that are not over and have somebody in them, newest first."""
        found = [
            room
            for room in self.rooms.values()
            if room.table.setup.public and room.clients and room.table.status != "over"
        ]
        return sorted(found, key=lambda room: room.table.setup.created, reverse=True)

    def sweep(self) -> None:
        """Let go of rooms that nobody has been in for a while: the database has them."""
        now = self.clock.now()
        for room_id, room in list(self.rooms.items()):
            alone = room.deserted_at is not None and (
                now - room.deserted_at > self.limits.idle_seconds
            )
            if room.idle and (alone or room.broken):
                del self.rooms[room_id]

    async def forget(self, kept: Retention) -> int:
        """Delete the rooms whose time is over, and give their number; moves come in between."""
        gone = 0
        while True:
            spared = {*self.rooms, *self._loading}
            some = await self.ledger.forget(kept, self.clock.stamp(), spared)
            gone += some
            if some < AT_ONCE:
                return gone

    def _must_have_place(self) -> None:
        if len(self.rooms) >= self.limits.rooms:
            self.sweep()
        if len(self.rooms) >= self.limits.rooms:
            raise Refusal("too_many_rooms", "the server is full; try again later")

    async def _open(self, setup: Setup) -> Room:
        table = Table(setup)
        made: list[AnyEvent] = []
        if all(chair.kind != "open" for chair in setup.chairs):
            try:
                made = await self.aside(table.start)
            except TriremeError as error:
                raise Refusal("bad_settings", str(error)) from None
        ts = self.clock.stamp()
        await self.ledger.create(setup, made, ts)
        for event in made:
            table.add(event, ts)
        room = Room(self, table, {})
        self.rooms[setup.room] = room
        return room

    async def _load(self, room_id: str) -> Room:
        stored = await self.ledger.load(room_id)
        if stored is None:
            raise Refusal("no_such_room", f"there is no room {room_id!r}")
        table = await self.aside(_rebuilt, stored)
        room = Room(self, table, dict(stored.drafts))
        self.rooms[room_id] = room
        return room


def checked_game(name: str, variant: str | None, settings: dict[str, Any]) -> AnyGame:
    """The game with these settings, or a refusal that says what is wrong with them."""
    try:
        return make_game(name, variant, **settings)
    except TriremeError as error:
        text = str(error)
        shown = text if len(text) <= MOST_SAID else f"{text[:MOST_SAID]}…"
        raise Refusal("bad_settings", shown) from None


def _rebuilt(stored: Stored) -> Table:
    table = Table(stored.setup)
    for event, ts in stored.events:
        table.add(event, ts)
    return table


def _usual_chairs(game: AnyGame) -> list[WantedChair]:
    others = [WantedChair(kind="agent") for _ in range(game.seats - 1)]
    return [WantedChair(kind="me"), *others]


def _chair(wanted: WantedChair, name: str, token: str | None, opponent: str) -> Chair:
    if wanted.kind == "me" and token is not None:
        return Chair("person", name, token_hash(token))
    if wanted.kind == "agent":
        return Chair("agent", wanted.agent or opponent)
    return Chair("open")


def _seconds(wish: NewRoom) -> float | None:
    if wish.clock == "usual":
        return terminal(wish.game).clock
    return None if wish.clock == "none" else wish.clock


def _alone(chairs: list[Chair]) -> bool:
    """Whether one person at most plays, so that hints are unfair to nobody."""
    return all(chair.kind != "open" for chair in chairs)
