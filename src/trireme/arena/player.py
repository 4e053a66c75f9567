"""Playing one fixture with fresh agents under a watchdog: whatever they do becomes a result."""

from __future__ import annotations

import math
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any, Protocol, TypeVar

import numpy as np

from trireme.core.errors import TriremeError
from trireme.core.external_agent import ExternalAgent
from trireme.core.forfeit import AgentFault, Forfeit, describe_error
from trireme.core.game import AnyAgent, AnyGame, Seat, Turn
from trireme.core.game import close as close_agents
from trireme.core.isolation import IsolatedAgent, protect_memory
from trireme.core.output_tail import PrintTail
from trireme.core.play import GRACE, play
from trireme.core.record import Moves
from trireme.core.seeding import global_seed
from trireme.core.session import Session
from trireme.core.stop_signals import is_stop
from trireme.core.transcript import Exchange

from .adjudication import Adjudication, Adjudicator
from .diagnosis import diagnose
from .match import Entrant, Match, Place
from .match_clock import SeatClock, TimeControl
from .outcome import Played, played
from .schedule import Fixture

T = TypeVar("T")

PREPARE_SECONDS = 300.0
"""Seconds an agent may take in `prepare`: a first compilation is slow, a hang is longer."""
CLOSE_SECONDS = 10.0
TICK = 0.2
"""Seconds between two checks of the deadline."""
ISOLATED_MARGIN = 2.0
"""Seconds beyond its own timeout that ending an isolated agent may take."""
INTERRUPT_AFTER = 0.5
"""Seconds after the deadline at which an agent that has not answered is interrupted."""


@dataclass(frozen=True)
class Job:
    """What a worker needs to know of a match."""

    entrants: tuple[Entrant, ...]
    places: tuple[Place, ...]
    seconds: float | None
    limit: float
    memory: int
    clock: TimeControl | None = None
    adjudication: Adjudication | None = None

    @classmethod
    def of(cls, match: Match) -> Job:
        return cls(
            match.entrants,
            match.places,
            match.seconds,
            match.limit,
            match.memory,
            match.clock,
            match.adjudication,
        )

    @property
    def secretive(self) -> bool:
        """Whether agents of others take part, which must not read this process's memory."""
        return any(place != "shipped" for place in self.places)

    @property
    def timeout(self) -> float:
        """Seconds after which a decision is interrupted."""
        return self.limit if self.seconds is None else decision_timeout(self.seconds)


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


class FixturePlayer:
    """Plays fixtures of a match one after another; closing it ends the agents' processes.

    Every game gets fresh agents, but processes are kept from game to game, those of isolated
    agents and of programs that allow it: to start one takes longer than many a game.
    """

    def __init__(self, job: Job, log: int | None = None) -> None:
        """`log` is the file descriptor for what agents in processes of their own print."""
        self._job, self._log = job, log
        self._isolated: dict[int, IsolatedAgent] = {}
        self._programs: dict[int, list[AnyAgent]] = {}
        """Agents whose programs wait for their next game, by entrant."""
        if job.secretive:
            protect_memory()

    def close(self) -> None:
        while self._isolated:
            self._isolated.popitem()[1].close()
        while self._programs:
            close_agents(self._programs.popitem()[1])

    def play(self, fixture: Fixture, monitor: ActivityMonitor) -> Played:
        """Play one game to its end. No failure of an agent reaches the caller as an exception."""
        monitor.begin(fixture.number)
        agents = [self._agent(fixture, seat, monitor) for seat in range(len(fixture.seats))]
        rule = self._job.adjudication
        adjudicator = None if rule is None else Adjudicator(rule, fixture.game)
        with deadline_timer():
            try:
                result = play(
                    fixture.game,
                    agents,
                    seed=fixture.seed,
                    seconds=self._job.seconds,
                    opening=fixture.opening,
                    sink=monitor.line,
                    on_move=None if adjudicator is None else adjudicator.after_move,
                )
            finally:
                for agent in agents:
                    agent.close()
        for forfeit in result.forfeits:
            if forfeit.reason in ("time", "process"):
                self._end(fixture.seats[forfeit.seat])
        monitor.idle()
        outputs = [agent.take_output() for agent in agents]
        self._log_output(
            text
            for agent, text in zip(agents, outputs, strict=True)
            if not isinstance(agent, _ForeignSeat)  # what it prints is in the log already
        )
        return played(
            fixture.number,
            result.record,
            result.seconds,
            result.decisions,
            result.exchanges,
            diagnose(
                fixture.number,
                [agent.name for agent in agents],
                result.forfeits,
                result.tracebacks,
                outputs,
            ),
        )

    def _log_output(self, outputs: Iterable[str]) -> None:
        """Append what agents in other processes printed to the log of the worker."""
        if self._log is not None:
            for text in outputs:
                with suppress(OSError):  # a full disk stops the match where results are written
                    os.write(self._log, text.encode())

    def _agent(self, fixture: Fixture, seat: Seat, monitor: ActivityMonitor) -> _GuardedAgent:
        index = fixture.seats[seat]
        entrant, seed = self._job.entrants[index], global_seed(fixture.seed, seat)
        if self._job.places[index] == "isolated":
            return _IsolatedSeat(self._job, entrant, seat, monitor, seed, self._process(index))
        if self._job.places[index] == "external":
            kept = self._programs.setdefault(index, [])
            return _ExternalSeat(self._job, entrant, seat, monitor, kept)
        if self._job.places[index] == "in-process":
            return _ForeignSeat(self._job, entrant, seat, monitor, seed)
        return _GuardedAgent(self._job, entrant, seat, monitor)

    def _process(self, index: int) -> IsolatedAgent:
        if index not in self._isolated:
            entrant, job = self._job.entrants[index], self._job
            self._isolated[index] = IsolatedAgent(
                entrant.name,
                str(entrant.spec),
                memory=job.memory,
                limit=job.limit,
                startup=PREPARE_SECONDS,
            )
        return self._isolated[index]

    def _end(self, index: int) -> None:
        """End a process that failed or did not answer: what it would say next is of no use."""
        if index in self._isolated:
            self._isolated.pop(index).close()


