"""The end of what a process writes to a pipe, or an agent prints, in bounded memory."""

from __future__ import annotations

import io
import os
import threading
from contextlib import suppress
from multiprocessing.connection import wait
from typing import IO, TextIO

MAX_OUTPUT = 16_384
"""Bytes of an agent's output that are kept for a game: its end."""
_CUT = b"[...]\n"
_BLOCK = 65_536


class OutputTail:
    """Keeps the last `MAX_OUTPUT` bytes of what it is given."""

    def __init__(self) -> None:
        self._data, self._cut = b"", False

    def add(self, data: bytes) -> None:
        joined = self._data + data
        self._cut |= len(joined) > MAX_OUTPUT
        self._data = joined[-MAX_OUTPUT:]

    def text(self) -> str:
        """What was kept; a mark in front says that more was printed before it."""
        return ((_CUT if self._cut else b"") + self._data).decode("utf-8", "replace")

    def take(self) -> str:
        """What was kept, which is then forgotten."""
        text = self.text()
        self._data, self._cut = b"", False
        return text


class PipeTail:
    """Reads a pipe in a thread, so that a flood never blocks its writer, and keeps its end."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe, self._tail, self._lock = pipe, OutputTail(), threading.Lock()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the end of the pipe."""
        self._thread.join(timeout=seconds)

    def text(self) -> str:
        with self._lock:
            return self._tail.text()

    def take(self) -> str:
        """All that was written before this call, as far as it is kept; it is then forgotten."""
        with self._lock:
            if os.name == "posix":
                with suppress(OSError, ValueError):  # closed
                    while wait([self._pipe.fileno()], 0) and self._read_block():
                        pass
            return self._tail.take()

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            if os.name != "posix":  # a pipe can't be waited for
                while block := os.read(self._pipe.fileno(), _BLOCK):
                    with self._lock:
                        self._tail.add(block)
                return
            while wait([self._pipe.fileno()]):
                with self._lock:
                    # `take` may have read in the meantime what was waited for.
                    if wait([self._pipe.fileno()], 0) and not self._read_block():
                        return

    def _read_block(self) -> bool:
        """Read what is there; False at the end of the pipe."""
        block = os.read(self._pipe.fileno(), _BLOCK)
        self._tail.add(block)
        return bool(block)


class PrintTail(io.TextIOBase):
    """A text stream that passes everything on to another one and keeps the end of it."""

    def __init__(self, onto: TextIO) -> None:
        self._onto, self.tail = onto, OutputTail()

    def write(self, text: str) -> int:
        self.tail.add(text.encode("utf-8", "replace"))
        return self._onto.write(text)

    def flush(self) -> None:
        self._onto.flush()

    def fileno(self) -> int:
        return self._onto.fileno()

    def writable(self) -> bool:
        return True
