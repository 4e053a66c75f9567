"""Playing one fixture with fresh agents under a watchdog: whatever they do becomes a result."""

from __future__ import annotations

import math
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import FrameType
from typing import Any, Protocol, TypeVar

import numpy as np

from trireme.core.errors import TriremeError
from trireme.core.game import AnyAgent, AnyGame, Seat, Turn
from trireme.core.play import GRACE, AgentFault, Forfeit, Session, describe_error, play
from trireme.core.record import Moves

from .match import Entrant, Match
from .outcome import Played, played
from .schedule import Fixture

T = TypeVar("T")

PREPARE_SECONDS = 300.0
"""Seconds an agent may take in `prepare`: a first compilation is slow, a hang is longer."""
CLOSE_SECONDS = 10.0
TICK = 0.2
"""Seconds between two checks of the deadline."""
INTERRUPT_AFTER = 0.5
"""Seconds after the deadline at which an agent that has not answered is interrupted."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know of a match."""

    entrants: tuple[Entrant, ...]
    seconds: float | None
    limit: float

    @classmethod
    def of(cls, match: Match) -> Job:
        return cls(match.entrants, match.seconds, match.limit)

    @property
    def timeout(self) -> float:
        """Seconds after which a decision is interrupted."""
        return (
            self.limit
            if self.seconds is None
            else self.seconds * (1 + GRACE) + GRACE + INTERRUPT_AFTER
        )


class ActivityMonitor(Protocol):
    """Is notified of what a worker does, so that its parent knows where it died or hangs."""

    def begin(self, number: int) -> None:
        """A game begins."""

    def busy(self, seat: Seat, timeout: float) -> None:
        """The agent in `seat` is called, and may take `timeout` seconds."""

    def line(self, text: str) -> None:
        """A line of the game's record was written."""

    def idle(self) -> None:
        """No agent is being called."""


class NoMonitor:
    """For games in this process, which no parent watches."""

    def begin(self, number: int) -> None: ...
    def busy(self, seat: Seat, timeout: float) -> None: ...
    def line(self, text: str) -> None: ...
    def idle(self) -> None: ...


def play_fixture(job: Job, fixture: Fixture, monitor: ActivityMonitor) -> Played:
    """Play one game to its end. No failure of an agent reaches the caller as an exception."""
    monitor.begin(fixture.number)
    agents = [_GuardedAgent(job, job.entrants[i], s, monitor) for s, i in enumerate(fixture.seats)]
    # Even agents that use the global generators play the same game again.
    random.seed(fixture.seed)
    np.random.seed(fixture.seed % (1 << 32))
    with deadline_timer():
        try:
            result = play(
                fixture.game,
                agents,
                seed=fixture.seed,
                seconds=job.seconds,
                opening=fixture.opening,
                sink=monitor.line,
            )
        finally:
            for agent in agents:
                agent.close()
    monitor.idle()
    return played(fixture.number, result.record, result.seconds, result.decisions)


def forfeited(
    job: Job, fixture: Fixture, moves: tuple[Moves, ...], seat: Seat, reason: str, detail: str
) -> Played:
    """The result of a game whose worker died or hung after `moves`, by the fault of `seat`."""
    labels = [job.entrants[i].name for i in fixture.seats]
    session = Session(fixture.game, labels, seed=fixture.seed, opening=moves or fixture.opening)
    if not session.over:
        session.forfeit(Forfeit(seat, reason, detail))
    asked = tuple(sum(s in move for move in moves) for s in range(fixture.game.seats))
    return played(fixture.number, session.record, (0.0,) * fixture.game.seats, asked)


class _GuardedAgent:
    """An agent whose every call has a timeout; built in `prepare`, so that a failing constructor is
    a forfeit."""

    def __init__(self, job: Job, entrant: Entrant, seat: Seat, monitor: ActivityMonitor) -> None:
        self.name = entrant.name
        self._job, self._entrant, self._seat, self._monitor = job, entrant, seat, monitor
        self._agent: AnyAgent | None = None

    def prepare(self, game: AnyGame) -> None:
        def build_and_prepare() -> None:
            self._agent = self._entrant.build(game)
            prepare = getattr(self._agent, "prepare", None)
            if callable(prepare):
                prepare(game)

        try:
            self._guarded(PREPARE_SECONDS, build_and_prepare)
        except Forfeit:
            raise
        except TriremeError as error:  # the match has begun: an error here is this game's result
            raise AgentFault(describe_error(error)) from error

    def act(self, turn: Turn[Any, Any]) -> Any:
        agent = self._agent
        assert agent is not None
        return self._guarded(self._job.timeout, lambda: agent.act(turn))

    def close(self) -> None:
        finish = getattr(self._agent, "close", None)
        if callable(finish):
            # The game is over: an agent that fails in leaving has still won or lost it.
            with suppress(Exception, SystemExit):
                self._guarded(CLOSE_SECONDS, finish)

    def _guarded(self, timeout: float, call: Callable[[], T]) -> T:
        self._monitor.busy(self._seat, timeout)
        try:
            return interruptible(timeout, call)
        finally:
            self._monitor.idle()


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
