"""What an agent reports of a move beside its action: its value, a note, and the time it took.

An agent that has an attribute `value` after `act` says how it judges the position it moved in: its
expected return, from -1 (lost) to 1 (won). An attribute `note` is text for people. Both are
optional, go into the record, and change nothing in the game.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .game import Seat
from .stop_signals import is_stop

MOST_NOTE = 2000
"""Characters of a note that are kept."""


@dataclass(frozen=True)
class MoveReport:
    """One seat's part of a move."""

    seconds: float
    value: float | None = None
    note: str = ""


def read_report(agent: object, seconds: float) -> MoveReport:
    """What `agent` says of its last move; what is no value or no text counts as nothing."""
    try:
        value, note = getattr(agent, "value", None), getattr(agent, "note", None)
        return MoveReport(seconds, _value(value), _note(note))
    except BaseException as error:  # attributes may run an agent's own code
        if is_stop(error):
            raise
        return MoveReport(seconds)


def report_fields(reports: Mapping[Seat, MoveReport]) -> dict[str, dict[str, Any]]:
    """The reports as fields of a record's line: `seconds`, `values` and `notes` by seat."""
    fields: dict[str, dict[str, Any]] = {}
    for seat, report in sorted(reports.items()):
        fields.setdefault("seconds", {})[str(seat)] = round(report.seconds, 6)
        if report.value is not None:
            fields.setdefault("values", {})[str(seat)] = round(report.value, 4)
        if report.note:
            fields.setdefault("notes", {})[str(seat)] = report.note
    return fields


def _value(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    number = float(value)
    return max(-1.0, min(1.0, number)) if math.isfinite(number) else None


def _note(note: object) -> str:
    if type(note) is not str:
        return ""
    short = note if len(note) <= MOST_NOTE else f"{note[: MOST_NOTE - 1]}…"
    return short.encode("utf-8", "replace").decode()
