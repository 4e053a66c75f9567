"""Tables for tests: rooms without a server around them."""

from typing import Any

from trireme.core.options import settings as settings_of
from trireme.core.registry import make_game
from trireme.server.rooms.events import RoomSetup, SeatHolder
from trireme.server.rooms.table import GameTable


def table_of(
    game: str, settings: dict[str, Any], *holders: SeatHolder, room: str = "abcdefghjkmn"
) -> GameTable:
    """A table of a game with these settings, its seats held as given."""
    return GameTable(
        RoomSetup(
            room,
            game,
            None,
            settings_of(make_game(game, **settings)),
            holders,
            seed=5,
            clock=None,
            think=1,
            pace=0,
            public=True,
            hints=True,
            created="2026-01-01T00:00:00.000+00:00",
        )
    )
