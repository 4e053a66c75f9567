"""The processes executor: workers that may die or hang without stopping or changing the match.

A worker that is killed costs the time to play its game again. One that ends by its agent's own
doing, or hangs in code that can't be interrupted, makes its agent forfeit that game.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from pathlib import Path

import cloudpickle  # type: ignore[import-untyped]

from trireme.arena.job import Job
from trireme.arena.outcome import Played
from trireme.arena.player import forfeited
from trireme.arena.schedule import Fixture
from trireme.core.child_processes import end_with_parent, forget
from trireme.core.errors import TriremeError
from trireme.core.isolation import protect_memory
from trireme.core.record import Moves, parse_record

from . import MOST_RUNNING, ArenaError
from .chunk_size import ChunkSizer
from .log import cap_log
from .worker import Activity, ActivityLog

POLL_SECONDS = 0.2
"""Seconds between two checks of workers that send nothing."""
WATCHDOG_GRACE = 3.0
"""Seconds beyond its timeout after which the watchdog kills a worker."""
MAX_KILLS = 3
"""Deaths by a signal in the same call of the same game after which the agent is to blame."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
"""One thread a worker: workers share the cores, and libraries that take all would oversubscribe."""
MAX_FAILED_STARTS = 3
"""Workers in a row that may die before they are ready."""


class Processes:
    """A fixed number of workers; fixtures are handed out in schedule order."""

    def __init__(
        self, job: Job, workers: int, log: Path | None = None, *, pin: bool = False
    ) -> None:
        if os.name != "posix":
            raise ArenaError("the processes executor needs Linux or macOS; use serial")
        self._job, self._count, self._log = job, workers, log
        self._packed = cloudpickle.dumps(job)
        if job.secretive:
            protect_memory()
        self._workers: list[_Worker] = []
        self._deaths: Counter[Activity] = Counter()
        self._starts = 0
        self._free_cores = sorted(os.sched_getaffinity(0)) if pin else []

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
        cap_log(self._log)

    def pids(self) -> list[int]:
        """The processes of the workers."""
        return [worker.pid for worker in self._workers]

    def running(self) -> list[str]:
        found = []
        for worker in self._workers[:MOST_RUNNING]:
            with suppress(ValueError, UnicodeDecodeError):  # it has just been closed
                found.append(worker.activity_log.record())
        return [text for text in found if text]

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]:
        queue = deque(fixtures)
        sizer = ChunkSizer()
        while queue or any(w.chunk for w in self._workers):
            self._start_workers(min(self._count, len(queue)))
            for worker in self._workers:
                if worker.ready and not worker.chunk and queue:
                    size = sizer.next_size(len(queue), self._count)
                    worker.give([queue.popleft() for _ in range(min(size, len(queue)))])
            yield from self._collect(queue, sizer)

    def _start_workers(self, wanted: int) -> None:
        """Start workers until there are enough for the games that wait."""
        while len(self._workers) < wanted:
            worker = _Worker(self._packed, self._log)
            if self._free_cores:
                worker.pin(self._free_cores.pop(0))
            self._workers.append(worker)

    def _collect(self, queue: deque[Fixture], sizer: ChunkSizer) -> Iterator[Played]:
        cap_log(self._log)
        ready = wait([w.link for w in self._workers], timeout=POLL_SECONDS)
        for worker in list(self._workers):
            if worker.link in ready:
                done = worker.receive()
                if done is not None:
                    self._starts = 0
                    sizer.add(done)
                    yield from done
                    continue
                yield from self._handle_death(worker, queue)
            elif worker.gone():
                yield from self._handle_death(worker, queue)
            elif worker.hangs():
                yield from self._kill_hanging(worker, queue)

    def _kill_hanging(self, worker: _Worker, queue: deque[Fixture]) -> Iterator[Played]:
        activity = worker.activity_log.activity()
        detail = f"gave no answer within {activity.timeout:.3g} s and was ended with its process"
        yield from self._remove(worker, queue, activity, ("time", detail))

    def _handle_death(self, worker: _Worker, queue: deque[Fixture]) -> Iterator[Played]:
        """A worker died: decide whether its agent is to blame."""
        status, activity = worker.status(), worker.activity_log.activity()
        fault: tuple[str, str] | None = None
        if worker.ready:
            self._deaths[activity] += 1
        else:
            self._starts += 1
            if self._starts >= MAX_FAILED_STARTS:
                raise ArenaError(f"workers can't start (status {status}){self._log_tail()}")
        if activity.busy and worker.chunk and (status >= 0 or self._deaths[activity] >= MAX_KILLS):
            how = (
                f"with status {status}"
                if status >= 0
                else f"by signal {-status}, {MAX_KILLS} times"
            )
            fault = ("process", f"its process ended {how}")
        elif self._deaths[activity] >= 2 * MAX_KILLS:
            raise ArenaError(
                f"workers die again and again at game {activity.game}, between moves"
                f"{self._log_tail()}"
            )
        yield from self._remove(worker, queue, activity, fault)

    def _remove(
        self,
        worker: _Worker,
        queue: deque[Fixture],
        activity: Activity,
        fault: tuple[str, str] | None,
    ) -> Iterator[Played]:
        """Remove a worker; with a fault its game is forfeited, the rest goes back to the queue."""
        worker.kill()
        self._workers.remove(worker)
        if worker.core is not None:
            self._free_cores.append(worker.core)
        left = list(worker.chunk.values())
        if fault is not None and activity.game in worker.chunk:
            fixture = worker.chunk[activity.game]
            left.remove(fixture)
            moves = _moves(worker.last_record)
            yield forfeited(self._job, fixture, moves, activity.seat, *fault)
        queue.extendleft(reversed(left))

    def _log_tail(self) -> str:
        if self._log is None or not self._log.exists():
            return ""
        text = self._log.read_text(encoding="utf-8", errors="replace").strip()
        return f": {text[-500:]}" if text else ""