def forfeited(
    job: Job, fixture: Fixture, moves: tuple[Moves, ...], seat: Seat, reason: str, detail: str
) -> Played:
    """The result of a game whose worker died or hung after `moves`, by the fault of `seat`."""
    labels = [job.entrants[i].name for i in fixture.seats]
    session = Session(fixture.game, labels, seed=fixture.seed, opening=moves or fixture.opening)
    if not session.over:
        session.forfeit(Forfeit(seat, reason, detail))
    asked = tuple(sum(s in move for move in moves) for s in range(fixture.game.seats))
    record, unknown = session.record, ("",) * fixture.game.seats
    assert record.end is not None
    why = diagnose(fixture.number, labels, record.end.forfeits, {}, unknown)
    return played(fixture.number, record, (0.0,) * fixture.game.seats, asked, diagnosis=why)


class _GuardedAgent:
    """An agent whose every call has a timeout; built in `prepare`, so that a failing constructor is
    a forfeit."""

    def __init__(self, job: Job, entrant: Entrant, seat: Seat, monitor: ActivityMonitor) -> None:
        self.name = entrant.name
        self._job, self._entrant, self._seat, self._monitor = job, entrant, seat, monitor
        self._agent: AnyAgent | None = None
        self._clock = None if job.clock is None else SeatClock(job.clock)

    @property
    def value(self) -> Any:
        """What the agent reports of its last move (`core/move_report.py`)."""
        return getattr(self._agent, "value", None)

    @property
    def note(self) -> Any:
        return getattr(self._agent, "note", None)

    def prepare(self, game: AnyGame) -> None:
        try:
            self._guarded(PREPARE_SECONDS, lambda: self._build(game))
        except Forfeit:
            raise
        except TriremeError as error:  # the match has begun: an error here is this game's result
            raise AgentFault(describe_error(error)) from error

    def _build(self, game: AnyGame) -> None:
        self._agent = self._new_agent(game)
        prepare = getattr(self._agent, "prepare", None)
        if callable(prepare):
            prepare(game)

    def _new_agent(self, game: AnyGame) -> AnyAgent:
        return self._entrant.build(game)

    def act(self, turn: Turn[Any, Any]) -> Any:
        agent = self._agent
        assert agent is not None
        return self._timed(turn, agent.act)

    def _timed(self, turn: Turn[Any, Any], act: Callable[[Turn[Any, Any]], T]) -> T:
        """Ask for a decision under the clock of the match, or else under its limit for a move."""
        if self._clock is None:
            return self._guarded(self._job.timeout, lambda: act(turn))
        timed = replace(turn, seconds=self._clock.budget, clock=self._clock.left)
        began = time.perf_counter()
        timeout = self._clock.left + GRACE + INTERRUPT_AFTER
        action = self._guarded(timeout, lambda: act(timed))
        took = time.perf_counter() - began
        if not self._clock.spend(took):
            raise DecisionTimeout(f"took {took:.3f} s with {timed.clock:.3f} s left on its clock")
        return action

    def take_exchanges(self) -> list[Exchange]:
        """The agent's exchanges with a language model; what fails here changes no result."""
        take = getattr(self._agent, "take_exchanges", None)
        if not callable(take):
            return []
        try:
            made = self._guarded(CLOSE_SECONDS, lambda: list(take()))
        except BaseException as error:
            if is_stop(error):
                raise
            return []
        return [exchange for exchange in made if isinstance(exchange, Exchange)]

    def take_output(self) -> str:
        """The end of what the agent's program printed; what fails here changes no result."""
        take = getattr(self._agent, "take_output", None)
        if not isinstance(self._agent, ExternalAgent) or not callable(take):
            return ""
        return str(take())

    def close(self) -> None:
        finish = getattr(self._agent, "close", None)
        if callable(finish):
            try:
                self._guarded(CLOSE_SECONDS, finish)
            except BaseException as error:
                # The game is over: an agent that fails in leaving has still won or lost it.
                if is_stop(error):
                    raise

    def _guarded(self, timeout: float, call: Callable[[], T]) -> T:
        self._monitor.busy(self._seat, timeout)
        try:
            return interruptible(timeout, call)
        finally:
            self._monitor.idle()


