"""Forwarding: a client's request or WebSocket is passed on to the server that owns its room.

Clients may connect to any server. A room that another server owns raises `OwnedElsewhere`; then
this one is a reverse proxy for the connection. An owner that does not answer is looked up again:
when it has died, its room is taken over here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

import msgspec
from fastapi import Request, Response, WebSocket, WebSocketDisconnect
from starlette.requests import HTTPConnection
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from trireme.server.protocol.codes import Refusal
from trireme.server.rooms.client import Client
from trireme.server.rooms.lobby import Lobby
from trireme.server.storage.leases import OwnedElsewhere

if TYPE_CHECKING:
    import httpx

HOPS = "trireme-hops"
"""Header: by how many servers the request was forwarded already."""
MAX_HOPS = 3
"""Beyond this the owner changes too fast to be followed; the client tries again."""
RETRY_SECONDS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5)
"""Pauses before an owner that does not answer is looked up again."""
CONNECT_SECONDS = 3.0
"""How long an owner may take to accept a connection."""
ANSWER_SECONDS = 60.0
"""How long an owner may take to answer a request."""
UNREACHABLE = "the server that has this room does not answer; try again"
_PASSED_ON = ("accept", "authorization", "content-type", "host", "user-agent", "x-request-id")
"""Request headers that the owner gets; it derives the rest itself."""
_ABNORMAL = (1005, 1006)
"""Close codes that stand for a connection which ended without one."""


async def owners(lobby: Lobby, first: OwnedElsewhere) -> AsyncIterator[str]:
    """The addresses to try, until the caller has reached one: the owner's, looked up again after
    each pause. This server's own address, once it has taken the room over itself."""
    yield first.address
    for pause in RETRY_SECONDS:
        await asyncio.sleep(pause)
        try:
            await lobby.get(first.room)
        except OwnedElsewhere as elsewhere:
            yield elsewhere.address
        else:
            yield "" if lobby.leases is None else lobby.leases.address


class Forwarder:
    """Passes requests of rooms on to their owners, over connections that are kept open."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._http: httpx.AsyncClient | None = None

    async def close(self) -> None:
        if self._http is not None:
            await self._http.aclose()

    async def request(self, request: Request, elsewhere: OwnedElsewhere) -> Response:
        """The owner's response to the request; one that may have reached it is not repeated."""
        import httpx

        if self._http is None:
            timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
            self._http = httpx.AsyncClient(timeout=timeout, trust_env=False)
        headers, body = _forwarded_headers(request), await request.body()
        headers["accept-encoding"] = "identity"
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        async for address in owners(self._lobby, elsewhere):
            if not address:
                continue
            try:
                answer = await self._http.request(
                    request.method, f"http://{address}{target}", headers=headers, content=body
                )
            except (httpx.ConnectError, httpx.ConnectTimeout):
                continue
            except httpx.HTTPError:
                break
            kept = ("content-type", "content-disposition", "retry-after")
            shown = {name: answer.headers[name] for name in kept if name in answer.headers}
            return Response(answer.content, answer.status_code, shown)
        raise Refusal("shutting_down", UNREACHABLE)

    async def connect(self, socket: WebSocket, address: str) -> ClientConnection | None:
        """A connection to the owner for this client; None: it can't be reached."""
        headers = _forwarded_headers(socket)
        host, _, port = address.rpartition(":")
        origin = socket.headers.get("origin")
        try:
            return await connect(
                f"ws://{headers.pop('host', address)}{socket.url.path}",
                host=host.strip("[]"),
                port=int(port),
                origin=None if origin is None else Origin(origin),
                additional_headers=headers,
                compression=None,
                max_size=None,
                open_timeout=CONNECT_SECONDS,
                proxy=None,
            )
        except (OSError, ValueError, TimeoutError, WebSocketException):
            return None


async def relay(
    client: Client,
    receive: Callable[[], Awaitable[str]],
    owner: ClientConnection,
    hello: str,
) -> bool:
    """Pass messages on in both directions until either side closes; `hello` is the first one.

    False, and nothing was passed on: the owner stops, so another server will have the room.
    """
    try:
        await owner.send(hello)
        first = await asyncio.wait_for(owner.recv(decode=True), ANSWER_SECONDS)
    except (TimeoutError, WebSocketException):
        return False
    if _refuses_to_serve(first):
        await owner.close()
        return False
    client.send_text(first)

    async def to_owner() -> None:
        while True:
            await owner.send(await receive())

    async def to_client() -> None:
        async for message in owner:
            client.send_text(message if isinstance(message, str) else message.decode())

    directions = [asyncio.create_task(to_owner()), asyncio.create_task(to_client())]
    try:
        await asyncio.wait(directions, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in directions:
            task.cancel()
        ended = await asyncio.gather(*directions, return_exceptions=True)
        await owner.close()
    if isinstance(ended[0], WebSocketDisconnect):
        client.close(1000, "")
    elif owner.close_code is None or owner.close_code in _ABNORMAL:
        client.close(1013, "the room's server is gone: reconnect")
    else:
        client.close(owner.close_code, owner.close_reason or "")
    return True


def _refuses_to_serve(text: str) -> bool:
    message = msgspec.json.decode(text)
    return isinstance(message, dict) and message.get("code") == "shutting_down"


def _forwarded_headers(connection: HTTPConnection) -> dict[str, str]:
    """The headers of a forwarded request; refused if it has been forwarded too often."""
    hops = _hops(connection.headers)
    if hops >= MAX_HOPS:
        raise Refusal("shutting_down", UNREACHABLE)
    headers = {name: connection.headers[name] for name in _PASSED_ON if name in connection.headers}
    headers[HOPS] = str(hops + 1)
    headers["x-forwarded-proto"] = connection.url.scheme.replace("ws", "http")
    if connection.client is not None:
        headers["x-forwarded-for"] = connection.client.host
    return headers


def _hops(headers: Mapping[str, str]) -> int:
    text = headers.get(HOPS, "0")
    return int(text) if text.isascii() and text.isdigit() else MAX_HOPS
