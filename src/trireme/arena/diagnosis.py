"""Diagnoses: why an agent forfeited a game, its traceback and what it printed.

A game's diagnosis is `records/NNNNNN.diagnosis.json` in the run folder. Games without a forfeit in
which nobody printed anything have none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from trireme.core.errors import TriremeError, why_unreadable
from trireme.core.game import Seat
from trireme.core.record import Forfeited

MAX_PRINTED = 64 << 20
"""Bytes of diagnoses that a run folder keeps of games without forfeits: agents may print a lot."""
_PLACE = re.compile(r"([^\s()]+\.\w+), line (\d+)\)?$")


class SeatDiagnosis(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One seat of a game: why it forfeited, if it did, and what it printed."""

    seat: Seat
    agent: str
    reason: str = ""
    """`illegal`, `exception`, `time` or `process`; "" where it did not forfeit."""
    detail: str = ""
    file: str = ""
    """Where its code failed: the name of the file, and the line; "" and 0 if unknown."""
    line: int = 0
    traceback: str = ""
    """The end of Python's traceback, from the agent's own code on."""
    output: str = ""
    """The end of what it printed or wrote to standard error during the game."""


class Diagnosis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's diagnosis, by seats that forfeited or printed."""

    game: int
    seats: tuple[SeatDiagnosis, ...]


def place_of(detail: str) -> tuple[str, int]:
    """The file and line that a forfeit's detail ends with; "" and 0 where it names none.

    >>> place_of("ValueError: no move (my_bot.py, line 12)")
    ('my_bot.py', 12)
    """
    found = _PLACE.search(detail)
    return (found[1], int(found[2])) if found else ("", 0)


def diagnose(
    game: int,
    agents: Sequence[str],
    forfeits: Sequence[Forfeited],
    tracebacks: Mapping[Seat, str],
    outputs: Sequence[str],
) -> str:
    """The diagnosis of a game as JSON; "" where there is nothing to say."""
    faults = {forfeit.seat: forfeit for forfeit in forfeits}
    seats = []
    for seat, (agent, output) in enumerate(zip(agents, outputs, strict=True)):
        fault = faults.get(seat)
        if fault is not None:
            file, line = place_of(fault.detail)
            trace = tracebacks.get(seat, "")
            seats.append(
                SeatDiagnosis(seat, agent, fault.reason, fault.detail, file, line, trace, output)
            )
        elif output:
            seats.append(SeatDiagnosis(seat, agent, output=output))
    if not seats:
        return ""
    encoded = msgspec.json.encode(Diagnosis(game, tuple(seats)))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def diagnosis_path(record: Path) -> Path:
    """Where the diagnosis of a record's game lies."""
    return record.with_suffix(".diagnosis.json")


def load_diagnosis(record: Path) -> Diagnosis | None:
    """The diagnosis beside a record; None where there is none."""
    path = diagnosis_path(record)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Diagnosis)
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, RecursionError) as error:
        raise TriremeError(f"{str(path)!r} is no diagnosis: {why_unreadable(error)}") from None
