"""The run folder: everything a match writes, and everything it needs to resume.

match.json      what is played; enough to resume
results.jsonl   one line a finished game, in the order in which they ended
records/        the record of every game, by its number in the schedule, and beside it the
                transcript of what agents exchanged with language models, and the diagnosis:
                forfeits with their tracebacks, and what agents printed
workers.log     what agents printed
report.json     the standing, for programs
report.html     the standing, for people
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from trireme.core.errors import RecordError, TriremeError, why_unreadable
from trireme.core.transcript import transcript_path

from .diagnosis import MAX_PRINTED, diagnosis_path
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
        self._head = head
        self._printed = 0

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
        folder = cls(path, match, fixtures, head)
        folder._write_head(match.seed)
        return folder

    @contextmanager
    def seed_hidden(self) -> Iterator[None]:
        """Keep a secret seed out of the folder while games are played."""
        if not self.match.secret_seed:
            yield
            return
        self._write_head(None)
        try:
            yield
        finally:
            self._write_head(self.match.seed)

    def _write_head(self, seed: int | None) -> None:
        head = {**self._head, "match": {**self._head["match"], "seed": seed}}
        text = msgspec.json.format(msgspec.json.encode(head), indent=2)
        replace_file(self.path / "match.json", text + b"\n")

    @classmethod
    def open(cls, path: Path, agents: Iterable[Any] = (), seed: int | None = None) -> Folder:
        """The folder of a run that was stopped, or is done.

        `seed` is needed only where the run was killed while its seed was secret.
        """
        try:
            head = msgspec.json.decode((path / "match.json").read_bytes())
        except OSError as error:
            why = "it has no match.json" if isinstance(error, FileNotFoundError) else error.strerror
            raise TriremeError(f"{str(path)!r} is no run folder: {why}") from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise TriremeError(
                f"{str(path / 'match.json')!r} can't be read: {why_unreadable(error)}"
            ) from None
        if not isinstance(head, dict) or head.get("arena") != FORMAT:
            raise TriremeError(f"{str(path)!r} was made by another version of the arena")
        if head["match"]["seed"] is None:
            if seed is None:
                raise TriremeError(
                    f"{str(path)!r} was killed before it could store its seed: give the seed that"
                    " was printed when it began (--seed)"
                )
            head["match"]["seed"] = seed
        match = from_plain(head["match"], agents)
        fixtures = list(schedule(match))  # later stages follow from results: see `progress_of`
        if schedule_hash(match, fixtures) != head["schedule_hash"]:
            raise TriremeError(
                f"the schedule of {str(path)!r} can't be made again: the seed is another, or the"
                f" rules or the starts of {match.game.name} have changed since"
            )
        return cls(path, match, fixtures, head)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other programs from running the same match at the same time."""
        with exclusive(self.path / "match.json", f"the match in {str(self.path)!r}"):
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
            except (msgspec.DecodeError, RecursionError) as error:
                why = why_unreadable(error)
                raise RecordError(f"not a result of {str(file)!r}: {why}", number) from None
            found[outcome.number] = outcome
        return found

    def withdraw(self, numbers: Collection[int]) -> list[Played]:
        """Take finished games out of the folder, to be added again later."""
        found = self.outcomes()
        taken = []
        for number in numbers:
            try:
                record = self.record_path(number).read_text(encoding="utf-8")
            except OSError:  # it will be played again
                continue
            transcript = transcript_path(self.record_path(number))
            said = transcript.read_text(encoding="utf-8") if transcript.exists() else ""
            diagnosis = diagnosis_path(self.record_path(number))
            why = diagnosis.read_text(encoding="utf-8") if diagnosis.exists() else ""
            taken.append(Played(found[number], record, said, why))
        kept = b"".join(
            msgspec.json.encode(outcome) + b"\n"
            for number, outcome in found.items()
            if number not in numbers
        )
        replace_file(self.path / "results.jsonl", kept)
        for number in numbers:
            self.record_path(number).unlink(missing_ok=True)
            transcript_path(self.record_path(number)).unlink(missing_ok=True)
            diagnosis_path(self.record_path(number)).unlink(missing_ok=True)
        return taken

    def record_path(self, number: int) -> Path:
        return self.path / "records" / f"{number:06d}.jsonl"

    def add(self, played: Played) -> None:
        """Keep a game: its record first, so that every result has one."""
        record = self.record_path(played.outcome.number)
        if played.transcript:
            transcript_path(record).write_text(played.transcript, encoding="utf-8")
        if played.diagnosis and (played.outcome.forfeits or self._printed < MAX_PRINTED):
            self._printed += len(played.diagnosis)
            diagnosis_path(record).write_text(played.diagnosis, encoding="utf-8")
        record.write_text(played.record, encoding="utf-8")
        with (self.path / "results.jsonl").open("ab") as results:
            results.write(msgspec.json.encode(played.outcome) + b"\n")


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    fresh = path.with_suffix(".new")
    fresh.write_bytes(data)
    fresh.replace(path)


@contextmanager
def exclusive(path: Path, what: str) -> Iterator[None]:
    """Hold a lock on a file, so that no other program runs `what` at the same time."""
    with path.open("rb") as held:
        if fcntl is not None:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise TriremeError(f"another program is running {what}") from None
        yield
