"""Counters for operators, in the text form that Prometheus reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from trireme.server.rooms.table import Entry

SHORT_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
THINK_BOUNDS = (0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0)


class Histogram:
    """How often a time was at most so long."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def see(self, seconds: float) -> None:
        place = next((i for i, b in enumerate(self.bounds) if seconds <= b), len(self.bounds))
        self.counts[place] += 1
        self.total += seconds

    def lines(self, name: str, help: str) -> list[str]:
        told = [f"# HELP {name} {help}", f"# TYPE {name} histogram"]
        so_far = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            so_far += count
            told.append(f'{name}_bucket{{le="{bound}"}} {so_far}')
        return [*told, f"{name}_sum {self.total:.6f}", f"{name}_count {so_far}"]


class Metrics:
    """What has happened since the start."""

    def __init__(self) -> None:
        self.moves: Counter[str] = Counter()
        self.games: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.messages = 0
        self.agent_failures = 0
        self.commits = Histogram(SHORT_BOUNDS)
        self.committed = 0
        self.thoughts = Histogram(THINK_BOUNDS)
        self.lateness = Histogram(SHORT_BOUNDS)

    def happened(self, game: str, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.moves[game] += entry.move is not None
            self.games[game] += entry.ended

    def committed_batch(self, seconds: float, wishes: int) -> None:
        self.commits.see(seconds)
        self.committed += wishes

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """The page; `gauges` are present values by name, each with its help."""
        lines: list[str] = []
        for name, (help, value) in gauges.items():
            lines += _metric(f"trireme_{name}", "gauge", help, [("", value)])
        lines += _labelled("moves_total", "Moves made.", "game", self.moves)
        lines += _labelled("games_total", "Games finished.", "game", self.games)
        lines += _labelled("refusals_total", "Refusals by code.", "code", self.refusals)
        lines += _counter("messages_total", "Messages from clients.", self.messages)
        lines += _counter("agent_failures_total", "Forfeits of agents.", self.agent_failures)
        lines += _counter("stored_total", "Wishes the database has granted.", self.committed)
        lines += self.commits.lines("trireme_commit_seconds", "Time of one transaction.")
        lines += self.thoughts.lines("trireme_think_seconds", "Time of one task of a worker.")
        lines += self.lateness.lines("trireme_late_seconds", "How late the event loop was.")
        return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, help: str, values: Iterable[tuple[str, float]]) -> list[str]:
    told = [f"{name}{labels} {value:g}" for labels, value in values]
    return [f"# HELP {name} {help}", f"# TYPE {name} {kind}", *told]


def _counter(name: str, help: str, value: float) -> list[str]:
    return _metric(f"trireme_{name}", "counter", help, [("", value)])


def _labelled(name: str, help: str, label: str, counts: Mapping[str, int]) -> list[str]:
    values = [(f'{{{label}="{key}"}}', float(count)) for key, count in sorted(counts.items())]
    return _metric(f"trireme_{name}", "counter", help, values)
