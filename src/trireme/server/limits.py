"""Every limit that protects clients from each other, and the token buckets that enforce rates."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerLimits:
    """What the server allows; rates are per second."""

    message_bytes: int = 16 * 1024
    body_bytes: int = 2 * 1024 * 1024
    message_rate: float = 20
    message_burst: int = 60
    request_rate: float = 10
    request_burst: int = 100
    """REST requests from one address."""
    room_rate: float = 0.5
    room_burst: int = 30
    """New rooms from one address."""
    rooms: int = 5_000
    """Rooms in memory; finished and empty ones are evicted."""
    connections: int = 5_000
    connections_per_address: int = 100
    spectators: int = 200
    """Spectators of one room."""
    outbox: int = 256
    """Messages queued for a slow client before it is disconnected (backpressure)."""
    claim_seconds: float = 60
    """How long a player must be away before another may claim the win."""
    idle_seconds: float = 120
    """How long an empty room stays in memory."""
    agent_seconds: float = 10
    """The longest thinking time of an agent for one move."""
    agent_grace: float = 10
    """Seconds beyond its thinking time after which an agent's process is killed."""
    prepare_seconds: float = 300
    """The longest time for compiling and loading before an agent's first move."""
    query_seconds: float = 5
    """The longest thinking time for a hint or an insight."""
    queries: int = 64
    """Hints and insights that may wait for a worker."""
    review_rate: float = 0.2
    review_burst: int = 20
    """New reviews from one address."""
    reviews: int = 8
    """Reviews that are computed at the same time."""
    replay_moves: int = 2_000
    """Moves of an imported record."""


class TokenBucket:
    """A token bucket: allows `burst` at once and `rate` per second in the long run."""

    def __init__(self, rate: float, burst: int, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._updated = float(burst), now

    def take(self, now: float) -> bool:
        """Take a token at time `now` (seconds); False if there is none."""
        self._tokens = min(self._burst, self._tokens + (now - self._updated) * self._rate)
        self._updated = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


class RateLimiter:
    """A token bucket for each address; the least recently used are dropped beyond `max_keys`."""

    def __init__(self, rate: float, burst: int, max_keys: int = 10_000) -> None:
        self._rate, self._burst, self._max_keys = rate, burst, max_keys
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def take(self, key: str, now: float) -> bool:
        bucket = self._buckets.setdefault(key, TokenBucket(self._rate, self._burst, now))
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._max_keys:
            self._buckets.popitem(last=False)
        return bucket.take(now)
