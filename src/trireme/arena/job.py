"""What a worker needs to know of a match, and whom it notifies of what it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from trireme.core.game import Seat

from .adjudication import Adjudication
from .deadline import decision_timeout
from .match import Entrant, Match, Place
from .match_clock import TimeControl


@dataclass(frozen=True)
class Job:
    """What a worker needs to know of a match."""

    entrants: tuple[Entrant, ...]
    places: tuple[Place, ...]
    seconds: float | None
    limit: float
    memory: int
    clock: TimeControl | None = None
    adjudication: Adjudication | None = None

    @classmethod
    def of(cls, match: Match) -> Job:
        return cls(
            match.entrants,
            match.places,
            match.seconds,
            match.limit,
            match.memory,
            match.clock,
            match.adjudication,
        )

    @property
    def secretive(self) -> bool:
        """Whether agents of others take part, which must not read this process's memory."""
        return any(place != "shipped" for place in self.places)

    @property
    def timeout(self) -> float:
        """Seconds after which a decision is interrupted."""
        return self.limit if self.seconds is None else decision_timeout(self.seconds)


class ActivityMonitor(Protocol):
    """Is notified of what a worker does, so that its parent knows where it died or hangs."""

    def begin(self, number: int) -> None:
        """A game begins."""

    def busy(self, seat: Seat, timeout: float) -> None:
        """The agent in `seat` is called, and may take `timeout` seconds."""

    def line(self, text: str) -> None:
        """A line of the game's record was written."""

    def idle(self) -> None:
        """No agent is being called."""


class NoMonitor:
    """For games in this process, which no parent watches."""

    def begin(self, number: int) -> None: ...
    def busy(self, seat: Seat, timeout: float) -> None: ...
    def line(self, text: str) -> None: ...
    def idle(self) -> None: ...


class RecordMonitor(NoMonitor):
    """Keeps the record of the game in progress, for another thread to look at."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def begin(self, number: int) -> None:
        self._lines = []

    def line(self, text: str) -> None:
        self._lines.append(text)

    def record(self) -> str:
        return "".join(self._lines)
