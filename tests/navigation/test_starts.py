"""Starts of arena games: fair seas, drawn ships, nothing twice."""

from __future__ import annotations

import numpy as np

from trireme.navigation.maps import fairness
from trireme.navigation.rules import Navigation, as_navigation
from trireme.navigation.starts import SHIP_PAIRS, starts


def drawn(game: Navigation, count: int) -> list[Navigation]:
    return [as_navigation(starts(game, np.random.default_rng([5, k]))[0]) for k in range(count)]


def test_every_start_is_fair_and_none_repeats() -> None:
    games = drawn(Navigation(), 30)
    assert all(fairness(game.chart) for game in games)
    tiles = {(game.chart.rocks, game.chart.hazards, game.chart.spawns) for game in games}
    assert len(tiles) == 30
    assert len({game.ships for game in games}) > 12
    assert sum(isinstance(game.map, str) for game in games) not in (0, 30)


def test_all_pairs_of_ships_are_in_the_suite() -> None:
    assert len(SHIP_PAIRS) == len(set(SHIP_PAIRS)) == 21


def test_the_same_stream_gives_the_same_start() -> None:
    assert drawn(Navigation(), 3) == drawn(Navigation(), 3)


def test_what_was_chosen_stays() -> None:
    ships = drawn(Navigation(ships=("dhow", "sloop")), 4)
    assert {game.ships for game in ships} == {("dhow", "sloop")}
    assert len({game.map for game in ships}) == 4
    seas = drawn(Navigation(map="procedural:9"), 4)
    assert {game.map for game in seas} == {"procedural:9"}
    assert len({game.ships for game in seas}) > 1
