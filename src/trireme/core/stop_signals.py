"""Stop signals: telling the user's Ctrl-C or SIGTERM from an agent that raises KeyboardInterrupt.

While a program watches, only a signal makes `requested` true, so that a KeyboardInterrupt without
one is an agent's own exception. A program that does not watch takes each for the user's.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_depth = 0
_received: int | None = None


class StopRequested(KeyboardInterrupt):
    """SIGINT or SIGTERM arrived; `number` is the signal's."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def is_stop(error: BaseException) -> bool:
    """Whether `error` ends the program and is not the fault of the agent that was being called."""
    if not isinstance(error, KeyboardInterrupt):
        return False
    return _depth == 0 or _received is not None


@contextmanager
def watched() -> Iterator[None]:
    """Raise `StopRequested` where SIGINT or SIGTERM arrives; handlers can be set in a main thread
    only, elsewhere the program's own stay."""
    global _depth, _received
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous: dict[int, Any] = {}
    try:
        numbers: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            # A program that ignores a signal, as under nohup, goes on ignoring it.
            if signal.getsignal(number) is not signal.SIG_IGN:
                previous[number] = signal.signal(number, _stop)
        _depth += 1
        yield
    finally:
        _depth = max(0, _depth - 1)
        for number, handler in previous.items():
            signal.signal(number, handler)
        if _depth == 0:
            _received = None


def ignore_interrupts() -> None:
    """In a worker process, which its parent ends: Ctrl-C is not for it."""
    global _depth
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _depth += 1


def _stop(number: int, _: FrameType | None) -> None:
    global _received
    _received = number
    raise StopRequested(number)
