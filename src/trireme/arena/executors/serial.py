"""The serial executor: all games in this process, one after another; good for debuggers.

An agent that hangs in Python code is interrupted. One that kills its process or hangs inside a
compiled library takes this program with it: such agents need the processes executor.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

from trireme.arena.job import Job, RecordMonitor
from trireme.arena.outcome import Played
from trireme.arena.player import FixturePlayer
from trireme.arena.schedule import Fixture
from trireme.core.seeding import global_generator_state, set_global_generators

from .log import cap_log


class Serial:
    """Plays in schedule order."""

    def __init__(self, job: Job, log: Path | None = None) -> None:
        self._job, self._path = job, log or Path(os.devnull)
        self._monitor = RecordMonitor()

    def __enter__(self) -> Serial:
        self._log = self._path.open("a", encoding="utf-8", errors="backslashreplace")
        self._player = FixturePlayer(self._job, self._log.fileno())
        return self

    def __exit__(self, *_: object) -> None:
        self._player.close()
        self._log.close()
        cap_log(self._path)

    def running(self) -> list[str]:
        record = self._monitor.record()
        return [record] if record else []

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]:
        kept = global_generator_state()
        try:
            for fixture in fixtures:
                with redirect_stdout(self._log):
                    done = self._player.play(fixture, self._monitor)
                self._log.flush()
                cap_log(self._path)
                yield done
        finally:
            set_global_generators(kept)
