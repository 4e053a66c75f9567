"""Ratings of agents for the web page, from the arena's runs in the same database."""

from __future__ import annotations

import asyncio
from math import isfinite

from sqlalchemy import Engine, text

from trireme.arena.history import settings_key, standing
from trireme.arena.standing import Standings
from trireme.core.game import AnyGame
from trireme.core.options import settings
from trireme.core.registry import GAMES, make_game
from trireme.server.catalogue import require_game
from trireme.server.protocol.bodies import Rating
from trireme.server.rooms.clock import RoomClock

MAX_AGE_SECONDS = 60
"""How long ratings are cached."""


class Ratings:
    """The ratings of every game with its default settings, computed at most once a minute."""

    def __init__(self, engine: Engine, clock: RoomClock) -> None:
        self._engine, self._clock = engine, clock
        self._cache: dict[str, tuple[float, list[Rating]]] = {}
        self._lock = asyncio.Lock()

    async def of_game(self, game: str | None) -> list[Rating]:
        if game is not None:
            require_game(game)
        return [r for name in ([game] if game else GAMES) for r in await self._rated(name)]

    async def _rated(self, game: str) -> list[Rating]:
        async with self._lock:
            now = self._clock.now()
            if game not in self._cache or now - self._cache[game][0] > MAX_AGE_SECONDS:
                self._cache[game] = now, await asyncio.to_thread(_rate, self._engine, game)
            return self._cache[game][1]


def _rate(engine: Engine, name: str) -> list[Rating]:
    """Best first."""
    game = make_game(name)
    if not _has_runs(engine, game):
        return []
    table, _, _ = standing(engine, game)
    if isinstance(table, Standings):
        return [
            _rating(name, agent, s.games, s.elo_ci95, elo=s.elo)
            for agent, s in table.scores.items()
        ]
    ranked = sorted(table.items(), key=lambda item: item[1].shots_mean)
    return [_rating(name, agent, s.games, s.shots_ci95, shots=s.shots_mean) for agent, s in ranked]


def _has_runs(engine: Engine, game: AnyGame) -> bool:
    values = {"game": game.name, "settings": settings_key(settings(game))}
    query = "SELECT 1 FROM arena_runs WHERE game = :game AND settings = :settings LIMIT 1"
    with engine.begin() as connection:
        return connection.execute(text(query), values).first() is not None


def _rating(
    game: str,
    agent: str,
    games: int,
    interval: tuple[float, float],
    *,
    elo: float | None = None,
    shots: float | None = None,
) -> Rating:
    low, high = (bound if isfinite(bound) else None for bound in interval)
    return Rating(game=game, agent=agent, elo=elo, shots=shots, low=low, high=high, games=games)
