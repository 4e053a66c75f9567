"""A subprocess that speaks a line protocol over pipes: start, send, receive with timeout, kill."""

from __future__ import annotations

import os
import queue
import selectors
import signal
import subprocess
import threading
import time
from contextlib import suppress

from .child_processes import end_with_parent, forget
from .forfeit import AgentFault
from .output_tail import PipeTail

MAX_LINE = 1 << 20
"""Bytes after which a line is cut, so that endless output takes no endless memory."""


SEND_SECONDS = 10.0
"""Seconds a process may take to read a line, where its caller names no other time."""


class ProcessFailed(AgentFault):
    """The process ended, or wrote what the protocol does not allow."""

    reason = "process"


class ProcessTimeout(AgentFault):
    """The process wrote nothing in time."""

    reason = "time"


class LineProcess:
    """A running process; threads read its pipes, so that neither a flood nor silence blocks us."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        assert self._process.stderr is not None
        end_with_parent(self._process.pid)
        assert self._process.stdin is not None
        self._stdin = self._process.stdin.fileno()
        if os.name == "posix":  # elsewhere a program that never reads blocks the match
            os.set_blocking(self._stdin, False)
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=64)
        self._ended = False
        self._stderr = PipeTail(self._process.stderr)
        self._reader = threading.Thread(target=self._read_stdout, daemon=True)
        self._reader.start()

    def send(self, line: bytes, seconds: float = SEND_SECONDS) -> None:
        """Write one line, given without its newline; a process that does not read it within
        `seconds` raises `ProcessTimeout`."""
        deadline = time.monotonic() + seconds
        rest = memoryview(line + b"\n")
        # If the process is gone, `receive` raises the error, with its standard error in it.
        with suppress(BrokenPipeError):
            while rest:
                try:
                    rest = rest[os.write(self._stdin, rest) :]
                except BlockingIOError:
                    self._wait_until_writable(deadline - time.monotonic(), seconds)

    def _wait_until_writable(self, left: float, seconds: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._stdin, selectors.EVENT_WRITE)
            if left <= 0 or not selector.select(left):
                raise ProcessTimeout(f"the program read nothing for {seconds:.3g} s")

    def receive(self, seconds: float) -> bytes:
        """The next line of standard output, waited for at most `seconds`."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise ProcessTimeout(f"the program wrote nothing for {seconds:.3g} s") from None
        if line is None:
            self._lines.put(None)
            raise ProcessFailed(self._exit_message())
        return line

    def end(self, goodbye: bytes) -> None:
        """Send a last line, wait half a second, then kill the whole process group."""
        assert self._process.stdin is not None
        if not self._process.stdin.closed:
            with suppress(ProcessTimeout):
                self.send(goodbye, 0.0)
            self._process.stdin.close()
        self._ended = True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)
        self._kill()
        self._process.wait()
        forget(self._process.pid)
        self._reader.join(timeout=1.0)
        self._stderr.join(1.0)
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def take_stderr(self) -> str:
        """The end of what it wrote to its standard error since the last call."""
        return self._stderr.take()

    def _kill(self) -> None:
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _read_stdout(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while line := stdout.readline(MAX_LINE):
            if not self._put(line):
                return
        self._put(None)

    def _put(self, line: bytes | None) -> bool:
        while not self._ended:
            with suppress(queue.Full):
                self._lines.put(line, timeout=0.1)
                return True
        return False

    def _exit_message(self) -> str:
        """How the process ended, with the end of its standard error."""
        deadline = time.monotonic() + 1.0
        while self._process.poll() is None and time.monotonic() < deadline:
            self._stderr.join(0.05)
        self._stderr.join(0.5)
        status = self._process.returncode
        how = "closed its output" if status is None else f"ended with status {status}"
        stderr = "".join(self._stderr.text().strip().splitlines(keepends=True)[-4:])
        return f"the program {how}" + (f", saying: {stderr[-400:]}" if stderr else "")
