"""`python -m trireme.server.workers.process`: a process that runs tasks until its server is gone.

Frames on stdin and stdout are a length (4 bytes, big-endian) and a pickle. Each task is answered
by `began`, when its preparations are done and its clock starts, and then by its outcome.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
import threading
import time
from typing import Any, BinaryIO

from trireme.core.errors import TriremeError

from .tasks import Desk, Failure

BEGAN = "began"
DONE = "done"
FAILED = "failed"


def write_frame(stream: BinaryIO, value: Any) -> None:
    body = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(struct.pack(">I", len(body)) + body)
    stream.flush()


def serve(inbox: BinaryIO, outbox: BinaryIO) -> None:
    """Run tasks until the inbox ends."""
    desk = Desk()
    while len(head := inbox.read(4)) == 4:
        body = inbox.read(struct.unpack(">I", head)[0])
        try:
            task = pickle.loads(body)
            task.ready(desk)
            write_frame(outbox, (BEGAN, None))
            outcome = DONE, task.run(desk)
        except Failure as failure:
            outcome = FAILED, failure
        except TriremeError as error:
            outcome = FAILED, Failure("refused", str(error))
        except Exception as error:
            outcome = FAILED, Failure("exception", f"{type(error).__name__}: {error}")
        write_frame(outbox, outcome)


def _leave_with(parent: int) -> None:
    """End this process when its server is gone, even in the middle of a thought."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def main() -> None:
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    os.nice(5)
    outbox = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what an agent prints must not end up between the frames
    try:
        serve(sys.stdin.buffer, outbox)
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(0)


if __name__ == "__main__":
    main()
