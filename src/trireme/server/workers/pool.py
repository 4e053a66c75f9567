"""The pool of worker processes: asks them, keeps their time, kills and replaces those that hang."""

from __future__ import annotations

import asyncio
import itertools
import os
import pickle
import queue
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from trireme.server.limits import Limits
from trireme.server.protocol.codes import Refusal

from .process import BEGAN, DONE, write_frame
from .tasks import Decide, Failure, Task, Warm

MOVE, QUESTION = 0, 1
"""Moves go before questions."""
MOST_REMEMBERED = 10_000
"""Agents, in all their options, that a worker is known to have had."""


@dataclass(order=True)
class _Job:
    priority: int
    number: int
    task: Task = field(compare=False)
    seconds: float = field(compare=False)
    answer: Callable[[Any, Exception | None], None] = field(compare=False)
    wanted: Callable[[], bool] = field(compare=False)
    tries: int = field(compare=False, default=0)


class _Compiling:
    """Agents that some worker prepares for the first time.

    Another worker that needs the same agent waits, and finds it compiled: two compilers at once
    would take both of them twice as long.
    """

    def __init__(self) -> None:
        self._agents: set[tuple[str, str]] = set()
        self._changed = threading.Condition()

    def begin(self, agent: tuple[str, str]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: agent not in self._agents)
            self._agents.add(agent)

    def end(self, agent: tuple[str, str]) -> None:
        with self._changed:
            self._agents.discard(agent)
            self._changed.notify_all()


