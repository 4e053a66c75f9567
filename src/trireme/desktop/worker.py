"""The worker process in which agents think, so that the window never waits for one.

A thread would not do: compiling kernels, and many agents, hold the GIL for seconds.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from trireme.core.game import AnyAgent, AnyGame, Turn, close
from trireme.core.registry import find, load, make_agent


@dataclass(frozen=True)
class PrepareJob:
    """Make the agent of a seat ready to play `game`."""

    game: AnyGame
    seat: int
    spec: str


@dataclass(frozen=True)
class MoveJob:
    """Ask the agent of a seat for its action; with chance `epsilon` it is a random one."""

    spec: str
    turn: Turn[Any, Any]
    epsilon: float


@dataclass(frozen=True)
class InsightJob:
    """Ask for the insight into a position: the best moves with their values."""

    game: AnyGame
    view: Any
    seat: int
    seconds: float
    seed: int


WorkerJob = PrepareJob | MoveJob | InsightJob


@dataclass(frozen=True)
class JobReply:
    """The answer to the job with this number: a value, or why there is none."""

    number: int
    value: Any = None
    error: str | None = None


class Worker:
    """The parent's end of the pipe: sends jobs and collects replies, never blocking."""

    def __init__(self) -> None:
        self._next = 0
        self._open: set[int] = set()
        """The jobs without a reply."""
        self._lost: list[JobReply] = []
        self._start()

    def ask(self, job: WorkerJob) -> int:
        """Send a job; its number will be in the reply."""
        self._next += 1
        if not self._process.is_alive():
            self._start_again()
        self._open.add(self._next)
        self._pipe.send((self._next, job))
        return self._next

    def replies(self) -> list[JobReply]:
        """The replies that have come since the last call."""
        found: list[JobReply] = []
        try:
            while self._pipe.poll():
                found.append(self._pipe.recv())
                self._open.discard(found[-1].number)
        except (EOFError, OSError):
            self._start_again()
        found += self._lost
        self._lost = []
        return found

    def close(self) -> None:
        """End the process, thinking or not."""
        with suppress(OSError):
            self._pipe.close()
        self._process.kill()
        self._process.join()
        self._process.close()

    def _start_again(self) -> None:
        """Start another process; the jobs of the last one are answered with an error."""
        why = "the thinking process ended unexpectedly"
        self._lost += [JobReply(number, error=why) for number in sorted(self._open)]
        self._open.clear()
        self._start()

    def _start(self) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pipe, far = spawn.Pipe()
        self._process = spawn.Process(target=work, args=(far,), daemon=True)
        self._process.start()
        far.close()


def work(pipe: Connection) -> None:
    """The worker's end of the pipe: run one job after the other until it closes."""
    agents: dict[tuple[int, str], AnyAgent] = {}
    with suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            number, job = pipe.recv()
            try:
                pipe.send(JobReply(number, _run_job(job, agents)))
            except OSError:
                break
            except Exception as error:
                pipe.send(JobReply(number, error=f"{type(error).__name__}: {error}"))
    close(agents.values())


def _run_job(job: WorkerJob, agents: dict[tuple[int, str], AnyAgent]) -> Any:
    if isinstance(job, InsightJob):
        place = find(job.game.name).insight
        if place is None:
            raise ValueError(f"{job.game.name} offers no hints")
        from numpy.random import default_rng

        insight: Callable[..., Any] = load(place)
        return insight(job.game, job.view, job.seat, job.seconds, default_rng(job.seed))
    game, seat = (
        (job.game, job.seat) if isinstance(job, PrepareJob) else (job.turn.game, job.turn.seat)
    )
    agent = agents.get((seat, job.spec))
    if agent is None:
        agent = agents[seat, job.spec] = make_agent(game, job.spec)
    if isinstance(job, PrepareJob):
        prepare = getattr(agent, "prepare", None)
        if callable(prepare):
            prepare(game)
        return None
    if job.epsilon > 0 and job.turn.rng.random() < job.epsilon:
        return job.turn.legal.sample(job.turn.rng)
    return agent.act(job.turn)  # on a desktop a late answer is better than a lost game
