"""The outcome of one game of a match, and the hash by which two runs are compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from trireme.core.record import Forfeited, Record
from trireme.core.transcript import Exchange, write_transcript


class Outcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One finished game: a line of a run folder's results."""

    number: int
    returns: tuple[float, ...]
    moves: int
    fingerprint: str
    """The hash of what was played and how it ended."""
    seconds: tuple[float, ...]
    """Thinking time of every seat, in total."""
    decisions: tuple[int, ...]
    """How often every seat was asked."""
    forfeits: tuple[Forfeited, ...] = ()


@dataclass(frozen=True)
class Played:
    """An outcome on its way from where it was played, with the game's record."""

    outcome: Outcome
    record: str
    transcript: str = ""
    """What agents exchanged with language models (`core/transcript.py`)."""
    diagnosis: str = ""
    """Forfeits with their tracebacks, and what agents printed (`diagnosis.py`)."""
    duration: float = 0.0
    """Seconds that the game took where it was played, with all that is not thinking."""


def played(
    number: int,
    record: Record,
    seconds: tuple[float, ...],
    decisions: tuple[int, ...],
    exchanges: tuple[Exchange, ...] = (),
    diagnosis: str = "",
    duration: float = 0.0,
) -> Played:
    """The outcome of a finished game, from its record."""
    assert record.end is not None
    outcome = Outcome(
        number,
        record.end.returns,
        len(record.moves),
        record.fingerprint(),
        seconds,
        decisions,
        record.end.forfeits,
    )
    return Played(outcome, record.text, write_transcript(exchanges), diagnosis, duration)


def results_hash(outcomes: Iterable[Outcome]) -> str:
    """A hash of every game played and its end: equal runs give equal hashes, in any order."""
    results = sorted((o.number, o.fingerprint) for o in outcomes)
    return hashlib.sha256(msgspec.json.encode(results)).hexdigest()[:16]
