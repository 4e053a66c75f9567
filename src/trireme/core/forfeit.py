"""Forfeits: why a seat lost by its agent's fault, in words of bounded length."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from .action_input import why_unread
from .errors import IllegalAction, TriremeError
from .fault_trace import fault_location, fault_traceback
from .game import Seat, Turn
from .stop_signals import is_stop

REASONS = ("illegal", "exception", "time", "process")
"""Why an agent forfeits."""
MOST_DETAIL = 2000
"""Characters of a forfeit's detail: an agent's error may be as long as it likes."""


class Forfeit(TriremeError):
    """A seat loses by an illegal action, an exception, its clock, or a failed process."""

    def __init__(self, seat: Seat, reason: str, detail: str, traceback: str = "") -> None:
        super().__init__(f"seat {seat} forfeits ({reason}): {detail}")
        self.seat, self.reason, self.detail = seat, reason, detail
        self.traceback = traceback
        """Where in the agent's code the error was raised, as Python prints it; "" if unknown."""


class AgentFault(Exception):
    """Raised by an agent to forfeit for a reason of its own, such as a lost process."""

    reason: ClassVar[str] = "exception"
    traceback_text: str = ""
    """The traceback of the process in which the agent failed."""


def fault_of(seat: Seat, error: BaseException) -> Forfeit:
    """The forfeit of `seat`, whatever its agent has raised: it can't blame another seat."""
    reason, trace = "exception", ""
    detail = describe_error(error)
    try:
        if isinstance(error, AgentFault | Forfeit) and error.reason in REASONS:
            reason = str(error.reason)
        if isinstance(error, Forfeit):
            detail, trace = bounded(str(error.detail)), str(error.traceback)
        elif isinstance(error, AgentFault):
            trace = str(error.traceback_text)
        else:
            trace = fault_traceback(error)
            where = fault_location(error)
            if where and where not in detail:
                detail = bounded(f"{detail} ({where})")
    except BaseException as fault:  # an exception's class may be the agent's own
        if is_stop(fault):
            raise
    return Forfeit(seat, reason, detail, trace)


def describe_error(error: BaseException) -> str:
    """The error in one line of bounded length, even if its own text can't be had."""
    try:
        text = str.__str__(str(error)) or _raised_at(error)
        return bounded(text if isinstance(error, AgentFault) else f"{type(error).__name__}: {text}")
    except BaseException as fault:
        if is_stop(fault):
            raise
        name = type.__dict__["__name__"].__get__(type(error))
        return bounded(f"{name}: (an error whose text can't be had)")


def _raised_at(error: BaseException) -> str:
    where = fault_location(error)
    return f"raised in {where}" if where else ""


def bounded(text: str) -> str:
    """Text that fits into a record: its beginning, where it is long."""
    text = text[: MOST_DETAIL + 1].encode("utf-8", "replace").decode()
    return text if len(text) <= MOST_DETAIL else f"{text[: MOST_DETAIL - 1]}…"


def shown(value: object) -> str:
    """A value as text of bounded length, even if it does not let itself be shown."""
    try:
        return bounded(str.__str__(repr(value)))
    except BaseException as fault:
        if is_stop(fault):
            raise
        return "(which can't be shown)"


def why_illegal(turn: Turn[Any, Any], action: Any, error: BaseException) -> str:
    """Why `action` was refused with `error`: first of all, whether its type is another one."""
    if unread := why_unread(turn.game, turn.seat, action):
        return bounded(unread)
    if wrong := _expected(turn, action):
        return bounded(wrong)
    if isinstance(error, IllegalAction):
        return bounded(str(error))
    return bounded(f"{shown(action)} is no action: {describe_error(error)}")


def _expected(turn: Turn[Any, Any], action: object) -> str | None:
    """What this game expects, with an example, unless `action` is of the type of legal ones."""
    example = turn.legal.sample(np.random.default_rng(0))
    if isinstance(action, type(example)):
        return None
    forms = f"text such as {turn.game.write(example)!r}"
    if turn.game.action_forms:
        forms += f", {turn.game.action_forms}"
    return (
        f"expected {type(example).__name__}, such as {shown(example)}, or {forms};"
        f" not the {type(action).__name__} {shown(action)}"
    )
