"""Agents that fail in every way there is, beside two that don't; loaded as `broken_agents.py:X`."""

import ctypes
import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass
class Careful:
    """Draws from the global generator: the arena must make even that repeatable."""

    name: ClassVar[str] = "careful"
    pause: float = 0.0

    def act(self, turn: Any) -> Any:
        end = time.perf_counter() + self.pause
        while time.perf_counter() < end:
            pass
        print("thinking aloud")
        return random.choice(list(turn.legal))


@dataclass
class Waits:
    """Plays at random, but makes its third move only when somebody opens `pipe`, a FIFO."""

    name: ClassVar[str] = "waits"
    pipe: str = ""
    moves: int = 0

    def act(self, turn: Any) -> Any:
        self.moves += 1
        if self.moves == 3:
            with open(self.pipe, "rb") as pipe:
                pipe.read()
        return turn.legal.sample(turn.rng)


@dataclass
class Raises:
    name: ClassVar[str] = "raises"

    def act(self, turn: Any) -> Any:
        raise RuntimeError("no idea what to play")


@dataclass
class Exits:
    name: ClassVar[str] = "exits"

    def act(self, turn: Any) -> Any:
        sys.exit("had enough")


@dataclass
class Interrupts:
    name: ClassVar[str] = "interrupts"

    def act(self, turn: Any) -> Any:
        raise KeyboardInterrupt


class _Unequal:
    """An action on which every operation raises what no `except Exception` catches."""

    def __eq__(self, other: object) -> bool:
        raise KeyboardInterrupt

    def __hash__(self) -> int:
        raise KeyboardInterrupt

    def __repr__(self) -> str:
        raise KeyboardInterrupt


@dataclass
class Odd:
    name: ClassVar[str] = "odd"

    def act(self, turn: Any) -> Any:
        return _Unequal()


@dataclass
class Unmakable:
    """Can be made for a look at its name, but not in a worker."""

    name: ClassVar[str] = "unmakable"

    def prepare(self, game: Any) -> None:
        raise OSError("the weights are missing")

    def act(self, turn: Any) -> Any:
        raise AssertionError


@dataclass
class Illegal:
    name: ClassVar[str] = "illegal"

    def act(self, turn: Any) -> Any:
        return (99, 99)


@dataclass
class Nonsense:
    name: ClassVar[str] = "nonsense"

    def act(self, turn: Any) -> Any:
        return object()


@dataclass
class Late:
    """Answers, but long after its time."""

    name: ClassVar[str] = "late"

    def act(self, turn: Any) -> Any:
        time.sleep(turn.seconds + 0.25)
        return turn.legal.sample(turn.rng)


@dataclass
class Hangs:
    """Never answers, and swallows what would interrupt it."""

    name: ClassVar[str] = "hangs"

    def act(self, turn: Any) -> Any:
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass


@dataclass
class Stuck:
    """Hangs outside Python, where no exception can reach it."""

    name: ClassVar[str] = "stuck"

    def act(self, turn: Any) -> Any:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        ctypes.PyDLL(None).sleep(600)


@dataclass
class Dies:
    """Takes its whole process with it."""

    name: ClassVar[str] = "dies"

    def act(self, turn: Any) -> Any:
        os._exit(3)


@dataclass
class Crashes:
    """Dies of a signal, as a faulty library does."""

    name: ClassVar[str] = "crashes"

    def act(self, turn: Any) -> Any:
        os.kill(os.getpid(), signal.SIGSEGV)


@dataclass
class KilledOnce:
    """Stands for a worker that somebody else kills: only the first time, at a marker file."""

    name: ClassVar[str] = "killed-once"
    marker: str = ""

    def act(self, turn: Any) -> Any:
        if not os.path.exists(self.marker):
            with open(self.marker, "w"):
                os.kill(os.getpid(), signal.SIGKILL)
        return turn.legal.sample(turn.rng)
