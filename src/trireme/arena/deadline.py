"""Time limits of agents in this process: Python code that runs past its deadline is interrupted."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from trireme.core.forfeit import AgentFault
from trireme.core.game import AnyAgent, Turn
from trireme.core.play import GRACE

T = TypeVar("T")

PREPARE_SECONDS = 300.0
"""Seconds an agent may take in `prepare`: a first compilation is slow, a hang is longer."""
TICK = 0.2
"""Seconds between two checks of the deadline."""
INTERRUPT_AFTER = 0.5
"""Seconds after the deadline at which an agent that has not answered is interrupted."""


class DecisionTimeout(AgentFault):
    """The agent was interrupted because its time was over."""

    reason = "time"


class _DeadlinePassed(BaseException):
    """Raised inside the agent's code; no `except Exception` there can swallow it."""


_deadline = math.inf
"""When the agent that is being called will be interrupted, by the monotonic clock."""


def _tick(_: int, __: FrameType | None) -> None:
    if time.monotonic() > _deadline:
        raise _DeadlinePassed


@contextmanager
def deadline_timer() -> Iterator[None]:
    """Check the deadline several times a second during a game, by a timer signal.

    Setting a timer for each decision would cost more than quick agents take to decide. Only a main
    thread, on a system with such signals, can have the timer.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return
    previous = signal.signal(signal.SIGALRM, _tick)
    signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def decision_timeout(seconds: float) -> float:
    """Seconds after which a decision with a budget of `seconds` is interrupted."""
    return seconds * (1 + GRACE) + GRACE + INTERRUPT_AFTER


def interruptible(timeout: float, call: Callable[[], T]) -> T:
    """Call, and interrupt Python code that takes longer than `timeout`.

    Code that is stuck outside the interpreter can't be interrupted: then the executor's watchdog
    ends the whole worker.
    """
    global _deadline
    try:
        try:
            _deadline = time.monotonic() + timeout
            return call()
        finally:
            _deadline = math.inf
    except _DeadlinePassed:
        _deadline = math.inf
        raise DecisionTimeout(
            f"gave no answer within {timeout:.3g} s and was interrupted"
        ) from None


class InterruptibleAgent:
    """An agent for single games, interrupted when a decision runs far over its time budget."""

    def __init__(self, agent: AnyAgent) -> None:
        self.name, self._agent = agent.name, agent

    def act(self, turn: Turn[Any, Any]) -> Any:
        if turn.seconds is None:
            return self._agent.act(turn)
        with deadline_timer():
            return interruptible(decision_timeout(turn.seconds), lambda: self._agent.act(turn))
