"""The worker pool: a fair queue of tasks, deadlines, replacement of hung or dead processes."""

from __future__ import annotations

import asyncio
import os
import pickle
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from typing import Any

from trireme.server.limits import SERVER, ServerLimits
from trireme.server.protocol.codes import Refusal

from .fair_queue import PLAYER_MOVE, QUERY, SPECTACLE, FairQueue
from .process import COMPILED, DONE, PREPARING, STARTED, write_frame
from .tasks import Decide, Task, TaskFailure, WarmUp

PLACE_SECONDS = 1.0
"""How often a waiting task's place in the queue is reported."""
KILL_SECONDS = 5.0
"""Seconds beyond a check's processor time after which its process is killed: it did not even react
to the signal."""
MAX_PREPARED = 10_000
"""Agents, with all their options, that a worker is known to have prepared."""


@dataclass(eq=False)
class _Job:
    priority: int
    task: Task
    seconds: float
    on_done: Callable[[Any, Exception | None], None] = field(repr=False)
    wanted: Callable[[], bool] = field(repr=False)
    address: str = SERVER
    """Whose share of the workers it uses."""
    cpu_limit: float | None = None
    """Processor time after which it is interrupted; None: it keeps its time itself."""
    tries: int = 0


class _CompileLock:
    """A lock for each agent that a worker prepares for the first time.

    Another worker that needs the same agent waits, and then loads the compiled code: two compilers
    at once would take twice as long.
    """

    def __init__(self) -> None:
        self._agents: set[tuple[str, str]] = set()
        self._changed = threading.Condition()

    def acquire(self, agent: tuple[str, str]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: agent not in self._agents)
            self._agents.add(agent)

    def release(self, agent: tuple[str, str]) -> None:
        with self._changed:
            self._agents.discard(agent)
            self._changed.notify_all()


