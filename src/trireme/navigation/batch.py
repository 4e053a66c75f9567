"""Batches of games played together by the kernels."""

from __future__ import annotations

import numpy as np

from .arrays import (
    rules_array,
    sea_array,
    spawn_array,
    stats_array,
    unpack_ships,
    ways_array,
)
from .duel import check_duel
from .maps import SeaMap
from .rules import Navigation, NavigationState


class NavigationBatch:
    """Many games with the same settings, played by the kernels.

    `ships: int32[B, 2, 3]`, `turns: int32[B]`, `outcomes: int8[B]` and `charts: int32[B]` are as
    `kernels` describes them. Games may be spread over several maps of one size.
    """

    def __init__(self, game: Navigation, size: int, charts: tuple[SeaMap, ...] = ()) -> None:
        check_duel(game, "batches of games are")
        maps = charts or (game.chart,)
        self.game = game
        self.seas = np.stack([sea_array(chart) for chart in maps])
        self.spawns = np.stack([spawn_array(chart) for chart in maps])
        self.stats = stats_array(game.types)
        self.rules = rules_array(game)
        self.ways = ways_array(game)
        self.charts = (np.arange(size) % len(maps)).astype(np.int32)
        self.ships = np.zeros((size, 2, 3), np.int32)
        self.ships[:, :, :2] = self.spawns[self.charts]
        self.ships[:, :, 2] = self.stats[:, 4]
        self.turns = np.zeros(size, np.int32)
        self.outcomes = np.zeros(size, np.int8)

    def state(self, index: int) -> NavigationState:
        """The ships and the turn of one game as the plain rules hold them; the log is empty."""
        start = self.game.start()
        width = self.game.chart.width
        ships = unpack_ships(self.ships[index], start.ships, width)
        return NavigationState(int(self.turns[index]), ships)
