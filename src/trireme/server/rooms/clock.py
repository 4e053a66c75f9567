"""The clock of rooms: monotonic time, timers and timestamps, replaceable in tests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class TimerHandle(Protocol):
    """A scheduled callback that can be cancelled."""

    def cancel(self) -> None: ...


class RoomClock(Protocol):
    """What rooms need to know of time."""

    def now(self) -> float:
        """Monotonic seconds."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> TimerHandle: ...

    def timestamp(self) -> str:
        """The date and time as ISO 8601 in UTC, to the millisecond."""
        ...


class EventLoopClock:
    """The machine's time, with timers in the running event loop."""

    def now(self) -> float:
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> TimerHandle:
        return asyncio.get_running_loop().call_later(seconds, callback)

    def timestamp(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds")
