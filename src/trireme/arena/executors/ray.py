"""The Ray executor: the same workers, on this machine or on all machines of a cluster.

An actor per core supervises one worker process, exactly as the processes executor does; agents
never run in the actor itself. When an actor or its machine is lost, its games are played again
elsewhere.
"""

from __future__ import annotations

import importlib
import os
import socket
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from trireme.arena.job import Job
from trireme.arena.outcome import Played
from trireme.arena.schedule import Fixture

from . import MOST_RUNNING, ArenaError
from .chunk_size import ChunkSizer
from .processes import Processes

ANSWER_SECONDS = 1.0
"""Seconds that actors have to tell of games in progress."""
WATCH = "watch"
"""The concurrency group of calls that look at an actor while it plays."""
MAX_LOSSES = 5
"""Times that a chunk may be lost with its actor before the match is given up."""


def connect(address: str | None) -> bool:
    """Connect to the Ray cluster at `address`, or start one on this machine.

    Returns whether `ray.shutdown` is the caller's task: not where this process was connected.
    """
    ray: Any = importlib.import_module("ray")
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is not None:
        _check_reachable(address)
    try:
        if address is None:
            ray.init(include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:  # Ray raises plain ones, too, such as for a node that starts slowly
        what = "Ray on this machine" if address is None else f"the Ray cluster at {address!r}"
        said = " ".join(str(error).split())
        raise ArenaError(f"{what} can't be used: {said[:400]}. {_token_hint()}") from error
    return True


def _check_reachable(address: str) -> None:
    """Raise unless something listens at `address`: Ray itself would go on asking for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        try:
            socket.create_connection((host, int(port)), timeout=10).close()
        except (OSError, OverflowError) as error:
            raise ArenaError(f"no Ray cluster answers at {address!r}: {error}") from error


def _token_hint() -> str:
    """What to set for token authentication: Ray's own errors do not name it as the reason."""
    mode = os.environ.get("RAY_AUTH_MODE", "not set")
    return (
        "If it uses token authentication, set RAY_AUTH_MODE=token and its token in RAY_AUTH_TOKEN,"
        " or the token's file in RAY_AUTH_TOKEN_PATH (default ~/.ray/auth_token), here and on every"
        f" machine; RAY_AUTH_MODE is {mode} here"
    )


class RayCluster:
    """As many actors as the cluster has cores, or as many as were asked for."""

    def __init__(self, job: Job, workers: int | None, address: str | None) -> None:
        self._started = connect(address)
        ray: Any = importlib.import_module("ray")
        self._ray = ray
        self._job = ray.put(job)
        self._count = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        # What asks for games in progress must not wait for their end: a thread of its own.
        remote = ray.remote(num_cpus=1, max_restarts=0, concurrency_groups={WATCH: 1})
        self._actor = remote(_WorkerActor)
        self._idle: list[Any] = []
        self._under_way: dict[Any, tuple[Any, list[Fixture]]] = {}
        """Chunks that are being played, by the result that they will give."""

    def __enter__(self) -> RayCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._kill_idle()
        if self._started:
            self._ray.shutdown()

    def running(self) -> list[str]:
        actors = [actor for actor, _ in list(self._under_way.values())[:MOST_RUNNING]]
        asked = [actor.running.options(concurrency_group=WATCH).remote() for actor in actors]
        if not asked:
            return []
        told, _ = self._ray.wait(asked, num_returns=len(asked), timeout=ANSWER_SECONDS)
        found: list[str] = []
        for answer in told:
            with suppress(self._ray.exceptions.RayError):  # its machine has just been lost
                found += self._ray.get(answer)
        return found

    def _kill_idle(self) -> None:
        while self._idle:
            self._ray.kill(self._idle.pop())

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]:
        queue, sizer = deque(fixtures), ChunkSizer()
        losses: Counter[int] = Counter()
        under_way = self._under_way
        while queue or under_way:
            while queue and len(under_way) < self._count:
                actor = self._idle.pop() if self._idle else self._actor.remote(self._job)
                size = sizer.next_size(len(queue), self._count)
                chunk = [queue.popleft() for _ in range(min(size, len(queue)))]
                under_way[actor.play.remote(chunk)] = actor, chunk
            if not queue:
                # An actor in place of a lost one may be waiting for the core of an idle one.
                self._kill_idle()
            (ready, *_), _ = self._ray.wait(list(under_way), num_returns=1)
            actor, chunk = under_way.pop(ready)
            try:
                done: list[Played] = self._ray.get(ready)
            except self._ray.exceptions.RayTaskError as error:
                self._ray.kill(actor)
                raise ArenaError(f"an actor failed: {error.cause}") from error
            except self._ray.exceptions.RayError as error:
                losses[chunk[0].number] += 1
                if losses[chunk[0].number] > MAX_LOSSES:
                    raise ArenaError(f"actors are lost again and again: {error}") from error
                queue.extendleft(reversed(chunk))
                continue
            self._idle.append(actor)
            sizer.add(done)
            yield from done


class _WorkerActor:
    """The Ray actor: supervises one worker process."""

    def __init__(self, job: Job) -> None:
        self._executor = Processes(job, workers=1, log=Path(os.devnull))

    def running(self) -> list[str]:
        return self._executor.running()

    def play(self, fixtures: list[Fixture]) -> list[Played]:
        return list(self._executor.run(fixtures))
