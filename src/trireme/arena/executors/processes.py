"""The processes executor: workers that may die or hang without stopping or changing the match.

A worker that is killed costs the time to play its game again. One that ends by its agent's own
doing, or hangs in code that can't be interrupted, makes its agent forfeit that game.
"""

from __future__ import annotations

import os
import pickle
import shutil
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
from uuid import uuid4

import cloudpickle  # type: ignore[import-untyped]

from trireme.arena.outcome import Played
from trireme.arena.player import Job, forfeited
from trireme.arena.schedule import Fixture
from trireme.core import leash
from trireme.core.errors import TriremeError
from trireme.core.record import Moves, parse_record

from . import ArenaError
from .pace import Pace
from .worker import Doing, Logbook

PULSE = 0.2
"""Seconds between two looks at workers that say nothing."""
WATCHDOG = 3.0
"""Seconds beyond its patience after which a worker is ended from outside."""
KILLS = 3
"""Deaths by a signal at one question of one game that are nobody's fault but the agent's."""
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
"""Workers share the cores among themselves; libraries that each took all of them would fight."""
STARTS = 3
"""Workers in a row that may die before they are ready."""


class Processes:
    """A fixed number of workers; fixtures are handed out in schedule order."""

    def __init__(self, job: Job, workers: int, log: Path | None = None) -> None:
        if os.name != "posix":
            raise ArenaError("the processes executor needs Linux or macOS; use serial")
        self._job, self._count, self._log = job, workers, log
        self._folder = Path(tempfile.mkdtemp(prefix="trireme-arena-"))
        self._packed = cloudpickle.dumps(job)
        self._workers: list[_Worker] = []
        self._deaths: Counter[Doing] = Counter()
        self._starts = 0

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def pids(self) -> list[int]:
        """The processes of the workers."""
        return [worker.pid for worker in self._workers]

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]:
        queue = deque(fixtures)
        pace = Pace()
        while queue or any(w.chunk for w in self._workers):
            self._staff(min(self._count, len(queue)))
            for worker in self._workers:
                if worker.ready and not worker.chunk and queue:
                    size = pace.chunk(len(queue), self._count)
                    worker.give([queue.popleft() for _ in range(min(size, len(queue)))])
            yield from self._listen(queue, pace)

    def _staff(self, wanted: int) -> None:
        """Start workers until there are enough for the games that wait."""
        while len(self._workers) < wanted:
            self._workers.append(_Worker(self._folder, self._packed, self._log))

    def _listen(self, queue: deque[Fixture], pace: Pace) -> Iterator[Played]:
        heard = wait([w.link for w in self._workers], timeout=PULSE)
        for worker in list(self._workers):
            if worker.link in heard:
                done = worker.receive()
                if done is not None:
                    self._starts = 0
                    pace.add(done)
                    yield from done
                    continue
                yield from self._bury(worker, queue)
            elif worker.gone():
                yield from self._bury(worker, queue)
            elif worker.hangs():
                yield from self._end_hanging(worker, queue)

    def _end_hanging(self, worker: _Worker, queue: deque[Fixture]) -> Iterator[Played]:
        doing = worker.logbook.doing()
        detail = f"gave no answer within {doing.patience:.3g} s and was ended with its process"
        yield from self._remove(worker, queue, doing, ("time", detail))

    def _bury(self, worker: _Worker, queue: deque[Fixture]) -> Iterator[Played]:
        """A worker died: decide whose fault it was."""
        status, doing = worker.status(), worker.logbook.doing()
        fault: tuple[str, str] | None = None
        if worker.ready:
            self._deaths[doing] += 1
        else:
            self._starts += 1
            if self._starts >= STARTS:
                raise ArenaError(f"workers can't start (status {status}){self._last_words()}")
        if doing.busy and worker.chunk and (status >= 0 or self._deaths[doing] >= KILLS):
            how = f"with status {status}" if status >= 0 else f"by signal {-status}, {KILLS} times"
            fault = ("process", f"its process ended {how}")
        elif self._deaths[doing] >= 2 * KILLS:
            raise ArenaError(
                f"workers die again and again at game {doing.game}, between moves"
                f"{self._last_words()}"
            )
        yield from self._remove(worker, queue, doing, fault)

    def _remove(
        self,
        worker: _Worker,
        queue: deque[Fixture],
        doing: Doing,
        fault: tuple[str, str] | None,
    ) -> Iterator[Played]:
        """End a worker; with a fault its game is forfeited, all else goes back to the queue."""
        worker.kill()
        self._workers.remove(worker)
        left = list(worker.chunk.values())
        if fault is not None and doing.game in worker.chunk:
            fixture = worker.chunk[doing.game]
            left.remove(fixture)
            moves = _moves(worker.last_record)
            yield forfeited(self._job, fixture, moves, doing.seat, *fault)
        queue.extendleft(reversed(left))

    def _last_words(self) -> str:
        if self._log is None or not self._log.exists():
            return ""
        said = self._log.read_text(encoding="utf-8", errors="replace").strip()
        return f": {said[-500:]}" if said else ""


class _Worker:
    """One worker process, seen from outside."""

    def __init__(self, folder: Path, packed: bytes, log: Path | None) -> None:
        self._path = folder / uuid4().hex
        self.logbook = Logbook(self._path, create=True)
        self.last_record = ""
        ours, theirs = socket.socketpair()
        code = f"from trireme.arena.executors.worker import main; main({theirs.fileno()})"
        with Path(log or os.devnull).open("ab") as sink:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                pass_fds=[theirs.fileno()],
                env={**ONE_THREAD, **os.environ},
                process_group=0,
            )
        theirs.close()
        self.pid = self._process.pid
        leash.hold(self.pid)
        self.link = Connection(ours.detach())
        self.ready = False
        self.chunk: dict[int, Fixture] = {}
        self._seen, self._since = self.logbook.doing(), time.monotonic()
        with suppress(OSError):
            self.link.send((sys.path, self._path, packed))

    def give(self, fixtures: list[Fixture]) -> None:
        self.chunk = {f.number: f for f in fixtures}
        with suppress(OSError):
            self.link.send(fixtures)

    def receive(self) -> list[Played] | None:
        """What it sent; None when it is dead."""
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
        """Whether one question has been open for too long, by our own clock."""
        doing = self.logbook.doing()
        if doing != self._seen:
            self._seen, self._since = doing, time.monotonic()
        return doing.busy and time.monotonic() - self._since > doing.patience + WATCHDOG

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        leash.release(self.pid)
        self.link.close()
        self.last_record = self.logbook.record()
        self.logbook.close()
        self._path.unlink(missing_ok=True)


def _moves(record: str) -> tuple[Moves, ...]:
    try:
        return parse_record(record, partial=True).moves
    except TriremeError:
        return ()
