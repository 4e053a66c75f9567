"""Retention: how long rooms stay in the database since their last event."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Retention:
    """Days since a room's last event after which it is deleted."""

    finished: float = 365
    """Games that are over: people keep links to their replays."""
    unfinished: float = 30
    """Games that somebody has moved in."""
    empty: float = 2
    """Rooms in which nobody has moved."""

    @classmethod
    def of(cls, days: int) -> Retention | None:
        """Keep finished games for `days` and nothing for longer; 0: keep everything."""
        if days == 0:
            return None
        return cls(days, min(days, cls.unfinished), min(days, cls.empty))
