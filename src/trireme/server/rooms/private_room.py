"""The room of one person with a task: a lesson or a puzzle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trireme.server.protocol.bodies import NewRoom, SeatChoice


def private_room(
    request: NewRoom, settings: Mapping[str, Any], opponent: str | None, think: float
) -> NewRoom:
    """Only the requester's seat and the opponent's, if there is one; no clock, nobody watches."""
    seats = [SeatChoice(kind="me")]
    if opponent is not None:
        seats.append(SeatChoice(kind="agent", agent=opponent))
    return NewRoom(
        game=request.game,
        settings=dict(settings),
        seats=seats,
        name=request.name,
        clock="none",
        think=think,
        pace=request.pace,
        public=False,
    )
