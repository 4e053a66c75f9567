"""A foreign program that talks in lines: started, written to, read from, and surely ended."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from contextlib import suppress
from typing import IO

from . import leash
from .play import AgentFault

LONGEST = 1 << 20
"""Bytes of a line before it counts as garbage."""


class Broken(AgentFault):
    """The program died or wrote what is no answer."""

    reason = "process"


class Silent(AgentFault):
    """The program wrote nothing in time."""

    reason = "time"


class Program:
    """The running program; threads read its pipes, so that no flood and no silence blocks us."""

    def __init__(self, command: list[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        leash.hold(self._process.pid)
        self._lines: queue.Queue[bytes | None] = queue.Queue(maxsize=64)
        self._complaints: deque[bytes] = deque(maxlen=4)
        self._over = False
        self._readers = [
            threading.Thread(target=target, daemon=True)
            for target in (self._read_answers, self._read_complaints)
        ]
        for reader in self._readers:
            reader.start()

    def send(self, line: bytes) -> None:
        """Write one line, given without its end."""
        # A program that is gone shows itself, with its last words, where its answer is read.
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float) -> bytes:
        """The next line that the program writes within `seconds`."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Silent(f"the program wrote nothing for {seconds:.3g} s") from None
        if line is None:
            self._lines.put(None)
            raise Broken(self._death())
        return line

    def end(self, goodbye: bytes) -> None:
        """Say goodbye, then make sure: neither the program nor its children stay behind."""
        self.send(goodbye)
        with suppress(OSError):
            assert self._process.stdin is not None
            self._process.stdin.close()
        self._over = True
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.5)
        self._kill()
        self._process.wait()
        leash.release(self._process.pid)
        for reader in self._readers:
            reader.join(timeout=1.0)
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()

    def _kill(self) -> None:
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def _read_answers(self) -> None:
        stdout = _stream(self._process.stdout)
        while line := stdout.readline(LONGEST):
            if not self._put(line):
                return
        self._put(None)

    def _put(self, line: bytes | None) -> bool:
        while not self._over:
            with suppress(queue.Full):
                self._lines.put(line, timeout=0.1)
                return True
        return False

    def _read_complaints(self) -> None:
        stderr = _stream(self._process.stderr)
        while line := stderr.readline(LONGEST):
            self._complaints.append(line)

    def _death(self) -> str:
        """How the program ended, with its last words."""
        deadline = time.monotonic() + 1.0
        while self._process.poll() is None and time.monotonic() < deadline:
            self._readers[1].join(timeout=0.05)
        self._readers[1].join(timeout=0.5)
        status = self._process.returncode
        how = "closed its output" if status is None else f"ended with status {status}"
        said = b"".join(self._complaints).decode(errors="replace").strip()
        return f"the program {how}" + (f", saying: {said[-400:]}" if said else "")


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
