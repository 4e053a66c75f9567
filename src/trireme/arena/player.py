"""Playing one fixture: agents made afresh, watched and timed; whatever they do is a result."""

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

from trireme.core.game import AnyAgent, AnyGame, Seat, Turn
from trireme.core.play import GRACE, AgentFault, Forfeit, Session, play
from trireme.core.record import Moves

from .match import Entrant, Match
from .outcome import Played, played
from .schedule import Fixture

T = TypeVar("T")

PREPARE_SECONDS = 300.0
"""What an agent may take to get ready: a first compilation is slow, a hang is longer."""
CLOSE_SECONDS = 10.0
TICK = 0.2
"""Seconds between two looks of the alarm clock."""
MERCY = 0.5
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
    def patience(self) -> float:
        """Seconds after which a decision is interrupted."""
        return self.limit if self.seconds is None else self.seconds * (1 + GRACE) + GRACE + MERCY


class Watch(Protocol):
    """Is told what a worker does, so that somebody outside knows where it died or hangs."""

    def begin(self, number: int) -> None:
        """A game begins."""

    def busy(self, seat: Seat, patience: float) -> None:
        """The agent in `seat` was asked something, and may take this many seconds."""

    def line(self, text: str) -> None:
        """A line of the game's record was written."""

    def rest(self) -> None:
        """No agent is being asked."""


class Unwatched:
    """For games in our own process: nobody outside looks."""

    def begin(self, number: int) -> None: ...
    def busy(self, seat: Seat, patience: float) -> None: ...
    def line(self, text: str) -> None: ...
    def rest(self) -> None: ...


def play_fixture(job: Job, fixture: Fixture, watch: Watch) -> Played:
    """Play one game to its end. Nothing that an agent does reaches the caller as an error."""
    watch.begin(fixture.number)
    agents = [_Seated(job, job.entrants[i], s, watch) for s, i in enumerate(fixture.seats)]
    # Even agents that use the global generators play the same game again.
    random.seed(fixture.seed)
    np.random.seed(fixture.seed % (1 << 32))
    with _alarm_clock():
        try:
            result = play(
                fixture.game,
                agents,
                seed=fixture.seed,
                seconds=job.seconds,
                opening=fixture.opening,
                sink=watch.line,
            )
        finally:
            for agent in agents:
                agent.close()
    watch.rest()
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


class _Seated:
    """An agent in its seat: made late, so that a failing constructor is a forfeit, and guarded."""

    def __init__(self, job: Job, entrant: Entrant, seat: Seat, watch: Watch) -> None:
        self.name = entrant.name
        self._job, self._entrant, self._seat, self._watch = job, entrant, seat, watch
        self._agent: AnyAgent | None = None

    def prepare(self, game: AnyGame) -> None:
        def get_ready() -> None:
            self._agent = self._entrant.build(game)
            prepare = getattr(self._agent, "prepare", None)
            if callable(prepare):
                prepare(game)

        self._guarded(PREPARE_SECONDS, get_ready)

    def act(self, turn: Turn[Any, Any]) -> Any:
        agent = self._agent
        assert agent is not None
        return self._guarded(self._job.patience, lambda: agent.act(turn))

    def close(self) -> None:
        finish = getattr(self._agent, "close", None)
        if callable(finish):
            # The game is over: an agent that fails in leaving has still won or lost it.
            with suppress(Exception, SystemExit):
                self._guarded(CLOSE_SECONDS, finish)

    def _guarded(self, patience: float, call: Callable[[], T]) -> T:
        self._watch.busy(self._seat, patience)
        try:
            return _interruptible(patience, call)
        finally:
            self._watch.rest()


class Overslept(AgentFault):
    """The agent was interrupted in thought."""

    reason = "time"


class _Alarm(BaseException):
    """Raised inside the agent's code; no `except Exception` there can swallow it."""


_deadline = math.inf
"""When the agent that is being asked is to be interrupted, by the monotonic clock."""


def _tick(_: int, __: FrameType | None) -> None:
    if time.monotonic() > _deadline:
        raise _Alarm


@contextmanager
def _alarm_clock() -> Iterator[None]:
    """Look at the deadline several times a second during a game.

    Setting a timer for each decision would cost more than quick agents take to decide. Only a main
    thread, on a system with such signals, can have the clock.
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


def _interruptible(patience: float, call: Callable[[], T]) -> T:
    """Call, and interrupt Python code that takes longer than `patience`.

    Code that is stuck outside the interpreter can't be interrupted: then the executor's watchdog
    ends the whole worker.
    """
    global _deadline
    try:
        try:
            _deadline = time.monotonic() + patience
            return call()
        finally:
            _deadline = math.inf
    except _Alarm:
        _deadline = math.inf
        raise Overslept(f"gave no answer within {patience:.3g} s and was interrupted") from None
