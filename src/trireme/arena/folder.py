"""The run folder: everything a match writes, and everything it needs to resume.

match.json      what is played; enough to resume
results.jsonl   one line a finished game, in the order in which they ended
records/        the record of every game, by its number in the schedule
workers.log     what agents printed
report.json     the standing, for programs
report.html     the standing, for people
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from trireme.core.errors import RecordError, TriremeError

from .match import Match, from_plain, to_plain
from .outcome import Outcome, Played
from .schedule import Fixture, schedule, schedule_hash

try:
    import fcntl
except ImportError:  # no such locks on Windows
    fcntl = None  # type: ignore[assignment]

FORMAT = 1


class Folder:
    """A run folder; only one program at a time may write to it."""

    def __init__(
        self, path: Path, match: Match, fixtures: list[Fixture], head: dict[str, Any]
    ) -> None:
        self.path, self.match, self.fixtures = path, match, fixtures
        self.run_id: str = head["run_id"]
        self.schedule_hash: str = head["schedule_hash"]

    @classmethod
    def create(cls, path: Path, match: Match) -> Folder:
        """A new folder for a match; refuses one that holds a run already."""
        if (path / "match.json").exists():
            raise TriremeError(f"{str(path)!r} holds a run already: resume it, or choose another")
        (path / "records").mkdir(parents=True, exist_ok=True)
        fixtures = list(schedule(match))
        head = {
            "arena": FORMAT,
            "run_id": uuid4().hex,
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "schedule_hash": schedule_hash(match, fixtures),
            "match": to_plain(match),
        }
        text = msgspec.json.format(msgspec.json.encode(head), indent=2)
        (path / "match.json").write_bytes(text + b"\n")
        return cls(path, match, fixtures, head)

    @classmethod
    def open(cls, path: Path, agents: Iterable[Any] = ()) -> Folder:
        """The folder of a run that was stopped, or is done."""
        try:
            head = msgspec.json.decode((path / "match.json").read_bytes())
        except OSError:
            raise TriremeError(f"{str(path)!r} is no run folder: it has no match.json") from None
        except msgspec.DecodeError as error:
            raise TriremeError(f"{str(path / 'match.json')!r} can't be read: {error}") from None
        if head.get("arena") != FORMAT:
            raise TriremeError(f"{str(path)!r} was made by another version of the arena")
        match = from_plain(head["match"], agents)
        fixtures = list(schedule(match))
        if schedule_hash(match, fixtures) != head["schedule_hash"]:
            raise TriremeError(
                f"the schedule of {str(path)!r} can't be made again: the rules or the starts of"
                f" {match.game.name} have changed since"
            )
        return cls(path, match, fixtures, head)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other programs from running the same match at the same time."""
        with (self.path / "match.json").open("rb") as held:
            if fcntl is not None:
                try:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    raise TriremeError(
                        f"another program is running the match in {str(self.path)!r}"
                    ) from None
            yield

    def outcomes(self) -> dict[int, Outcome]:
        """The finished games by number. A last line that was cut off is removed from the file."""
        file = self.path / "results.jsonl"
        data = file.read_bytes() if file.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            with file.open("r+b") as results:
                results.truncate(len(whole))
        found: dict[int, Outcome] = {}
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                outcome = msgspec.json.decode(line, type=Outcome)
            except msgspec.DecodeError as error:
                raise RecordError(f"not a result of {str(file)!r}: {error}", number) from None
            found[outcome.number] = outcome
        return found

    def record_path(self, number: int) -> Path:
        return self.path / "records" / f"{number:06d}.jsonl"

    def add(self, played: Played) -> None:
        """Keep a game: its record first, so that every result has one."""
        self.record_path(played.outcome.number).write_text(played.record, encoding="utf-8")
        with (self.path / "results.jsonl").open("ab") as results:
            results.write(msgspec.json.encode(played.outcome) + b"\n")
