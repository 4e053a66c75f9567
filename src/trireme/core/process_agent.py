"""An agent in any language: a process that reads and writes JSON lines (docs/arena.md)."""

from __future__ import annotations

import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO, Any, ClassVar

import msgspec

from . import leash
from .errors import BadSpec, BadText
from .game import AnyGame, Turn
from .options import option, settings
from .play import GRACE, AgentFault, Forfeit

PROTOCOL = 1
LISTABLE = 5000
"""Legal moves are listed up to this number; where there are more, an example is sent."""
LONGEST = 1 << 20
"""Characters of an answer before it counts as garbage."""


@dataclass
class ProcessAgent:
    """Any program that speaks JSON lines on its standard input and output."""

    cmd: str = field(metadata={"help": "the command line, such as python my_bot.py"})
    limit: float = option(60.0, "seconds to wait for an answer where the game sets no budget")
    startup: float = option(30.0, "seconds that the program may take to get ready")

    name: ClassVar[str] = "process"

    _program: _Program | None = field(default=None, init=False, repr=False, compare=False)
    _game: AnyGame | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.cmd)
        except ValueError as error:
            raise BadSpec(f"cmd can't be read as a command line ({error}): {self.cmd!r}") from None
        if not words:
            raise BadSpec('process needs a command line, such as process:cmd="python my_bot.py"')

    def prepare(self, game: AnyGame) -> None:
        """Start the program, tell it the game, wait until it is ready: all this off the clock."""
        self.close()
        try:
            self._program = _Program(shlex.split(self.cmd))
        except OSError as error:
            raise Broken(f"can't run {self.cmd!r}: {error.strerror}") from error
        self._game = game
        hello = {"type": "hello", "protocol": PROTOCOL, "game": game.name, "seats": game.seats}
        self._program.send({**hello, "settings": settings(game)})
        answer = self._program.receive(self.startup)
        if answer.get("ready") is not True:
            raise Broken(f'expected {{"ready": true}} after hello, not {_short(answer)}')

    def act(self, turn: Turn[Any, Any]) -> Any:
        if self._program is None or self._game != turn.game:
            self.prepare(turn.game)
        assert self._program is not None
        self._program.send(_message(turn))
        budget = self.limit if turn.seconds is None else turn.seconds * (1 + GRACE) + GRACE
        return _action(turn, self._program.receive(budget))

    def close(self) -> None:
        if self._program is not None:
            self._program.end()
        self._program = None


class Broken(AgentFault):
    """The program died or wrote what is no answer."""

    reason = "process"


class Silent(AgentFault):
    """The program wrote nothing in time."""

    reason = "time"


class _Program:
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

    def send(self, message: Mapping[str, Any]) -> None:
        # A program that is gone shows itself, with its last words, where its answer is read.
        with suppress(BrokenPipeError):
            assert self._process.stdin is not None
            self._process.stdin.write(msgspec.json.encode(message) + b"\n")
            self._process.stdin.flush()

    def receive(self, seconds: float) -> dict[str, Any]:
        """The next line as an object."""
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            raise Silent(f"the program wrote nothing for {seconds:.3g} s") from None
        if line is None:
            self._lines.put(None)
            raise Broken(self._death())
        try:
            answer = msgspec.json.decode(line)
        except msgspec.DecodeError:
            answer = None
        if not isinstance(answer, dict):
            raise Broken(f"expected one JSON object on one line, not {_short(line)}")
        return answer

    def end(self) -> None:
        """Say goodbye, then make sure: neither the program nor its children stay behind."""
        self.send({"type": "bye"})
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


def _message(turn: Turn[Any, Any]) -> dict[str, Any]:
    write = turn.game.write
    count = len(turn.legal) if isinstance(turn.legal, Sized) else LISTABLE + 1
    return {
        "type": "turn",
        "seat": turn.seat,
        "view": msgspec.to_builtins(turn.view),
        "legal": [write(a) for a in turn.legal] if count <= LISTABLE else None,
        "example": write(turn.legal.sample(turn.rng)),
        "seconds": turn.seconds,
        "random": int(turn.rng.integers(1 << 32)),
    }


def _action(turn: Turn[Any, Any], answer: Mapping[str, Any]) -> Any:
    text = answer.get("action")
    if not isinstance(text, str):
        raise Broken(f'expected {{"action": "…"}} for a turn, not {_short(answer)}')
    try:
        return turn.game.read(text)
    except BadText as error:
        raise Forfeit(turn.seat, "illegal", str(error)) from error


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 120 else shown[:117] + "…"
