"""Agents that misbehave, for tests of the worker processes."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from trireme import BadSpec


@dataclass(frozen=True)
class Hangs:
    """Never answers."""

    name: ClassVar[str] = "hangs"

    def act(self, turn: Any) -> Any:
        while True:
            time.sleep(60)


@dataclass(frozen=True)
class Unfit:
    """Needs a file that is not there."""

    name: ClassVar[str] = "unfit"

    def prepare(self, game: Any) -> None:
        raise BadSpec("there is no network 'x'")

    def act(self, turn: Any) -> Any:
        raise AssertionError("it was never ready")


@dataclass(frozen=True)
class Dies:
    """Takes its process with it."""

    name: ClassVar[str] = "dies"

    def act(self, turn: Any) -> Any:
        os._exit(1)


@dataclass(frozen=True)
class Raises:
    """Breaks."""

    name: ClassVar[str] = "raises"

    def act(self, turn: Any) -> Any:
        raise RuntimeError("out of ideas")


@dataclass(frozen=True)
class Cheats:
    """Plays the same point for ever."""

    name: ClassVar[str] = "cheats"

    def act(self, turn: Any) -> Any:
        return (0, 0)


@dataclass(frozen=True)
class Babbles:
    """Prints, and returns no action."""

    name: ClassVar[str] = "babbles"

    def act(self, turn: Any) -> Any:
        print("x" * 100_000)
        return object()


@dataclass(frozen=True)
class Compiles:
    """Compiles two kernels, and keeps nothing of them."""

    name: ClassVar[str] = "compiles"

    def prepare(self, game: Any) -> None:
        import numba

        for step in (1, 2):
            numba.njit(lambda x, step=step: x + step)(1)

    def act(self, turn: Any) -> Any:
        return turn.legal.sample(turn.rng)
