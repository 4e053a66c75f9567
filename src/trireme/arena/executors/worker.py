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

from trireme.arena.outcome import Played
from trireme.arena.player import Job, play_fixture
from trireme.arena.schedule import Fixture
from trireme.core.game import Seat

SEND_AFTER = 0.1
"""Seconds of finished work that travel together; what a dying worker loses at most."""
_NOBODY = -1
_DOING = struct.Struct("=qqqd")
_LENGTH = struct.Struct("=q")
_RECORD = _DOING.size + _LENGTH.size
_SIZE = 4 << 20
"""Bytes of a logbook: more than any game's record takes; what is not written takes no room."""


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
    """A file in shared memory through which a worker is watched: what it does, and the record of
    its game. It costs the worker no system call, and outlives it, however it died."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if create:
            with path.open("wb") as file:
                file.truncate(_SIZE)
        with path.open("r+b") as file:
            self._map = mmap(file.fileno(), _SIZE)
        self._game, self._question, self._written = -1, 0, 0
        if create:
            self.rest()

    def close(self) -> None:
        self._map.close()

    def begin(self, number: int) -> None:
        self._game, self._question, self._written = number, 0, 0
        _LENGTH.pack_into(self._map, _DOING.size, 0)
        self.rest()

    def busy(self, seat: Seat, patience: float) -> None:
        self._question += 1
        _DOING.pack_into(self._map, 0, self._game, seat, self._question, patience)

    def rest(self) -> None:
        _DOING.pack_into(self._map, 0, self._game, _NOBODY, self._question, 0.0)

    def line(self, text: str) -> None:
        data = text.encode()
        at = _RECORD + self._written
        if at + len(data) <= _SIZE:
            self._map[at : at + len(data)] = data
            self._written += len(data)
            _LENGTH.pack_into(self._map, _DOING.size, self._written)

    def doing(self) -> Doing:
        """What the worker is at now, or was when it died."""
        return Doing(*_DOING.unpack_from(self._map, 0))

    def record(self) -> str:
        """The record of the game that it is at, as far as it was written."""
        (length,) = _LENGTH.unpack_from(self._map, _DOING.size)
        return self._map[_RECORD : _RECORD + length].decode()


def main(descriptor: int) -> None:
    """A worker's life: get the job, announce itself, play what comes until the link closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    link = Connection(descriptor)
    paths, logbook_path, packed = link.recv()
    sys.path[:] = paths
    job: Job = cloudpickle.loads(packed)
    logbook = Logbook(logbook_path)
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
