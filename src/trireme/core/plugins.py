"""Plugins: games and agents of other installed packages, found through their entry points."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from .errors import BrokenPlugin

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GAME_GROUP = "trireme.games"
"""Entry points whose name is the game's and whose value is `package:SLICE`."""
AGENT_GROUP = "trireme.agents"
"""Entry points named `GAME.AGENT` whose value is `module:Class`."""
GAME_NAME = re.compile(r"[a-z][a-z0-9_]*")
AGENT_NAME = re.compile(r"[a-z][a-z0-9_+-]*")

T = TypeVar("T")


@dataclass(frozen=True)
class Found(Generic[T]):
    """The plugins of one kind: those that work, and why the others are left out."""

    working: Mapping[str, T]
    faults: Sequence[tuple[str, BrokenPlugin]]
    """Names with the reasons; a name may occur here although another package's plugin works."""

    def fault(self, name: str) -> BrokenPlugin | None:
        """Why the plugin of this name is left out, if it is."""
        return next((fault for at, fault in self.faults if at == name), None)


@cache
def installed(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, read once, in an order that does not depend on the disk."""
    from importlib.metadata import entry_points  # not needed by those who name no plugin

    return tuple(sorted(entry_points(group=group), key=lambda e: (e.name, _package(e))))


def collect(
    entries: Iterable[tuple[str, EntryPoint]], kind: str, accept: Callable[[str, EntryPoint], T]
) -> Found[T]:
    """What `accept` makes of every entry. One that raises anything is left out, with the reason:
    the code of other packages may fail in any way."""
    working: dict[str, T] = {}
    faults: list[tuple[str, BrokenPlugin]] = []
    for name, entry in entries:
        try:
            if name in working:
                raise ValueError("another installed package has one of this name")
            working[name] = accept(name, entry)
        except Exception as error:
            why = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
            faults.append((name, broken(kind, name, entry, why)))
    return Found(working, faults)


def broken(kind: str, name: str, entry: EntryPoint, why: str) -> BrokenPlugin:
    """The error that tells users which package to blame."""
    return BrokenPlugin(f"{kind} {name!r} of package {_package(entry)} is left out: {why}")


def loaded(entry: EntryPoint) -> Any:
    """The object that the entry point names."""
    return entry.load()


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "unknown"
