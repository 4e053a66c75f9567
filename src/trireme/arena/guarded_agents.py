"""Agents of a match behind a guard: every call has a time limit, wherever the agent runs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from typing import Any, TypeVar

from trireme.core.errors import TriremeError
from trireme.core.external_agent import ExternalAgent
from trireme.core.forfeit import AgentFault, Forfeit, describe_error
from trireme.core.game import AnyAgent, AnyGame, Seat, Turn
from trireme.core.isolation import IsolatedAgent
from trireme.core.output_tail import PrintTail
from trireme.core.play import GRACE
from trireme.core.seeding import OwnGenerators
from trireme.core.stop_signals import is_stop
from trireme.core.transcript import Exchange

from .deadline import INTERRUPT_AFTER, PREPARE_SECONDS, DecisionTimeout, interruptible
from .job import ActivityMonitor, Job
from .match import Entrant
from .match_clock import SeatClock

T = TypeVar("T")

CLOSE_SECONDS = 10.0
ISOLATED_MARGIN = 2.0
"""Seconds beyond its own timeout that ending an isolated agent may take."""


class GuardedAgent:
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


class IsolatedSeat(GuardedAgent):
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


class ExternalSeat(GuardedAgent):
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


class ForeignSeat(GuardedAgent):
    """A foreign agent in this process, with global generators of its own: it draws what it would
    draw in a process of its own."""

    def __init__(
        self, job: Job, entrant: Entrant, seat: Seat, monitor: ActivityMonitor, seed: int
    ) -> None:
        super().__init__(job, entrant, seat, monitor)
        self._generators = OwnGenerators(seed)
        self._printed = PrintTail(sys.stdout), PrintTail(sys.stderr)

    def _guarded(self, timeout: float, call: Callable[[], T]) -> T:
        out, err = self._printed
        with self._generators.in_use(), redirect_stdout(out), redirect_stderr(err):
            return super()._guarded(timeout, call)

    def take_output(self) -> str:
        return "".join(printed.tail.take() for printed in self._printed)
