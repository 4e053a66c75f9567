"""Forfeits grouped by their cause: the agent, the reason, and the line of its code that failed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .diagnosis import place_of

REASON_WORDS = {
    "illegal": "played an illegal move",
    "exception": "raised an error",
    "time": "ran out of time",
    "process": "its process failed",
}


@dataclass(frozen=True)
class ForfeitReport:
    """One game that ended by an agent's fault."""

    game: int
    agent: str
    reason: str
    detail: str

    @property
    def place(self) -> tuple[str, int]:
        """The file and line of the agent's code that failed; "" and 0 if unknown."""
        return place_of(self.detail)


@dataclass(frozen=True)
class ForfeitCause:
    """Games that one agent forfeited for one reason, at one line of its code."""

    agent: str
    reason: str
    games: int
    first: int
    """The first of these games."""
    detail: str
    """The detail of the first one."""
    file: str
    """Where the agent's code failed; "" and 0 if unknown."""
    line: int


def forfeit_causes(forfeits: Iterable[ForfeitReport]) -> tuple[ForfeitCause, ...]:
    """The causes of forfeits, the most frequent first."""
    groups: dict[tuple[str, str, str, int], list[ForfeitReport]] = {}
    for forfeit in forfeits:
        groups.setdefault((forfeit.agent, forfeit.reason, *forfeit.place), []).append(forfeit)
    causes = [
        ForfeitCause(agent, reason, len(found), found[0].game, found[0].detail, file, line)
        for (agent, reason, file, line), found in groups.items()
    ]
    return tuple(sorted(causes, key=lambda cause: -cause.games))
