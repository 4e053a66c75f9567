"""Every limit that protects clients from each other, and the quotas by address (token buckets)."""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from trireme.server.protocol.codes import Refusal

Resource = Literal["requests", "pages", "messages", "rooms", "cpu", "bytes"]
"""What an address has a quota of; sockets are counted where they are open."""
SERVER = ""
"""The address of the server's own work, which no quota limits."""


@dataclass(frozen=True)
class ServerLimits:
    """What the server allows; rates are per second."""

    message_bytes: int = 16 * 1024
    body_bytes: int = 2 * 1024 * 1024
    settings_bytes: int = 128 * 1024
    """A body that holds settings or a map, no record."""
    message_rate: float = 20
    message_burst: int = 60
    """Messages of one connection."""
    address_message_rate: float = 100
    address_message_burst: int = 1_000
    """Messages of all connections of one address."""
    request_rate: float = 10
    request_burst: int = 100
    """REST requests, new WebSockets and complete positions sent again (`sync`) of one address."""
    page_rate: float = 50
    page_burst: int = 500
    """Requests for anything else: pages, their files, health and metrics."""
    room_rate: float = 0.5
    room_burst: int = 30
    """New rooms from one address, rematches included."""
    cpu_rate: float = 0.5
    cpu_burst: float = 60
    """Seconds of processor time for checks, replays, hints and insights of one address."""
    byte_rate: float = 100 * 1024
    byte_burst: float = 20 * 1024 * 1024
    """Bytes that one address may send in bodies and messages."""
    rooms: int = 5_000
    """Rooms in memory; finished and empty ones are evicted."""
    connections: int = 5_000
    connections_per_address: int = 100
    http_connections_per_address: int = 64
    silent_connections: int = 256
    """Connections that have not sent a whole request yet; beyond it the oldest are closed."""
    keep_alive_seconds: int = 75
    """How long a connection may wait for its next request: longer than proxies and other servers
    keep it, because a request that meets the closing of its connection is lost."""
    header_seconds: float = 10
    """How long a connection may take for the headers of its next request."""
    body_seconds: float = 30
    """How long a request may take for its body."""
    response_seconds: float = 120
    """How long it may take to answer a request and to send the answer."""
    spectators: int = 200
    """Spectators of one room."""
    outbox: int = 256
    outbox_bytes: int = 1024 * 1024
    """Messages, and their characters, queued for a slow client before it is disconnected
    (backpressure); a single message may be longer."""
    claim_seconds: float = 60
    """How long a player must be away before another may claim the win."""
    idle_seconds: float = 120
    """How long an empty room stays in memory."""
    agent_seconds: float = 10
    """The longest thinking time of an agent for one move."""
    agent_grace: float = 10
    """Seconds beyond its thinking time after which an agent's process is killed."""
    short_seconds: float = 2
    """Thinking time up to which a task may use the last free worker: one is kept from longer
    tasks, so that quick ones never wait for it."""
    prepare_seconds: float = 300
    """The longest time for compiling and loading before an agent's first move."""
    check_seconds: float = 1.5
    """Processor time for checking settings or a map, after which they are refused."""
    replay_seconds: float = 10
    """Processor time for replaying a record."""
    checks: int = 16
    """Checks and replays of one address that may wait."""
    query_seconds: float = 5
    """The longest thinking time for a hint or an insight."""
    queries: int = 64
    """Hints and insights that may wait for a worker."""
    queries_per_address: int = 16
    """Those of one address."""
    reviews: int = 8
    """Reviews that are computed at the same time."""
    reviews_per_address: int = 2
    """Those of one address."""
    replay_moves: int = 2_000
    """Moves of an imported record."""


