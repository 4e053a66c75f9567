"""A limit on WebSocket frames, below the application, which counts whole messages only.

Pings, pongs and fragments cost processor time as well, and what answers them waits in memory until
the client reads it: a client that sends too many frames is cut off.
"""

from __future__ import annotations

from collections.abc import Callable

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from .limits import ServerLimits, TokenBucket

PART_BYTES = 4096
"""Bytes that are parsed before the limit is checked."""
FRAMES_PER_MESSAGE = 10
"""How many frames a client may send for each message that its rate allows."""
LEAST_BURST = 1000
"""Frames at once that are always read: the application refuses too many messages with a reason."""


class GuardedSocket(WebSocketsSansIOProtocol):
    """A WebSocket that is closed when its client sends too many frames (`socket_guarded_by`)."""

    limits: ServerLimits
    on_close: Callable[[str], None]
    _frames: TokenBucket | None = None

    def data_received(self, data: bytes) -> None:
        for start in range(0, len(data), PART_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + PART_BYTES])

    def handle_text(self, event: Frame) -> None:
        if self._may_go_on():
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        if self._may_go_on():
            super().handle_bytes(event)

    def handle_cont(self, event: Frame) -> None:
        if self._may_go_on():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        if self._may_go_on():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        if self._may_go_on():
            super().handle_pong(event)

    def _may_go_on(self) -> bool:
        """Count a frame; one too many ends the connection."""
        if self.transport.is_closing():
            return False
        now = self.loop.time()
        if self._frames is None:
            rate, burst = self.limits.message_rate, self.limits.message_burst
            most = max(LEAST_BURST, FRAMES_PER_MESSAGE * burst)
            self._frames = TokenBucket(FRAMES_PER_MESSAGE * rate, most, now)
        if self._frames.take(now):
            return True
        self.on_close("frames")
        self.transport.abort()
        return False


def socket_guarded_by(limits: ServerLimits, on_close: Callable[[str], None]) -> type[GuardedSocket]:
    """The protocol class for uvicorn; `on_close(reason)` is called when it closes a connection."""

    members = {"limits": limits, "on_close": staticmethod(on_close)}
    made: type[GuardedSocket] = type("LimitedSocket", (GuardedSocket,), members)
    return made
