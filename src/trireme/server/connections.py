"""Deadlines and limits of HTTP connections, below the application: silent ones are closed.

A connection must send its headers, then its body, and take its response within their times.
Connections that wait for a request are bounded in number: beyond it the oldest are closed, so that
a new client always gets in. WebSockets are counted in `sockets.py`.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from .limits import ServerLimits, quota_key

DEFAULT_PROXIES = "127.0.0.1"
"""Whose `X-Forwarded-For` uvicorn believes unless `FORWARDED_ALLOW_IPS` says otherwise."""

HEADER_BYTES = 64 * 1024
"""The most that a request line and its headers may have."""
MAX_PIPELINED = 8
"""Requests of one connection that may wait for the answers to earlier ones. Hundreds fit into one
packet, and each takes kilobytes; a browser sends none before it has its answer."""
FRAMING_BYTES = 1024 * 1024
"""The most that a request may have beside its body: headers, sizes of chunks, trailers."""


def is_proxy(host: str, trusted: str) -> bool:
    """Whether an address is one of the `trusted` proxies, as `FORWARDED_ALLOW_IPS` names them.

    >>> is_proxy("172.30.0.9", "192.0.2.1, 172.30.0.0/24"), is_proxy("172.30.1.9", "172.30.0.0/24")
    (True, False)
    """
    for name in map(str.strip, trusted.split(",")):
        if name in ("*", host):
            return True
        with suppress(ValueError):  # a name, or an address of another version
            if ipaddress.ip_address(host) in ipaddress.ip_network(name):
                return True
    return False


class ConnectionGuard:
    """All HTTP connections of a server."""

    def __init__(
        self, limits: ServerLimits, on_close: Callable[[str], None] = lambda _: None
    ) -> None:
        """`on_close(reason)` is called when a connection is closed by a limit."""
        self.limits = limits
        self._on_close = on_close
        self._proxies = os.environ.get("FORWARDED_ALLOW_IPS", DEFAULT_PROXIES)
        self._by_address: Counter[str] = Counter()
        self._silent: OrderedDict[GuardedConnection, None] = OrderedDict()

    def opened(self, connection: GuardedConnection) -> None:
        """Count a connection; one too many from its address is closed."""
        self._by_address[connection.address] += 1
        if self._by_address[
            connection.address
        ] > self.limits.http_connections_per_address and not is_proxy(
            connection.host, self._proxies
        ):
            self.close(connection, "address")
            return
        self.silent(connection)

    def lost(self, connection: GuardedConnection) -> None:
        self._silent.pop(connection, None)
        self._by_address[connection.address] -= 1
        if not self._by_address[connection.address]:
            del self._by_address[connection.address]

    def silent(self, connection: GuardedConnection) -> None:
        """The connection waits for the headers of a request."""
        self._silent[connection] = None
        self._silent.move_to_end(connection)
        while len(self._silent) > self.limits.silent_connections:
            oldest, _ = self._silent.popitem(last=False)
            self.close(oldest, "silent")

    def busy(self, connection: GuardedConnection) -> None:
        """The connection has sent a request's headers."""
        self._silent.pop(connection, None)

    def close(self, connection: GuardedConnection, reason: str) -> None:
        self._on_close(reason)
        connection.transport.abort()


class TooManyPipelined(Exception):
    """A client sends requests without waiting for answers."""


class GuardedConnection(HttpToolsProtocol):
    """An HTTP connection with deadlines; `guard` comes from `guarded_by`."""

    guard: ConnectionGuard
    host: str
    """The address of the client, or of a proxy."""
    address: str
    """Whose quota it uses."""
    _timer: asyncio.TimerHandle | None = None
    _counted = False
    _in_headers = True
    _overhead = 0
    """Bytes of the current request that are not part of its body."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._unanswered: deque[RequestResponseCycle] = deque()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.host = self.client[0] if self.client else "?"
        self.address = quota_key(self.host)
        self._counted = True
        self._set_deadline(self.guard.limits.header_seconds, "headers")
        self.guard.opened(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        for cycle in self._unanswered:  # else all but the last try to write, and log a failure
            cycle.disconnected = True
            cycle.message_event.set()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        self._forget()
        super().handle_websocket_upgrade()

    def data_received(self, data: bytes) -> None:
        self._overhead += len(data)
        super().data_received(data)
        if self._overhead > (HEADER_BYTES if self._in_headers else FRAMING_BYTES):
            self.guard.close(self, "headers")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_headers, self._overhead = True, 0
        self._set_deadline(self.guard.limits.header_seconds, "headers")

    def on_headers_complete(self) -> None:
        self.guard.busy(self)
        self._in_headers = False
        self._set_deadline(self.guard.limits.body_seconds, "body")
        if len(self._unanswered) > MAX_PIPELINED:
            raise TooManyPipelined  # ends parsing; uvicorn answers 400 and closes the connection
        before = self.cycle
        super().on_headers_complete()
        if self.cycle is not before:  # None is made for a WebSocket
            self._unanswered.append(self.cycle)

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_headers:  # trailers, which come after the body, have no use here
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._overhead -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._set_deadline(self.guard.limits.response_seconds, "response")
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._clear_deadline()
        if self._unanswered:
            self._unanswered.popleft()
        super().on_response_complete()
        if self._counted and not self.transport.is_closing() and not self.pipeline:
            self.guard.silent(self)

    def _set_deadline(self, seconds: float, what: str) -> None:
        self._clear_deadline()
        self._timer = self.loop.call_later(seconds, self.guard.close, self, what)

    def _clear_deadline(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _forget(self) -> None:
        """The connection is closed, or becomes a WebSocket."""
        self._clear_deadline()
        if self._counted:
            self._counted = False
            self.guard.lost(self)


def guarded_by(guard: ConnectionGuard) -> type[GuardedConnection]:
    """The protocol class for uvicorn, which makes one for every connection."""

    class Guarded(GuardedConnection):
        pass

    Guarded.guard = guard
    return Guarded
