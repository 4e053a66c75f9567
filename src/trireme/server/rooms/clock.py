"""Time as rooms know it, so that tests can make it pass."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol


class Alarm(Protocol):
    """Something that will be called later, unless cancelled."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Seconds that only grow, alarms, and the date."""

    def now(self) -> float: ...
    def alarm(self, seconds: float, ring: Callable[[], None]) -> Alarm: ...
    def stamp(self) -> str:
        """The date and time as ISO 8601 in UTC, to the millisecond."""
        ...


class LoopClock:
    """The machine's time; alarms ring in the running event loop."""

    def now(self) -> float:
        return time.monotonic()

    def alarm(self, seconds: float, ring: Callable[[], None]) -> Alarm:
        return asyncio.get_running_loop().call_later(seconds, ring)

    def stamp(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds")
