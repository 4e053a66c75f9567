"""Every limit that keeps one client from harming the others, in one place."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What the server allows; rates are per second."""

    message_bytes: int = 16 * 1024
    body_bytes: int = 2 * 1024 * 1024
    message_rate: float = 20
    message_burst: int = 60
    request_rate: float = 10
    request_burst: int = 100
    """REST requests of one address."""
    room_rate: float = 0.5
    room_burst: int = 30
    """New rooms of one address."""
    rooms: int = 5_000
    """Rooms in memory; finished and deserted ones leave it."""
    connections: int = 5_000
    connections_of_one: int = 100
    """Connections of one address."""
    spectators: int = 200
    """Spectators of one room."""
    outbox: int = 256
    """Messages that a client may be behind before it is closed."""
    idle_seconds: float = 120
    """How long a deserted room stays in memory."""
    agent_seconds: float = 10
    """The most that an agent may think about one move."""
    agent_grace: float = 10
    """Seconds over its budget after which an agent's process is killed."""
    prepare_seconds: float = 300
    """The most that compiling and loading may take before an agent's first move."""
    question_seconds: float = 5
    """The most that a hint or an insight may think."""
    questions: int = 64
    """Hints and insights that may wait for a worker."""
    replay_moves: int = 2_000
    """Moves of an imported record."""


class Bucket:
    """Lets so many through at once, and so many a second in the long run."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = float(burst), now

    def take(self, now: float) -> bool:
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Buckets:
    """A bucket for each address, the longest unused ones forgotten first."""

    def __init__(self, rate: float, burst: int, most: int = 10_000) -> None:
        self._rate, self._burst, self._most = rate, burst, most
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, key: str, now: float) -> bool:
        bucket = self._buckets.setdefault(key, Bucket(self._rate, self._burst, now))
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
        return bucket.take(now)
