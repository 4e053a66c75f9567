"""One connected client: its seats, its rate limit, and its queue of outgoing messages."""

from __future__ import annotations

import asyncio
import itertools

from trireme.core.game import Seat
from trireme.server.limits import SERVER, ServerLimits, TokenBucket
from trireme.server.protocol.shapes import Shape

_NUMBERS = itertools.count()


class Client:
    """A connection to one room.

    Messages go through a bounded queue, so that a slow reader blocks nobody (backpressure): when
    the queue is full, the client is disconnected and may reconnect.
    """

    def __init__(self, limits: ServerLimits, now: float, address: str = SERVER) -> None:
        self.address = address
        """The network address, for shares and quotas; never stored or sent."""
        self.number = next(_NUMBERS)
        """Counts connections: older ones have smaller numbers."""
        self.seats: tuple[Seat, ...] = ()
        self.query_running = False
        """Whether a hint or an insight is being computed for it."""
        self.bucket = TokenBucket(limits.message_rate, limits.message_burst, now)
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(limits.outbox)
        self.queued = 0
        """Characters in the queue, and in the message that is being sent."""
        self._most_queued = limits.outbox_bytes
        self.closing: tuple[int, str] | None = None
        """The WebSocket close code and reason, once it is to be closed."""

    def send(self, message: Shape) -> None:
        self.send_text(message.model_dump_json())

    def send_text(self, text: str) -> None:
        if self.closing is not None:
            return
        crowded = self.queued > 0 and self.queued + len(text) > self._most_queued
        if crowded or self.outbox.full():
            self._drop()
            self.close(1013, "too slow: reconnect")
        else:
            self.queued += len(text)
            self.outbox.put_nowait(text)

    def close(self, code: int, reason: str) -> None:
        """Close the connection after the queued messages; a full queue is dropped."""
        if self.closing is not None:
            return
        self.closing = code, reason
        if self.outbox.full():
            self._drop()
        self.outbox.put_nowait(None)

    def _drop(self) -> None:
        while not self.outbox.empty():
            self.outbox.get_nowait()
