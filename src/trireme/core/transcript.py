"""Transcripts: what an agent exchanged with a language model, kept beside the record of its game.

A transcript is a file of JSON lines, one for each request, in the order in which they were made.
Its name is the record's with `.transcript.jsonl` at the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from .errors import RecordError, why_unreadable
from .game import Seat

SUFFIX = ".transcript.jsonl"


class Exchange(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One request to a language model and what came of it."""

    model: str
    prompt: str
    """What this request added to the conversation."""
    answer: str = ""
    """The model's text; empty where the request failed."""
    action: str | None = None
    """The action that was read from the answer, if it is legal."""
    problem: str = ""
    """Why the answer was refused or the request failed, as the model or the user is told."""
    kind: str = "ok"
    """ok, unreadable, illegal, truncated, or transport (no answer came)."""
    system: str = ""
    """The system prompt, in the first exchange that used it."""
    tokens_in: int = 0
    tokens_out: int = 0
    estimated: bool = False
    """Whether tokens are estimated from the text, because the endpoint did not count them."""
    cost: float = 0.0
    """Dollars, by the prices that were given as options."""
    seconds: float = 0.0
    cached: bool = False
    """Whether the answer came from the cache: no request was made, and it cost nothing."""
    seat: Seat = 0
    move: int = 0
    """The number of the move that the exchange is about, as in the record (`move_no`)."""


def take_exchanges(agent: object, seat: Seat, move: int) -> list[Exchange]:
    """The exchanges of an agent since the last call, stamped with their seat and move; none for
    agents that have no method `take_exchanges`."""
    take = getattr(agent, "take_exchanges", None)
    if not callable(take):
        return []
    return [msgspec.structs.replace(e, seat=seat, move=move) for e in take()]


def transcript_path(record: Path) -> Path:
    """Where the transcript of a record lies."""
    return record.with_name(record.name.removesuffix(".jsonl") + SUFFIX)


def write_transcript(exchanges: Iterable[Exchange]) -> str:
    """Exchanges as JSON lines."""
    return "".join(msgspec.json.encode(e).decode() + "\n" for e in exchanges)


def append_transcript(record: Path, exchanges: Iterable[Exchange]) -> None:
    """Add exchanges to the transcript beside a record; without any, no file is made."""
    if text := write_transcript(exchanges):
        with transcript_path(record).open("a", encoding="utf-8") as file:
            file.write(text)


def read_transcript(text: str) -> list[Exchange]:
    """The exchanges in `text`; a last line that was cut off is left out."""
    found = []
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        try:
            found.append(msgspec.json.decode(line.encode(), type=Exchange))
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
            raise RecordError(
                f"not a line of a transcript: {why_unreadable(error)}", number
            ) from None
    return found


def load_transcript(record: Path) -> list[Exchange]:
    """The transcript beside a record; empty where there is none."""
    try:
        return read_transcript(transcript_path(record).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []


def totals(exchanges: Iterable[Exchange]) -> dict[str, Any]:
    """What exchanges cost and how many answers had to be asked for again."""
    counted: dict[str, Any] = {"requests": 0, "tokens_in": 0, "tokens_out": 0, "cost": 0.0}
    counted |= dict.fromkeys(("ok", "unreadable", "illegal", "truncated", "transport"), 0)
    for exchange in exchanges:
        counted["requests"] += 1
        counted["tokens_in"] += exchange.tokens_in
        counted["tokens_out"] += exchange.tokens_out
        counted["cost"] += exchange.cost
        counted[exchange.kind] = counted.get(exchange.kind, 0) + 1
    return counted