class TokenBucket:
    """A token bucket: allows `burst` at once and `rate` per second in the long run."""

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._tokens, self._updated = float(burst), now

    def take(self, now: float, cost: float = 1) -> bool:
        """Take `cost` tokens at time `now` (seconds); False, and nothing taken, if they lack."""
        if self.wait(now, cost) > 0:
            return False
        self._tokens -= cost
        return True

    def spend(self, now: float, cost: float) -> None:
        """Take tokens for what has been used already; what is lacking becomes a debt."""
        self._refill(now)
        self._tokens -= cost

    def wait(self, now: float, cost: float = 1) -> float:
        """Seconds until `cost` tokens (at most a full bucket) can be taken; 0: now."""
        self._refill(now)
        missing = min(cost, self._burst) - self._tokens
        return 0.0 if missing <= 0 else missing / self._rate if self._rate else math.inf

    def _refill(self, now: float) -> None:
        self._tokens = min(self._burst, self._tokens + (now - self._updated) * self._rate)
        self._updated = now


class RateLimiter:
    """A token bucket for each address; the least recently used are dropped beyond `max_keys`."""

    def __init__(self, rate: float, burst: float, max_keys: int = 10_000) -> None:
        self._rate, self._burst, self._max_keys = rate, burst, max_keys
        self._buckets: OrderedDict[str, TokenBucket] = OrderedDict()

    def bucket(self, key: str, now: float) -> TokenBucket:
        bucket = self._buckets.setdefault(key, TokenBucket(self._rate, self._burst, now))
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._max_keys:
            self._buckets.popitem(last=False)
        return bucket


MESSAGES: dict[Resource, str] = {
    "requests": "too many requests from your network",
    "pages": "too many requests for pages from your network",
    "messages": "too many messages from your network",
    "rooms": "too many new rooms from your network",
    "cpu": "your network has asked for much computing",
    "bytes": "your network has sent very much data",
}


class Quotas:
    """The quotas of all addresses, by resource: the one place that answers `too_fast`. Addresses
    are as `quota_key` gives them.

    `on_charge(resource, cost)` and `on_refuse(resource)` are called for the metrics.
    """

    def __init__(
        self,
        limits: ServerLimits,
        now: Callable[[], float],
        on_charge: Callable[[str, float], None],
        on_refuse: Callable[[str], None],
    ) -> None:
        self._now, self._on_charge, self._on_refuse = now, on_charge, on_refuse
        self._limiters: dict[Resource, RateLimiter] = {
            "requests": RateLimiter(limits.request_rate, limits.request_burst),
            "pages": RateLimiter(limits.page_rate, limits.page_burst),
            "messages": RateLimiter(limits.address_message_rate, limits.address_message_burst),
            "rooms": RateLimiter(limits.room_rate, limits.room_burst),
            "cpu": RateLimiter(limits.cpu_rate, limits.cpu_burst),
            "bytes": RateLimiter(limits.byte_rate, limits.byte_burst),
        }

    def charge(self, resource: Resource, address: str, cost: float = 1) -> None:
        """Take `cost` from the address' quota, or refuse with the time to wait."""
        if address == SERVER:
            return
        bucket, now = self._bucket(resource, address), self._now()
        if not bucket.take(now, cost):
            self._refuse(resource, bucket.wait(now, cost))
        self._on_charge(resource, cost)

    def require(self, resource: Resource, address: str) -> None:
        """Refuse an address that is in debt; what it will use is known only afterwards."""
        if address == SERVER:
            return
        if (wait := self._bucket(resource, address).wait(self._now(), 0)) > 0:
            self._refuse(resource, wait)

    def spend(self, resource: Resource, address: str, cost: float) -> None:
        """Charge what has been used."""
        self._on_charge(resource, cost)
        if address != SERVER:
            self._bucket(resource, address).spend(self._now(), cost)

    def _bucket(self, resource: Resource, address: str) -> TokenBucket:
        return self._limiters[resource].bucket(address, self._now())

    def _refuse(self, resource: Resource, wait: float) -> None:
        self._on_refuse(resource)
        seconds = max(1, math.ceil(min(wait, 3600)))
        raise Refusal(
            "too_fast", f"{MESSAGES[resource]}; try again in {seconds} s", retry_after=seconds
        )


def quota_key(address: str) -> str:
    """Whose quota an address uses: its own, or in IPv6 that of its /64 network.

    >>> quota_key("2001:db8:1:2:3:4:5:6"), quota_key("::ffff:192.0.2.7"), quota_key("192.0.2.7")
    ('2001:db8:1:2::/64', '192.0.2.7', '192.0.2.7')
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed) >> 64 << 64, 64)))
