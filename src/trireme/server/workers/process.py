"""`python -m trireme.server.workers.process`: a worker, which runs tasks until its server ends.

Frames on stdin and stdout are a length (4 bytes, big-endian) and a pickle. A task comes with its
limit of processor time, or None. It is answered by `preparing`, by `started`, when it is prepared
and its time starts, and then by its outcome. While kernels are compiled, `compiled` frames come
with their number so far. Frames of the worker have a kind, a value and the seconds of processor
time used.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from trireme.core.errors import TriremeError
from trireme.core.jit import watch_compilation

from .tasks import Task, TaskFailure, WorkerCache

PREPARING = "preparing"
STARTED = "started"
COMPILED = "compiled"
DONE = "done"
FAILED = "failed"


def write_frame(stream: BinaryIO, value: Any) -> None:
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack(">I", len(body)) + body)
    stream.flush()


def serve(inbox: BinaryIO, outbox: BinaryIO) -> None:
    """Run tasks until the end of `inbox`."""
    cache = WorkerCache()
    while len(head := inbox.read(4)) == 4:
        body = inbox.read(struct.unpack(">I", head)[0])
        began = time.process_time()
        try:
            task, cpu_limit = pickle.loads(body)
            _prepare(task, cache, outbox)
            write_frame(outbox, (STARTED, None, 0.0))
            began = time.process_time()
            with _interrupted_after(cpu_limit):
                outcome = DONE, task.run(cache)
        except TaskFailure as failure:
            outcome = FAILED, failure
        except TriremeError as error:
            outcome = FAILED, TaskFailure("refused", str(error))
        except Exception as error:
            outcome = FAILED, TaskFailure("exception", f"{type(error).__name__}: {error}")
        write_frame(outbox, (*outcome, time.process_time() - began))


@contextmanager
def _interrupted_after(cpu_seconds: float | None) -> Iterator[None]:
    """Raise a `TaskFailure` in the block when it has used so much processor time.

    The process goes on, unlike one that the pool kills: starting another takes seconds.
    """
    if cpu_seconds is None:
        yield
        return

    def interrupt(*_: object) -> None:
        raise TaskFailure("time", f"it takes longer than {cpu_seconds:g} s")

    before = signal.signal(signal.SIGPROF, interrupt)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _prepare(task: Task, cache: WorkerCache, outbox: BinaryIO) -> None:
    """Prepare the task, and report every kernel that is compiled meanwhile."""
    compiled = 0

    def report(_: int, name: str) -> None:
        nonlocal compiled
        compiled += 1
        write_frame(outbox, (COMPILED, compiled, 0.0))

    write_frame(outbox, (PREPARING, None, 0.0))
    with watch_compilation(report):
        task.prepare(cache)


def _exit_with_parent(parent: int) -> None:
    """End this process when its server is gone, even in the middle of a task."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def main() -> None:
    threading.Thread(target=_exit_with_parent, args=(os.getppid(),), daemon=True).start()
    os.nice(5)
    outbox = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # agents' prints must not mix with the frames
    try:
        serve(sys.stdin.buffer, outbox)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)


if __name__ == "__main__":
    main()
