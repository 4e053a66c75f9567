"""The serial executor: all games in this process, one after another; good for debuggers.

An agent that hangs in Python code is interrupted. One that kills its process or hangs inside a
compiled library takes this program with it: such agents need the processes executor.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

from trireme.arena.outcome import Played
from trireme.arena.player import Job, NoMonitor, play_fixture
from trireme.arena.schedule import Fixture


class Serial:
    """Plays in schedule order."""

    def __init__(self, job: Job, log: Path | None = None) -> None:
        self._job, self._log = job, log or Path(os.devnull)

    def __enter__(self) -> Serial:
        return self

    def __exit__(self, *_: object) -> None: ...

    def run(self, fixtures: Sequence[Fixture]) -> Iterator[Played]:
        kept, kept_numpy = random.getstate(), np.random.get_state()
        try:
            with self._log.open("a", encoding="utf-8") as log:
                for fixture in fixtures:
                    with redirect_stdout(log):
                        done = play_fixture(self._job, fixture, NoMonitor())
                    yield done
        finally:
            random.setstate(kept)
            np.random.set_state(kept_numpy)
