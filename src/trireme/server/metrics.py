"""Prometheus metrics: counters, histograms and gauges of one server."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from trireme.server.rooms.table import LogEntry

CONTENT_TYPE = CONTENT_TYPE_LATEST
SHORT_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
"""Upper bounds, in seconds, for what should take milliseconds."""
TASK_BUCKETS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)

disable_created_metrics()  # type: ignore[no-untyped-call]
# else every counter comes with the time at which it was created, as one more line


class Metrics:
    """What has happened since the start, in a registry of its own: tests run several servers."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()

        def counter(name: str, help: str, *labels: str) -> Counter:
            return Counter(f"trireme_{name}", help, labels, registry=self._registry)

        def histogram(name: str, help: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"trireme_{name}", help, buckets=buckets, registry=self._registry)

        self.moves = counter("moves_total", "Moves made.", "game")
        self.games = counter("games_total", "Games finished.", "game")
        self.refusals = counter("refusals_total", "Refused requests by error code.", "code")
        self.messages = counter("messages_total", "Messages from clients.")
        self.agent_failures = counter("agent_failures_total", "Games that agents forfeited.")
        self.stored = counter("stored_total", "Requests that the event store has committed.")
        self.commit_seconds = histogram(
            "commit_seconds", "Duration of a database transaction.", SHORT_BUCKETS
        )
        self.connections_closed = counter(
            "connections_closed_total", "Connections closed by a limit, by reason.", "reason"
        )
        self.quota_used = counter("quota_used_total", "Used of quotas, by resource.", "resource")
        self._quota_used: dict[str, Counter] = {}
        self.quota_refused = counter(
            "quota_refused_total", "Requests refused by a quota, by resource.", "resource"
        )
        self.task_seconds = histogram("think_seconds", "Duration of a worker's task.", TASK_BUCKETS)
        self.loop_lag = histogram("late_seconds", "Lag of the event loop.", SHORT_BUCKETS)

    def gauge(self, name: str, help: str, value: Callable[[], float]) -> None:
        """Add a gauge that is read whenever the page is."""
        Gauge(f"trireme_{name}", help, registry=self._registry).set_function(value)

    def count_events(self, game: str, entries: Iterable[LogEntry]) -> None:
        for entry in entries:
            if entry.move is not None:
                self.moves.labels(game).inc()
            if entry.ended:
                self.games.labels(game).inc()

    def quota_charged(self, resource: str, cost: float) -> None:
        if resource not in self._quota_used:  # labels() takes longer than the rest of a charge
            self._quota_used[resource] = self.quota_used.labels(resource)
        self._quota_used[resource].inc(cost)

    def quota_exceeded(self, resource: str) -> None:
        self.quota_refused.labels(resource).inc()

    def batch_committed(self, seconds: float, requests: int) -> None:
        self.commit_seconds.observe(seconds)
        self.stored.inc(requests)

    def text(self) -> bytes:
        """The page in Prometheus' text format."""
        return generate_latest(self._registry)
