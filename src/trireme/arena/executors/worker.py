"""A worker: a process of its own that plays chunks of fixtures and tells what it is doing."""

from __future__ import annotations

import signal
import struct
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from mmap import mmap
from multiprocessing.connection import Connection
from pathlib import Path

import cloudpickle  # type: ignore[import-untyped]

from trireme.core.game import Seat

from ..outcome import Played
from ..player import Job, play_fixture
from ..schedule import Fixture

SEND_AFTER = 0.1
"""Seconds of finished work that travel together; what a dying worker loses at most."""
_NOBODY = -1
_LAYOUT = struct.Struct("=qqqd")


@dataclass(frozen=True)
class Doing:
    """What a worker is at: a game, the seat that it asks, the how-manieth question of the game."""

    game: int
    seat: Seat
    question: int
    patience: float
    """Seconds that the answer may take."""

    @property
    def busy(self) -> bool:
        return self.seat != _NOBODY


class Logbook:
    """Two small files through which a worker is watched: what it does, and the game's record.

    Files outlive the worker that wrote them, however it died.
    """

    def __init__(self, folder: Path, *, create: bool = False) -> None:
        self._doing = folder / "doing"
        self._record = folder / "record"
        if create:
            self._doing.write_bytes(_LAYOUT.pack(-1, _NOBODY, 0, 0.0))
            self._record.write_bytes(b"")
        self._open = self._doing.open("r+b")
        self._map = mmap(self._open.fileno(), _LAYOUT.size)
        self._lines = self._record.open("r+b", buffering=0)
        self._game, self._question = -1, 0

    def close(self) -> None:
        self._map.close()
        self._open.close()
        self._lines.close()

    def begin(self, number: int) -> None:
        self._game, self._question = number, 0
        self._lines.seek(0)
        self._lines.truncate()
        self.rest()

    def busy(self, seat: Seat, patience: float) -> None:
        self._question += 1
        _LAYOUT.pack_into(self._map, 0, self._game, seat, self._question, patience)

    def rest(self) -> None:
        _LAYOUT.pack_into(self._map, 0, self._game, _NOBODY, self._question, 0.0)

    def line(self, text: str) -> None:
        self._lines.write(text.encode())

    def doing(self) -> Doing:
        """What the worker is at now, or was when it died."""
        return Doing(*_LAYOUT.unpack_from(self._map, 0))

    def record(self) -> str:
        """The record of the game that it is at, as far as it was written."""
        return self._record.read_text(encoding="utf-8")


def main(descriptor: int) -> None:
    """A worker's life: get the job, announce itself, play what comes until the link closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    link = Connection(descriptor)
    paths, folder, packed = link.recv()
    sys.path[:] = paths
    job: Job = cloudpickle.loads(packed)
    logbook = Logbook(folder)
    link.send([])
    with suppress(EOFError, OSError):
        while True:
            _play(link, job, logbook, link.recv())


def _play(link: Connection, job: Job, logbook: Logbook, chunk: list[Fixture]) -> None:
    done: list[Played] = []
    began = time.monotonic()
    for fixture in chunk:
        done.append(play_fixture(job, fixture, logbook))
        if time.monotonic() - began > SEND_AFTER:
            link.send(done)
            done, began = [], time.monotonic()
    if done:
        link.send(done)
