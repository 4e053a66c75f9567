"""Deadlines for HTTP requests: at the end of its time the connection is broken.

The timeouts of httpx hold between two reads: a server that sends its headers byte by byte would
never meet one.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any


class RequestDeadline:
    """Breaks the connection of one client, which makes its requests one after the other.

    with deadline.within(5.0), client.stream(…, extensions={"trace": deadline.trace}): …
    """

    def __init__(self) -> None:
        self._socket: socket.socket | None = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Keep the socket of the connection in use; `event` is one of httpcore's."""
        stream = info.get("return_value")
        if event.endswith(("connect_tcp.complete", "start_tls.complete")) and stream is not None:
            self._socket = stream.get_extra_info("socket")

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """The request in this block has this many seconds, its answer included."""
        timer = threading.Timer(seconds, self._break_off)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _break_off(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # not TLS's own `shutdown`, which is for the reading thread
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
