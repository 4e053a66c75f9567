"""The socket of a room: reads a client's messages, grants or refuses them, one after another."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from contextlib import suppress
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from trireme.server.protocol import messages, shapes
from trireme.server.protocol.codes import Code, Refusal
from trireme.server.protocol.messages import CLIENT, Ack, Error
from trireme.server.rooms import advice as questions
from trireme.server.rooms.client import Client
from trireme.server.rooms.lobby import Lobby
from trireme.server.rooms.preview import preview
from trireme.server.rooms.room import Room

from .keys import token_hash

log = logging.getLogger("trireme.server")

HELLO_SECONDS = 15
"""How long a new connection may stay silent."""
PATIENCE = 100
"""Malformed or hasty messages after which a connection is closed."""


class Sockets:
    """All connections of a server."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._by_address: Counter[str] = Counter()
        self.stopping = False

    async def serve(self, socket: WebSocket, room_id: str) -> None:
        """One connection, from its first byte to its last."""
        address = socket.client.host if socket.client else "?"
        await socket.accept()
        limits = self._lobby.limits
        client = Client(limits, self._lobby.clock.now())
        writer = asyncio.create_task(_write(socket, client))
        self._by_address[address] += 1
        room: Room | None = None
        try:
            if (
                self._by_address[address] > limits.connections_of_one
                or self._by_address.total() > limits.connections
            ):
                raise Refusal("too_many_connections", "too many connections; try again later")
            room = await self._greet(socket, client, room_id)
            await self._converse(socket, client, room)
        except Refusal as refusal:
            self._refuse(client, None, refusal.code, refusal.message)
            later = refusal.code in ("too_many_connections", "too_many_rooms", "shutting_down")
            client.close(1013 if later else 1008, refusal.code)
        except (TimeoutError, WebSocketDisconnect):
            client.close(1000, "")
        except Exception:
            log.exception("a connection to room %r failed", room_id[:40])
            self._refuse(client, None, "internal", "a fault of the server; it is in its log")
            client.close(1011, "internal")
        finally:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]
            if room is not None:
                await room.leave(client)
            with suppress(Exception):
                await writer

    async def _greet(self, socket: WebSocket, client: Client, room_id: str) -> Room:
        text = await asyncio.wait_for(_receive(socket), HELLO_SECONDS)
        if self.stopping:
            raise Refusal("shutting_down", "the server stops; reconnect soon")
        message = _parse(text)
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

    async def _converse(self, socket: WebSocket, client: Client, room: Room) -> None:
        patience = PATIENCE
        while client.closing is None:
            text = await _receive(socket)
            self._lobby.metrics.messages += 1
            id: str | None = None
            try:
                if not client.bucket.take(self._lobby.clock.now()):
                    patience -= 1
                    id = _id_of(text)
                    raise Refusal("too_fast", "too many messages; slow down")
                try:
                    message = _parse(text)
                except Refusal:
                    patience -= 1
                    id = _id_of(text)
                    raise
                id = getattr(message, "id", None)
                await self._grant(client, room, message)
            except Refusal as refusal:
                self._refuse(client, id, refusal.code, refusal.message)
            if patience <= 0:
                raise Refusal("too_fast", "too many messages that could not be granted")

    async def _grant(self, client: Client, room: Room, message: Any) -> None:
        match message:
            case messages.Hello():
                raise Refusal("hello_first", "hello was said already; use sync")
            case messages.Ping(id=id):
                client.send(messages.Pong(id=id))
                return
            case messages.Sync(since=since):
                room.welcome(client, since)
                return
        if message.seat not in client.seats:
            raise Refusal("not_your_seat", f"this client does not hold seat {message.seat}")
        if isinstance(message, messages.PreviewRequest):
            client.send(await self._lobby.aside(preview, room.table, message))
            return
        if isinstance(message, messages.HintRequest | messages.InsightRequest):
            self._ask(client, room, message)
            return
        version = await _perform(room, message)
        client.send(Ack(id=message.id, version=version))

    def _ask(
        self, client: Client, room: Room, message: messages.HintRequest | messages.InsightRequest
    ) -> None:
        """Start on a question; its answer comes when it is found."""
        if client.asking:
            raise Refusal("busy", "one question at a time")
        client.asking = True
        task = asyncio.create_task(self._answer(client, room, message))
        _ASKED.add(task)
        task.add_done_callback(_ASKED.discard)

    async def _answer(
        self, client: Client, room: Room, message: messages.HintRequest | messages.InsightRequest
    ) -> None:
        moves, seat, seconds = len(room.table.moves), message.seat, message.seconds
        try:
            if isinstance(message, messages.HintRequest):
                agent, action = await questions.hint(
                    self._lobby, room, seat, message.agent, seconds
                )
                client.send(
                    messages.Hint(id=message.id, seat=seat, moves=moves, agent=agent, action=action)
                )
            else:
                found = await questions.insight(self._lobby, room, seat, seconds)
                client.send(messages.Insight(id=message.id, seat=seat, moves=moves, insight=found))
        except Refusal as refusal:
            self._refuse(client, message.id, refusal.code, refusal.message)
        except Exception:
            log.exception("a question in room %s failed", room.id)
            self._refuse(client, message.id, "internal", "a fault of the server")
        finally:
            client.asking = False

    def _refuse(self, client: Client, id: str | None, code: Code, message: str) -> None:
        self._lobby.metrics.refusals[code] += 1
        client.send(Error(id=id, code=code, message=message))


async def _perform(room: Room, message: Any) -> int:
    """Let a seat do what changes the room; gives the version that it led to."""
    match message:
        case messages.Act(id=id, seat=seat, action=action, moves=moves):

            def act(table: Any) -> Any:
                if moves is not None and moves != len(table.moves):
                    raise Refusal(
                        "stale", f"meant for move {moves + 1}, but {len(table.moves)} are made"
                    )
                return table.act(seat, action, "person", id)

            return await room.perform(seat, id, act)
        case messages.Draft(seat=seat, action=action):
            return await room.draft(seat, action)
        case messages.Undo(id=id, seat=seat):
            return await room.perform(seat, id, lambda table: table.undo(seat, id))
        case messages.Resign(id=id, seat=seat):
            return await room.perform(
                seat, id, lambda table: table.forfeit(seat, "resigned", "gave the game up", id)
            )
        case messages.Rematch(id=id, seat=seat):
            return await room.rematch(seat, id)
        case messages.Answer(id=id, seat=seat, kind=kind, accept=accept):
            if kind == "rematch" and accept:
                return await room.rematch(seat, id)
            return await room.perform(seat, id, lambda table: table.answer(seat, kind, accept, id))
    raise AssertionError(f"no such message: {message!r}")


async def _write(socket: WebSocket, client: Client) -> None:
    """Send what is queued until the client is closed."""
    try:
        while (text := await client.outbox.get()) is not None:
            await socket.send_text(text)
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


def _parse(text: str) -> Any:
    try:
        return CLIENT.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if first["type"] == "json_invalid":
            raise Refusal("bad_json", f"{first['msg']}; got {text[:60]!r}") from None
        where = ".".join(str(part) for part in first["loc"])
        raise Refusal("bad_message", f"{where or 'message'}: {first['msg']}") from None


def _id_of(text: str) -> str | None:
    """The id of a message that is refused unread, if it has one."""
    with suppress(ValueError, RecursionError):
        message = json.loads(text)
        if isinstance(message, dict) and isinstance(id := message.get("id"), str):
            return id[:64]
    return None


_ASKED: set[asyncio.Task[None]] = set()
"""Questions under way: the loop itself would forget them."""