class _Worker:
    """One worker process, seen from its parent."""

    def __init__(self, packed: bytes, log: Path | None) -> None:
        self.last_record = ""
        self.core: int | None = None
        ours, theirs = socket.socketpair()
        with Path(log or os.devnull).open("ab") as sink, tempfile.TemporaryFile() as unnamed:
            self.activity_log = ActivityLog(unnamed.fileno(), create=True)
            descriptors = theirs.fileno(), unnamed.fileno()
            code = f"from trireme.arena.executors.worker import main; main{descriptors}"
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                pass_fds=descriptors,
                env={**ONE_THREAD, **os.environ},
                process_group=0,
            )
        theirs.close()
        self.pid = self._process.pid
        end_with_parent(self.pid)
        self.link = Connection(ours.detach())
        self.ready = False
        self.chunk: dict[int, Fixture] = {}
        self._seen, self._since = self.activity_log.activity(), time.monotonic()
        with suppress(OSError):
            self.link.send((sys.path, packed))

    def pin(self, core: int) -> None:
        """Bind the process, and those that it will start, to one core."""
        self.core = core
        with suppress(OSError):  # it has died already
            os.sched_setaffinity(self.pid, {core})

    def give(self, fixtures: list[Fixture]) -> None:
        self.chunk = {f.number: f for f in fixtures}
        with suppress(OSError):
            self.link.send(fixtures)

    def receive(self) -> list[Played] | None:
        """The results that it sent; None when it is dead."""
        try:
            done: list[Played] = self.link.recv()
        except (EOFError, OSError, pickle.UnpicklingError):
            return None
        self.ready = True
        for played in done:
            self.chunk.pop(played.outcome.number, None)
        return done

    def gone(self) -> bool:
        return self._process.poll() is not None and not self.link.poll()

    def status(self) -> int:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=1.0)
        return -signal.SIGKILL

    def hangs(self) -> bool:
        """Whether one call has been running for too long, by our own clock."""
        activity = self.activity_log.activity()
        if activity != self._seen:
            self._seen, self._since = activity, time.monotonic()
        return activity.busy and time.monotonic() - self._since > activity.timeout + WATCHDOG_GRACE

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        forget(self.pid)
        self.link.close()
        self.last_record = self.activity_log.record()
        self.activity_log.close()


def _moves(record: str) -> tuple[Moves, ...]:
    try:
        return parse_record(record, partial=True).moves
    except TriremeError:
        return ()