class WorkerPool:
    """`count` processes with one fair task queue.

    `on_run(seconds, cpu, payer)` is called after every task, with its duration, its processor time
    and the address to charge (moves are shared fairly, but charged to nobody);
    `on_compile(game, kernels)` whenever a kernel of a game is compiled, with how many the task has
    needed so far, and with 0 when it is prepared. Both are called in threads of the pool.
    """

    def __init__(
        self,
        count: int,
        limits: ServerLimits,
        on_run: Callable[[float, float, str], None],
        on_compile: Callable[[str, int], None] | None = None,
    ) -> None:
        self._limits = limits
        self._on_run = on_run
        self._on_compile = on_compile or _ignore
        self._jobs: FairQueue[_Job] = FairQueue(count, limits.short_seconds)
        self._stopping = False
        self._queries = 0
        self._warming = threading.Lock()
        self._compiling = _CompileLock()
        self._workers = [_WorkerThread(self, number) for number in range(count)]

    def start(self, warm: Sequence[WarmUp] = ()) -> None:
        """Start the processes; they warm up one after the other, so that the second one loads what
        the first has compiled."""
        for worker in self._workers:
            worker.warm = list(warm)
            worker.thread.start()

    def stop(self) -> None:
        """Kill the processes, whatever they are doing."""
        self._stopping = True
        for worker in self._workers:
            worker.kill()
            self._jobs.put(_Job(PLAYER_MOVE, _WakeUp(), 0, _ignore, lambda: False))
        for worker in self._workers:
            if worker.thread.is_alive():
                worker.thread.join(5)

    @property
    def alive(self) -> int:
        return sum(worker.alive for worker in self._workers)

    @property
    def waiting(self) -> int:
        return len(self._jobs)

    @property
    def preparing(self) -> bool:
        """Whether a worker compiles or loads what a task needs."""
        return any(worker.preparing for worker in self._workers)

    def has_prepared(self, game: str, spec: str) -> bool:
        """Whether a worker has the agent ready to play."""
        return any((game, spec) in worker.prepared for worker in self._workers)

    def warm_up(self, task: WarmUp) -> None:
        """Queue the preparation of an agent, unless all workers have it."""
        if any((task.game, task.spec) not in worker.prepared for worker in self._workers):
            self._jobs.put(_Job(QUERY, task, 0, _ignore, lambda: True))

    async def run(
        self,
        task: Task,
        seconds: float,
        address: str = SERVER,
        *,
        watched: bool = False,
        on_place: Callable[[int], None] | None = None,
    ) -> Any:
        """The task's result, with the priority of a move; raises `TaskFailure`.

        `watched`: nobody plays in the game, so it waits for those that people play. `on_place` is
        called with the task's place in the queue while it waits, and then with 0.
        """
        priority = SPECTACLE if watched else PLAYER_MOVE
        return await self._run(_new_job(priority, task, seconds, address), on_place)

    async def run_query(self, task: Task, seconds: float, address: str = SERVER) -> Any:
        """The task's result, after all moves; refused when too many queries wait (backpressure)."""
        crowded = self._queries >= self._limits.queries
        if crowded or self._waiting_of(address) >= self._limits.queries_per_address:
            raise Refusal("busy", "too many hints and insights at once; try again in a moment")
        self._queries += 1
        try:
            return await self._run(_new_job(QUERY, task, seconds, address))
        finally:
            self._queries -= 1

    async def run_check(self, task: Task, cpu_limit: float, address: str = SERVER) -> Any:
        """The result of a check, which is interrupted after `cpu_limit` seconds of processor time;
        refused when too many checks of the address wait."""
        if self._waiting_of(address) >= self._limits.checks:
            raise Refusal("busy", "too many checks at once; try again in a moment")
        return await self._run(_new_job(QUERY, task, cpu_limit, address, cpu_limit))

    def _waiting_of(self, address: str) -> int:
        return 0 if address == SERVER else self._jobs.waiting_of(address)

    async def _run(self, job: _Job, on_place: Callable[[int], None] | None = None) -> Any:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Any] = loop.create_future()

        def resolve(value: Any, error: Exception | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(value)
            else:
                done.set_exception(error)

        def on_done(value: Any, error: Exception | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(resolve, value, error)

        job.on_done, job.wanted = on_done, lambda: not done.done()
        self._jobs.put(job)
        try:
            if on_place is not None:
                await self._report_place(job, done, on_place)
            return await done
        finally:
            done.cancel()

    async def _report_place(
        self, job: _Job, done: asyncio.Future[Any], on_place: Callable[[int], None]
    ) -> None:
        """Report the task's place while it waits for longer than `PLACE_SECONDS`."""
        last = 0
        while not (await asyncio.wait({done}, timeout=PLACE_SECONDS))[0]:
            place = self._jobs.place(job)
            if place != last:
                on_place(place)
            last = place
            if place == 0:
                return
        if last:
            on_place(0)


def _new_job(
    priority: int, task: Task, seconds: float, address: str, cpu_limit: float | None = None
) -> _Job:
    return _Job(priority, task, seconds, _ignore, lambda: True, address, cpu_limit)


def _ignore(*_: object) -> None:
    """Nobody waits for this answer."""


class _WakeUp:
    """A task that only wakes a thread."""

    def prepare(self, cache: Any) -> None: ...
    def run(self, cache: Any) -> None: ...


class _TimedOut(Exception):
    """The worker did not answer before its deadline."""


class _WorkerDied(Exception):
    """The process ended without an answer."""


class _WorkerThread:
    """One process, and the thread that talks to it."""

    def __init__(self, pool: WorkerPool, number: int) -> None:
        self._pool = pool
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self.warm: list[WarmUp] = []
        self.prepared: set[tuple[str, str]] = set()
        """Agents, by game and spec, that the process has prepared."""
        self.preparing = False
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
        self._ensure_process()
        while not self._pool._stopping:
            job = self._pool._jobs.get(timeout=0.1 if self.warm else None)
            if job is None:
                self._warm_up()
                continue
            try:
                if not self._pool._stopping and job.wanted():
                    self._execute(job)
            finally:
                self._pool._jobs.done(job)
        self.kill()

    def _warm_up(self) -> None:
        """Warm up while idle, unless another worker does: its compiled code can then be loaded."""
        if self._pool._warming.acquire(blocking=False):
            try:
                task = self.warm.pop(0)
                self._execute(_Job(QUERY, task, 0, _ignore, lambda: True))
            finally:
                self._pool._warming.release()

    def _execute(self, job: _Job) -> None:
        job.tries += 1
        try:
            outcome, value = self._exchange(job)
        except _TimedOut as error:
            self.kill()
            job.on_done(None, TaskFailure("time", str(error)))
        except (_WorkerDied, OSError):
            self.kill()
            if self._pool._stopping:
                return
            if job.tries == 1:  # the task before may have killed it
                self._pool._jobs.put(job)
            else:
                job.on_done(None, TaskFailure("process", "its process died"))
        except Exception as error:
            self.kill()
            job.on_done(None, TaskFailure("process", f"{type(error).__name__}: {error}"))
        else:
            if outcome == DONE:
                job.on_done(value, None)
            else:
                job.on_done(None, value)

    def _exchange(self, job: _Job) -> tuple[str, Any]:
        process = self._ensure_process()
        kind, value, cpu = self._begin(process, job)
        if kind == STARTED:
            began = time.monotonic()
            payer = job.address if job.priority == QUERY else SERVER
            what, limit = f"a decision of {job.seconds:g} s", job.seconds
            if job.cpu_limit is None:
                limit += self._pool._limits.agent_grace
            else:  # on a busy machine its processor time takes several times as long
                what, limit = "the check", 4 * job.cpu_limit + KILL_SECONDS
            try:
                kind, value, cpu = self._read(process, limit, what)
            except _TimedOut:
                self._pool._on_run(limit, job.seconds, payer)
                raise
            self._pool._on_run(time.monotonic() - began, cpu, payer)
        return kind, value

    def _begin(self, process: subprocess.Popen[bytes], job: _Job) -> tuple[str, Any, float]:
        """Send the task, and wait until all that it needs is compiled and loaded."""
        assert process.stdin is not None
        task = job.task
        agent = (task.game, task.spec) if isinstance(task, Decide | WarmUp) else None
        first = agent is not None and agent not in self.prepared
        if agent is not None and first:
            self._pool._compiling.acquire(agent)
        try:
            write_frame(process.stdin, (task, job.cpu_limit))  # type: ignore[arg-type]
            answer = self._await_start(process, task)
        finally:
            if agent is not None and first:
                self._pool._compiling.release(agent)
                if len(self.prepared) < MAX_PREPARED:
                    self.prepared.add(agent)
        return answer

    def _await_start(self, process: subprocess.Popen[bytes], task: Task) -> tuple[str, Any, float]:
        """The first frame that does not report how the preparation goes."""
        game, compiled = getattr(task, "game", ""), 0
        until = time.monotonic() + self._pool._limits.prepare_seconds
        try:
            while True:
                kind, value, cpu = self._read(process, until - time.monotonic(), "preparing")
                if kind == COMPILED:
                    compiled = value
                    self._pool._on_compile(game, compiled)
                elif kind == PREPARING:
                    self.preparing = True
                else:
                    break
        finally:
            self.preparing = False
        if compiled:
            self._pool._on_compile(game, 0)
        return kind, value, cpu

    def _ensure_process(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "trireme.server.workers.process"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env={**os.environ, **_ONE_THREAD},
                )
            return self._process

    def _read(
        self, process: subprocess.Popen[bytes], seconds: float, what: str
    ) -> tuple[str, Any, float]:
        """The next frame: its kind, its value, and the processor time that was used for it; raises
        `_TimedOut` if it takes longer than `seconds`."""
        deadline = time.monotonic() + seconds
        head = self._bytes(process, 4, deadline, what)
        kind, value, cpu = pickle.loads(
            self._bytes(process, struct.unpack(">I", head)[0], deadline, what)
        )
        return kind, value, cpu

    def _bytes(
        self, process: subprocess.Popen[bytes], count: int, deadline: float, what: str
    ) -> bytes:
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        got = bytearray()
        while len(got) < count:
            left = deadline - time.monotonic()
            if left <= 0 or not wait([pipe], left):  # select() knows no descriptor above 1023
                raise _TimedOut(f"{what} took too long")
            chunk = os.read(pipe, count - len(got))
            if not chunk:
                raise _WorkerDied
            got += chunk
        return bytes(got)


_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"), "1")