class Workers:
    """So many processes, and one queue for all of them."""

    def __init__(self, count: int, limits: Limits, timed: Callable[[float], None]) -> None:
        self._limits = limits
        self._timed = timed
        self._jobs: queue.PriorityQueue[_Job] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._stopping = False
        self._questions = 0
        self._warming = threading.Lock()
        self._compiling = _Compiling()
        self._desks = [_Desk(self, number) for number in range(count)]

    def start(self, warm: Sequence[Warm] = ()) -> None:
        """Start the processes; they warm up one after the other, since the second then finds
        what the first has compiled."""
        for desk in self._desks:
            desk.warm = list(warm)
            desk.thread.start()

    def stop(self) -> None:
        """Kill the processes, whatever they do."""
        self._stopping = True
        for desk in self._desks:
            desk.kill()
            self._put(MOVE, _Nothing(), 0, _ignore, lambda: False)
        for desk in self._desks:
            if desk.thread.is_alive():
                desk.thread.join(5)

    @property
    def alive(self) -> int:
        return sum(desk.alive for desk in self._desks)

    @property
    def waiting(self) -> int:
        return self._jobs.qsize()

    def prepare(self, task: Warm) -> None:
        """Have an agent ready before it is asked, if there is a worker that has not."""
        if any((task.game, task.spec) not in desk.prepared for desk in self._desks):
            self._put(QUESTION, task, 0, _ignore, lambda: True)

    async def ask(self, task: Task, seconds: float) -> Any:
        """The task's result; raises `Failure`, saying whose fault it is."""
        return await self._ask(MOVE, task, seconds)

    async def question(self, task: Task, seconds: float) -> Any:
        """The same, behind all moves; refused when too many questions wait."""
        if self._questions >= self._limits.questions:
            raise Refusal("busy", "too many questions at once; try again in a moment")
        self._questions += 1
        try:
            return await self._ask(QUESTION, task, seconds)
        finally:
            self._questions -= 1

    async def _ask(self, priority: int, task: Task, seconds: float) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def tell(value: Any, error: Exception | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(error)

        def answer(value: Any, error: Exception | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(tell, value, error)

        self._put(priority, task, seconds, answer, lambda: not done.done())
        return await done

    def _put(
        self,
        priority: int,
        task: Task,
        seconds: float,
        answer: Callable[[Any, Exception | None], None],
        wanted: Callable[[], bool],
    ) -> None:
        self._jobs.put(_Job(priority, next(self._numbers), task, seconds, answer, wanted))


def _ignore(value: Any, error: Exception | None) -> None:
    """Nobody waits for this answer."""


class _Nothing:
    """A task that only wakes a thread."""

    def ready(self, desk: Any) -> None: ...
    def run(self, desk: Any) -> None: ...


class _Hung(Exception):
    """The worker did not answer in time."""


class _Died(Exception):
    """The worker ended without an answer."""


class _Desk:
    """One process, with the thread that talks to it."""

    def __init__(self, pool: Workers, number: int) -> None:
        self._pool = pool
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self.warm: list[Warm] = []
        self.prepared: set[tuple[str, str]] = set()
        """Agents, by game and spec, that the process has been asked for."""
        self.thread = threading.Thread(target=self._run, name=f"worker-{number}", daemon=True)

    @property
    def alive(self) -> bool:
        process = self._process
        return process is not None and process.poll() is None

    def kill(self) -> None:
        with self._lock:
            process, self._process = self._process, None
            self.prepared.clear()
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

    def _run(self) -> None:
        self._ensure()
        while not self._pool._stopping:
            try:
                job = self._pool._jobs.get(timeout=0.1 if self.warm else None)
            except queue.Empty:
                self._warm_up()
                continue
            if not self._pool._stopping and job.wanted():
                self._do(job)
        self.kill()

    def _warm_up(self) -> None:
        """Use an idle moment, unless another worker does: it leaves compiled code behind."""
        if self._pool._warming.acquire(blocking=False):
            try:
                task = self.warm.pop(0)
                self._do(_Job(QUESTION, 0, task, 0, _ignore, lambda: True))
            finally:
                self._pool._warming.release()

    def _do(self, job: _Job) -> None:
        job.tries += 1
        try:
            outcome, value = self._exchange(job)
        except _Hung as hung:
            self.kill()
            job.answer(None, Failure("time", str(hung)))
        except (_Died, OSError):
            self.kill()
            if self._pool._stopping:
                return
            if job.tries == 1:  # perhaps it died of the task before
                self._pool._jobs.put(job)
            else:
                job.answer(None, Failure("process", "its process died"))
        except Exception as error:
            self.kill()
            job.answer(None, Failure("process", f"{type(error).__name__}: {error}"))
        else:
            if outcome == DONE:
                job.answer(value, None)
            else:
                job.answer(None, value)

    def _exchange(self, job: _Job) -> tuple[str, Any]:
        process = self._ensure()
        kind, value = self._begin(process, job.task)
        if kind != BEGAN:
            return kind, value
        began = time.monotonic()
        most = job.seconds + self._pool._limits.agent_grace
        kind, value = self._read(process, most, f"a decision of {job.seconds:g} s")
        self._pool._timed(time.monotonic() - began)
        return kind, value

    def _begin(self, process: subprocess.Popen[bytes], task: Task) -> tuple[str, Any]:
        """Hand the task over, and wait until all that it needs is compiled and loaded."""
        assert process.stdin is not None
        agent = (task.game, task.spec) if isinstance(task, Decide | Warm) else None
        first = agent is not None and agent not in self.prepared
        if agent is not None and first:
            self._pool._compiling.begin(agent)
        try:
            write_frame(process.stdin, task)  # type: ignore[arg-type]
            answer = self._read(process, self._pool._limits.prepare_seconds, "preparing")
        finally:
            if agent is not None and first:
                self._pool._compiling.end(agent)
                if len(self.prepared) < MOST_REMEMBERED:
                    self.prepared.add(agent)
        return answer

    def _ensure(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "trireme.server.workers.process"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, **_ONE_THREAD},
                )
            return self._process

    def _read(self, process: subprocess.Popen[bytes], seconds: float, what: str) -> tuple[str, Any]:
        """The next frame, or `_Hung` when it does not come in time."""
        end = time.monotonic() + seconds
        head = self._bytes(process, 4, end, what)
        kind, value = pickle.loads(self._bytes(process, struct.unpack(">I", head)[0], end, what))
        return kind, value

    def _bytes(self, process: subprocess.Popen[bytes], count: int, end: float, what: str) -> bytes:
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        got = b""
        while len(got) < count:
            left = end - time.monotonic()
            if left <= 0 or not select.select([pipe], [], [], left)[0]:
                raise _Hung(f"{what} took too long")
            chunk = os.read(pipe, count - len(got))
            if not chunk:
                raise _Died
            got += chunk
        return got


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"), "1")
