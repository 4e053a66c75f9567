"""How long rooms are kept: finished games for long, abandoned ones less, empty ones hardly."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, text

AT_ONCE = 200
"""Rooms forgotten in one transaction: moves wait for it."""

_OVERDUE = """
SELECT room_id FROM rooms WHERE
  (status = 'over' AND updated < :finished)
  OR (status <> 'over' AND updated < :empty
      AND NOT EXISTS (SELECT 1 FROM room_events AS e WHERE e.room_id = rooms.room_id
                      AND (e.ts >= :unfinished
                           AND (e.event LIKE :person OR e.event LIKE :agent)
                           OR e.ts >= :empty)))
ORDER BY updated LIMIT :most
"""


@dataclass(frozen=True)
class Retention:
    """Days since the last thing happened in a room after which it is forgotten."""

    finished: float = 365
    """Games that are over: people keep links to their replays."""
    unfinished: float = 30
    """Games that somebody has moved in."""
    empty: float = 2
    """Rooms in which nobody has moved."""

    @classmethod
    def of(cls, days: int) -> Retention | None:
        """Finished games for so many days, and nothing for longer; for 0, everything for ever."""
        if days == 0:
            return None
        return cls(days, min(days, cls.unfinished), min(days, cls.empty))


def forget(connection: Connection, kept: Retention, now: str, spared: Collection[str]) -> int:
    """Delete some rooms whose time is over, none of `spared`, and give their number."""

    def before(days: float) -> str:
        then = datetime.fromisoformat(now) - timedelta(days=days)
        return then.isoformat(timespec="milliseconds")

    limits = {
        "finished": before(kept.finished),
        "unfinished": before(kept.unfinished),
        "empty": before(kept.empty),
        "person": '%"by":"person"%',
        "agent": '%"by":"agent"%',
        "most": AT_ONCE + len(spared),
    }
    found = connection.execute(text(_OVERDUE), limits).scalars()
    overdue = [room for room in found if room not in spared][:AT_ONCE]
    for room in overdue:
        connection.execute(text("DELETE FROM rooms WHERE room_id = :room"), {"room": room})
    return len(overdue)
