"""WebSockets of rooms: each client's messages are handled in order, and accepted or refused."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec
from fastapi import WebSocket, WebSocketDisconnect

from trireme.server.protocol import messages, shapes
from trireme.server.protocol.codes import INTERNAL_ERROR, STOPPING, Refusal
from trireme.server.protocol.messages import Ack, Error, parse_message
from trireme.server.rooms import advice
from trireme.server.rooms.client import Client
from trireme.server.rooms.events import AnyEvent
from trireme.server.rooms.lobby import Lobby
from trireme.server.rooms.room import Room
from trireme.server.rooms.table import GameTable
from trireme.server.storage.leases import OwnedElsewhere

from .forwarding import UNREACHABLE, Forwarder, owners, relay
from .keys import token_hash
from .limits import quota_key

log = logging.getLogger("trireme.server")

HELLO_SECONDS = 15
"""Deadline for the first message of a connection."""
MAX_BAD_MESSAGES = 100
"""Malformed or too frequent messages after which a connection is closed."""


class Sockets:
    """All connections of a server."""

    def __init__(self, lobby: Lobby, forwarder: Forwarder) -> None:
        self._lobby = lobby
        self._forwarder = forwarder
        self._by_address: Counter[str] = Counter()
        self.stopping = False

    async def serve(self, socket: WebSocket, room_id: str) -> None:
        """Handle one connection until it is closed."""
        address = quota_key(socket.client.host if socket.client else "?")
        await socket.accept()
        limits = self._lobby.limits
        client = Client(limits, self._lobby.clock.now(), address)
        writer = asyncio.create_task(_write(socket, client))
        self._by_address[address] += 1
        room: Room | None = None
        try:
            if (
                self._by_address[address] > limits.connections_per_address
                or self._by_address.total() > limits.connections
            ):
                raise Refusal("too_many_connections", "too many connections; try again later")
            self._lobby.quotas.charge("requests", address)
            hello = await asyncio.wait_for(_receive(socket), HELLO_SECONDS)
            try:
                room = await self._handshake(client, room_id, hello)
            except OwnedElsewhere as elsewhere:
                room = await self._forward(socket, client, elsewhere, hello)
            if room is not None:
                await self._handle_messages(socket, client, room)
        except Refusal as refusal:
            self._refuse(client, None, refusal)
            retry_later = refusal.code in (
                "too_many_connections",
                "too_many_rooms",
                "shutting_down",
            ) or (refusal.code == "too_fast" and room is None)
            client.close(1013 if retry_later else 1008, refusal.code)
        except (TimeoutError, WebSocketDisconnect):
            client.close(1000, "")
        except Exception:
            log.exception("a connection to room %r failed", room_id[:40])
            self._refuse(client, None, Refusal("internal", INTERNAL_ERROR))
            client.close(1011, "internal")
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
            if room is not None:
                await room.leave(client)
            with suppress(Exception):
                await writer

    async def _forward(
        self, socket: WebSocket, client: Client, elsewhere: OwnedElsewhere, hello: str
    ) -> Room | None:
        """Connect the client with the room's owner until either closes, and return None; or the
        room, entered here, if this server has taken it over meanwhile."""
        async for address in owners(self._lobby, elsewhere):
            if self._lobby.leases is not None and address == self._lobby.leases.address:
                return await self._handshake(client, elsewhere.room, hello)
            owner = await self._forwarder.connect(socket, address) if address else None
            if owner is not None and await relay(client, lambda: _receive(socket), owner, hello):
                return None
        raise Refusal("shutting_down", UNREACHABLE)

    async def _handshake(self, client: Client, room_id: str, text: str) -> Room:
        if self.stopping:
            raise Refusal("shutting_down", STOPPING)
        message = parse_message(text)
        if not isinstance(message, messages.Hello):
            raise Refusal("hello_first", f"expected hello, not {message.type}")
        if message.protocol != shapes.PROTOCOL:
            raise Refusal(
                "unsupported_protocol",
                f"this server speaks protocol {shapes.PROTOCOL}, not {message.protocol}: "
                "load the page again",
            )
        room = await self._lobby.get(room_id)
        token = None if message.token is None else token_hash(message.token)
        await room.enter(client, token, message.since)
        return room

    async def _handle_messages(self, socket: WebSocket, client: Client, room: Room) -> None:
        bad_messages = 0
        while client.closing is None:
            text = await _receive(socket)
            self._lobby.metrics.messages.inc()
            id: str | None = None
            try:
                try:
                    self._charge_message(client, text)
                    message = parse_message(text)
                except Refusal:
                    bad_messages += 1
                    id = _id_of(text)
                    raise
                id = getattr(message, "id", None)
                await self._handle(client, room, message)
            except Refusal as refusal:
                self._refuse(client, id, refusal)
            if bad_messages >= MAX_BAD_MESSAGES:
                raise Refusal("too_fast", "too many messages that could not be accepted")

    def _charge_message(self, client: Client, text: str) -> None:
        """Refuse a message that is one too many, of the connection or of its address."""
        if not client.bucket.take(self._lobby.clock.now()):
            raise Refusal("too_fast", "too many messages; slow down", retry_after=1)
        self._lobby.quotas.charge("messages", client.address)
        self._lobby.quotas.charge("bytes", client.address, len(text))

    async def _handle(self, client: Client, room: Room, message: Any) -> None:
        match message:
            case messages.Hello():
                raise Refusal("hello_first", "hello was sent already; use sync")
            case messages.Ping(id=id):
                client.send(messages.Pong(id=id))
                return
            case messages.Sync(since=since):
                self._lobby.quotas.charge("requests", client.address)
                room.welcome(client, since)
                return
        if message.seat not in client.seats:
            raise Refusal("not_your_seat", f"this client does not hold seat {message.seat}")
        if isinstance(message, messages.PreviewRequest):
            client.send(await self._preview(room, message, client.address))
            return
        if isinstance(message, messages.HintRequest | messages.InsightRequest):
            self._start_query(client, room, message)
            return
        version = await _apply(room, message, client.address)
        client.send(Ack(id=message.id, version=version))

    async def _preview(
        self, room: Room, message: messages.PreviewRequest, address: str
    ) -> messages.PreviewResponse:
        """The outcome of an action; its processor time is charged."""
        self._lobby.quotas.require("cpu", address)
        used = 0.0

        def measured() -> messages.PreviewResponse:
            nonlocal used
            began = time.thread_time()
            try:
                return advice.preview(room.table, message)
            finally:
                used = time.thread_time() - began

        try:
            return await self._lobby.run_in_thread(measured)
        finally:
            self._lobby.quotas.spend("cpu", address, used)

    def _start_query(
        self, client: Client, room: Room, message: messages.HintRequest | messages.InsightRequest
    ) -> None:
        """Start computing a hint or an insight; the response comes when it is done."""
        if client.query_running:
            raise Refusal("busy", "one hint or insight at a time")
        client.query_running = True
        task = asyncio.create_task(self._run_query(client, room, message))
        _QUERIES.add(task)
        task.add_done_callback(_QUERIES.discard)

    async def _run_query(
        self, client: Client, room: Room, message: messages.HintRequest | messages.InsightRequest
    ) -> None:
        moves, seat, seconds = len(room.table.moves), message.seat, message.seconds
        try:
            if isinstance(message, messages.HintRequest):
                agent, action = await advice.hint(
                    self._lobby, room, seat, message.agent, seconds, client.address
                )
                response: messages.SeatResponse = messages.HintResponse(
                    id=message.id, seat=seat, moves=moves, agent=agent, action=action
                )
            else:
                insight = await advice.insight(self._lobby, room, seat, seconds, client.address)
                response = messages.InsightResponse(
                    id=message.id, seat=seat, moves=moves, insight=insight
                )
            client.send(response)
        except Refusal as refusal:
            self._refuse(client, message.id, refusal)
        except Exception:
            log.exception("a query in room %s failed", room.id)
            self._refuse(client, message.id, Refusal("internal", INTERNAL_ERROR))
        finally:
            client.query_running = False

    def _refuse(self, client: Client, id: str | None, refusal: Refusal) -> None:
        self._lobby.metrics.refusals.labels(refusal.code).inc()
        client.send(
            Error(
                id=id,
                code=refusal.code,
                message=refusal.message,
                retry_after=refusal.retry_after,
            )
        )


async def _apply(room: Room, message: Any, address: str) -> int:
    """Carry out a request that changes the room; returns the version that it led to."""
    match message:
        case messages.Act(id=id, seat=seat):
            return await room.apply_request(seat, id, partial(_act, message))
        case messages.Draft(seat=seat, action=action):
            return await room.draft(seat, action)
        case messages.Undo(id=id, seat=seat):
            return await room.apply_request(seat, id, lambda table: table.undo(seat, id))
        case messages.Resign(id=id, seat=seat):
            return await room.apply_request(
                seat, id, lambda table: table.forfeit(seat, "resigned", "gave the game up", id)
            )
        case messages.Claim(id=id, seat=seat):
            return await room.claim(seat, id)
        case messages.Shown(seat=seat, moves=moves):
            return await room.shown(seat, moves)
        case messages.Rematch(id=id, seat=seat):
            return await room.rematch(seat, id, address)
        case messages.AllowHints(id=id, seat=seat):
            return await room.apply_request(seat, id, lambda table: table.allow_hints(seat, id))
        case messages.Answer(id=id, seat=seat, kind=kind, accept=accept):
            if kind == "rematch" and accept:
                return await room.rematch(seat, id, address)
            return await room.apply_request(
                seat, id, lambda table: table.answer(seat, kind, accept, id)
            )
    raise AssertionError(f"no such message: {message!r}")


def _act(message: messages.Act, table: GameTable) -> list[AnyEvent]:
    """The events of an action; refused if it is meant for an older position."""
    moves = len(table.moves)
    if message.moves is not None and message.moves != moves:
        raise Refusal("stale", f"meant for move {message.moves + 1}, but {moves} are made")
    return table.act(message.seat, message.action, "person", message.id)


async def _write(socket: WebSocket, client: Client) -> None:
    """Send the queued messages until the client is closed."""
    try:
        while (text := await client.outbox.get()) is not None:
            await socket.send_text(text)
            client.queued -= len(text)
        code, reason = client.closing or (1000, "")
        await socket.close(code, reason)
    except Exception:
        client.close(1006, "the connection is gone")


async def _receive(socket: WebSocket) -> str:
    event = await socket.receive()
    if event["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(event.get("code", 1006))
    text = event.get("text")
    return text if text is not None else bytes(event.get("bytes") or b"").decode(errors="replace")


def _id_of(text: str) -> str | None:
    """The id of a message that is refused without being validated, if it has one."""
    with suppress(ValueError, RecursionError):  # msgspec refuses lone surrogates, which json reads
        message = msgspec.json.decode(text)
        if isinstance(message, dict) and isinstance(id := message.get("id"), str):
            return id[:64]
    return None


_QUERIES: set[asyncio.Task[None]] = set()
"""Running queries: the event loop itself keeps only weak references to tasks."""
