"""Executors: games run in this process, in many, or on a cluster, with the same results."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from trireme.arena.job import Job
from trireme.arena.outcome import Played
from trireme.arena.schedule import Fixture
from trireme.core.errors import TriremeError, unknown
from trireme.core.extras import require

MOST_RUNNING = 24
"""Games in progress that an executor tells of: as many as a page can show."""
EXECUTORS = ("serial", "processes", "ray")


class ArenaError(TriremeError):
    """The arena itself can't go on; never an agent's fault, which is a result."""


class Executor(Protocol):
    """Plays fixtures and yields each as it is done, in any order."""

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]: ...

    def running(self) -> list[str]:
        """The records so far of games in progress, `MOST_RUNNING` at most; any thread may ask."""


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_pinning(executor: str, workers: int | None) -> None:
    """Raise unless every worker can have a core of its own."""
    if executor != "processes" or not hasattr(os, "sched_setaffinity"):
        raise ArenaError("pinning to cores needs Linux and the executor processes")
    if workers is not None and workers > cores():
        raise ArenaError(f"{workers} workers can't have a core each: there are {cores()}")


def check_executor(name: str) -> None:
    """Raise unless there is an executor of this name and its package is installed."""
    if name not in EXECUTORS:
        raise unknown("executor", name, EXECUTORS)
    if name == "ray":
        require("ray", "the executor ray")


def make_executor(
    name: str,
    job: Job,
    *,
    workers: int | None = None,
    log: Path | None = None,
    address: str | None = None,
    pin: bool = False,
) -> AbstractContextManager[Executor]:
    """The executor of this name, to be used in a `with` block: leaving it ends all workers.

    What agents print goes to the file `log`, or nowhere. `pin` binds each worker process to a core
    of its own.
    """
    check_executor(name)
    if pin:
        check_pinning(name, workers)
    if workers is not None and workers < 1:
        raise ArenaError(f"expected at least one worker, not {workers}")
    if name == "serial":
        from .serial import Serial

        return Serial(job, log)
    if name == "processes":
        from .processes import Processes

        return Processes(job, workers or cores(), log, pin=pin)
    from .ray import RayCluster

    return RayCluster(job, workers, address)