class _IsolatedSeat(_GuardedAgent):
    """An agent in its own process; it has its own clock, and the guard here is the second one."""

    def __init__(
        self,
        job: Job,
        entrant: Entrant,
        seat: Seat,
        monitor: ActivityMonitor,
        seed: int,
        process: IsolatedAgent,
    ) -> None:
        super().__init__(job, entrant, seat, monitor)
        self._seed, self._process = seed, process

    def _build(self, game: AnyGame) -> None:
        self._process.prepare(game, self._seed)

    @property
    def value(self) -> Any:
        return self._process.value

    @property
    def note(self) -> Any:
        return self._process.note

    def act(self, turn: Turn[Any, Any]) -> Any:
        return self._timed(turn, self._process.act)

    def take_output(self) -> str:
        return self._process.take_output()

    def close(self) -> None:
        """The process stays for the next game."""

    def _guarded(self, timeout: float, call: Callable[[], T]) -> T:
        return super()._guarded(timeout + ISOLATED_MARGIN, call)


class _ExternalSeat(_GuardedAgent):
    """An agent that is a program; one that may play on, `reusable`, is kept for the next game."""

    def __init__(
        self,
        job: Job,
        entrant: Entrant,
        seat: Seat,
        monitor: ActivityMonitor,
        kept: list[AnyAgent],
    ) -> None:
        super().__init__(job, entrant, seat, monitor)
        self._kept = kept

    def _new_agent(self, game: AnyGame) -> AnyAgent:
        return self._kept.pop() if self._kept else super()._new_agent(game)

    def close(self) -> None:
        if self._agent is not None and getattr(self._agent, "reusable", False):
            self._kept.append(self._agent)
        else:
            super().close()


class _ForeignSeat(_GuardedAgent):
    """A foreign agent in this process, with global generators of its own.

    As in a process of its own, what it draws from `random` and `numpy.random` depends on nobody
    else, so both ways give the same results.
    """

    def __init__(
        self, job: Job, entrant: Entrant, seat: Seat, monitor: ActivityMonitor, seed: int
    ) -> None:
        super().__init__(job, entrant, seat, monitor)
        self._seed = seed
        self._generators: tuple[Any, Any] | None = None
        self._printed = PrintTail(sys.stdout), PrintTail(sys.stderr)

    def _guarded(self, timeout: float, call: Callable[[], T]) -> T:
        if self._generators is None:
            random.seed(self._seed)
            np.random.seed(self._seed % (1 << 32))
        else:
            random.setstate(self._generators[0])
            np.random.set_state(self._generators[1])
        out, err = self._printed
        try:
            with redirect_stdout(out), redirect_stderr(err):
                return super()._guarded(timeout, call)
        finally:
            self._generators = random.getstate(), np.random.get_state()

    def take_output(self) -> str:
        return "".join(printed.tail.take() for printed in self._printed)


class InterruptibleAgent:
    """An agent for single games, interrupted when a decision runs far over its time budget."""

    def __init__(self, agent: AnyAgent) -> None:
        self.name, self._agent = agent.name, agent

    def act(self, turn: Turn[Any, Any]) -> Any:
        if turn.seconds is None:
            return self._agent.act(turn)
        with deadline_timer():
            return interruptible(decision_timeout(turn.seconds), lambda: self._agent.act(turn))


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
