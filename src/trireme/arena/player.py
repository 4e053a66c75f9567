"""Playing one fixture with fresh agents under a watchdog: whatever they do becomes a result."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress

from trireme.core.forfeit import Forfeit
from trireme.core.game import AnyAgent, Seat
from trireme.core.game import close as close_agents
from trireme.core.isolation import IsolatedAgent, protect_memory
from trireme.core.play import play
from trireme.core.record import Moves
from trireme.core.seeding import global_seed
from trireme.core.session import Session

from .adjudication import Adjudicator
from .deadline import PREPARE_SECONDS, deadline_timer
from .diagnosis import diagnose
from .guarded_agents import ExternalSeat, ForeignSeat, GuardedAgent, IsolatedSeat
from .job import ActivityMonitor, Job
from .outcome import Played, played
from .schedule import Fixture


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
        began = time.perf_counter()
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
            if not isinstance(agent, ForeignSeat)  # what it prints is in the log already
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
            time.perf_counter() - began,
        )

    def _log_output(self, outputs: Iterable[str]) -> None:
        """Append what agents in other processes printed to the log of the worker."""
        if self._log is not None:
            for text in outputs:
                with suppress(OSError):  # a full disk stops the match where results are written
                    os.write(self._log, text.encode())

    def _agent(self, fixture: Fixture, seat: Seat, monitor: ActivityMonitor) -> GuardedAgent:
        index = fixture.seats[seat]
        entrant, seed = self._job.entrants[index], global_seed(fixture.seed, seat)
        if self._job.places[index] == "isolated":
            return IsolatedSeat(self._job, entrant, seat, monitor, seed, self._process(index))
        if self._job.places[index] == "external":
            kept = self._programs.setdefault(index, [])
            return ExternalSeat(self._job, entrant, seat, monitor, kept)
        if self._job.places[index] == "in-process":
            return ForeignSeat(self._job, entrant, seat, monitor, seed)
        return GuardedAgent(self._job, entrant, seat, monitor)

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
