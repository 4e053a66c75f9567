"""One connected client: its seats, and the messages on their way to it."""

from __future__ import annotations

import asyncio

from pydantic import BaseModel

from trireme.core.game import Seat
from trireme.server.limits import Bucket, Limits


class Client:
    """A connection to one room. Messages queue here, so that a slow reader stalls nobody."""

    def __init__(self, limits: Limits, now: float) -> None:
        self.seats: tuple[Seat, ...] = ()
        self.asking = False
        """Whether a hint or an insight is being computed for it."""
        self.bucket = Bucket(limits.message_rate, limits.message_burst, now)
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(limits.outbox)
        self.closing: tuple[int, str] | None = None

    def send(self, message: BaseModel) -> None:
        self.send_text(message.model_dump_json())

    def send_text(self, text: str) -> None:
        if self.closing is not None:
            return
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.close(1013, "too slow: reconnect")

    def close(self, code: int, reason: str) -> None:
        """Close after what is queued; a full queue is dropped, for its reader is too slow."""
        if self.closing is not None:
            return
        self.closing = code, reason
        if self.outbox.full():
            while not self.outbox.empty():
                self.outbox.get_nowait()
        self.outbox.put_nowait(None)
