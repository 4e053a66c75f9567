"""Agents that misbehave, for tests of the worker processes."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True)
class Hangs:
    """Never answers."""

    name: ClassVar[str] = "hangs"

    def act(self, turn: Any) -> Any:
        while True:
            time.sleep(60)


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
