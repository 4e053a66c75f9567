"""All errors that user input can cause; each says what was expected and quotes the input."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class TriremeError(ValueError):
    """The base of all errors about input; catching it never hides a programming mistake."""


class IllegalAction(TriremeError):
    """The action is well formed, but the rules do not allow it now."""


class BadText(TriremeError):
    """Text that should have been an action, a plan or a position is not one."""


class TrainingDiverged(TriremeError):
    """A loss is no number any more: going on would only waste time."""


class BadSettings(TriremeError):
    """A game's settings are of the wrong type, out of range, or do not fit together."""


class BadSpec(TriremeError):
    """The text of an agent or game spec, or one of its options, can't be understood."""


class UnknownName(TriremeError):
    """No game, agent, variant or option has this name."""


class BrokenPlugin(TriremeError):
    """An installed package offers a game or an agent that can't be used."""


class MissingExtra(TriremeError, ImportError):
    """A package of an optional extra is not installed; the message has the command that does it."""

    def __init__(self, extra: str, what: str, package: str) -> None:
        super().__init__(f"{what} needs the package {package}: pip install 'trireme-lab[{extra}]'")
        self.extra, self.name = extra, package
        self._arguments = extra, what, package

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str, str]]:
        return MissingExtra, self._arguments


class AgentNotReady(TriremeError):
    """An agent can't play here as it is configured: a package or a file is missing, or it does not
    fit the game."""


class BadPuzzle(TriremeError):
    """A puzzle can't be read, or does not have the solution that it claims."""


class RecordError(TriremeError):
    """A record can't be trusted from the named line on."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line


def why_unreadable(error: Exception) -> str:
    """Why JSON could not be decoded, as part of a message."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """An error for a mistyped name, with the nearest known name or the list of all of them.

    >>> print(unknown("game", "gomuku", ["battleship", "gomoku"]))
    unknown game 'gomuku'. Did you mean 'gomoku'?
    """
    names = sorted(known)
    spelt = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), spelt, n=1)
    if close:
        return UnknownName(f"unknown {kind} {name!r}. Did you mean {spelt[close[0]]!r}?")
    return UnknownName(f"unknown {kind} {name!r}. Known: {', '.join(names) or 'none'}.")
