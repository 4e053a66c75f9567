"""A worker process: plays chunks of fixtures, and reports its activity through shared memory."""

from __future__ import annotations

import os
import struct
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from mmap import mmap
from multiprocessing.connection import Connection

import cloudpickle  # type: ignore[import-untyped]

from trireme.arena.job import Job
from trireme.arena.outcome import Played
from trireme.arena.player import FixturePlayer
from trireme.arena.schedule import Fixture
from trireme.core.game import Seat
from trireme.core.stop_signals import ignore_interrupts

SEND_AFTER = 0.1
"""Seconds of finished work that are sent together: the most that a dying worker loses."""
_NOBODY = -1
_ACTIVITY = struct.Struct("=qqqd")
_LENGTH = struct.Struct("=q")
_RECORD = _ACTIVITY.size + _LENGTH.size
_SIZE = 4 << 20
"""Bytes of an activity log: more than any game's record; unwritten pages take no memory."""


@dataclass(frozen=True)
class Activity:
    """What a worker is doing: the game, the seat whose agent it calls, the number of the call."""

    game: int
    seat: Seat
    call: int
    timeout: float
    """Seconds that the call may take."""

    @property
    def busy(self) -> bool:
        return self.seat != _NOBODY


class ActivityLog:
    """A memory-mapped file that the parent reads: its worker's activity and current record.

    Writing to it costs the worker no system call, and it outlives the worker, however that died.
    """

    def __init__(self, descriptor: int, *, create: bool = False) -> None:
        """`descriptor` is that of a file without a name: no other process can open it."""
        if create:
            os.ftruncate(descriptor, _SIZE)
        self._map = mmap(descriptor, _SIZE)
        self._game, self._call, self._written = -1, 0, 0
        if create:
            self.idle()

    def close(self) -> None:
        self._map.close()

    def begin(self, number: int) -> None:
        self._game, self._call, self._written = number, 0, 0
        _LENGTH.pack_into(self._map, _ACTIVITY.size, 0)
        self.idle()

    def busy(self, seat: Seat, timeout: float) -> None:
        self._call += 1
        _ACTIVITY.pack_into(self._map, 0, self._game, seat, self._call, timeout)

    def idle(self) -> None:
        _ACTIVITY.pack_into(self._map, 0, self._game, _NOBODY, self._call, 0.0)

    def line(self, text: str) -> None:
        data = text.encode()
        at = _RECORD + self._written
        if at + len(data) <= _SIZE:
            self._map[at : at + len(data)] = data
            self._written += len(data)
            _LENGTH.pack_into(self._map, _ACTIVITY.size, self._written)

    def activity(self) -> Activity:
        """What the worker is doing now, or was doing when it died."""
        return Activity(*_ACTIVITY.unpack_from(self._map, 0))

    def record(self) -> str:
        """The record of the current game, as far as it was written."""
        (length,) = _LENGTH.unpack_from(self._map, _ACTIVITY.size)
        return self._map[_RECORD : _RECORD + length].decode()


def main(link_descriptor: int, log_descriptor: int) -> None:
    """The entry point: receive the job, report readiness, play chunks until the pipe closes."""
    ignore_interrupts()
    link = Connection(link_descriptor)
    paths, packed = link.recv()
    sys.path[:] = paths
    job: Job = cloudpickle.loads(packed)
    activity_log = ActivityLog(log_descriptor)
    os.close(log_descriptor)
    player = FixturePlayer(job, sys.stderr.fileno())
    link.send([])
    with suppress(EOFError, OSError):
        while True:
            _play(link, player, activity_log, link.recv())
    player.close()


def _play(
    link: Connection, player: FixturePlayer, activity_log: ActivityLog, chunk: list[Fixture]
) -> None:
    done: list[Played] = []
    began = time.monotonic()
    for fixture in chunk:
        done.append(player.play(fixture, activity_log))
        if time.monotonic() - began > SEND_AFTER:
            link.send(done)
            done, began = [], time.monotonic()
    if done:
        link.send(done)
