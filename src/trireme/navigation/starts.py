"""Fair starting positions for pairs of arena games: a frozen suite of seas and ships."""

from __future__ import annotations

import itertools
from dataclasses import replace

from numpy.random import Generator

from trireme.core.game import AnyGame

from .map_generator import procedural_map
from .maps import mirrored_map
from .rules import Navigation, as_navigation
from .ships import SHIPS

SHIP_PAIRS = tuple(itertools.combinations_with_replacement(SHIPS, 2))
"""All 21 pairs of ships, whoever has which."""
SEAS = 2**31
"""The procedural seas of the suite: the generator is pinned, so each is the same for ever."""


def starts(game: AnyGame, rng: Generator) -> tuple[AnyGame, tuple[str, ...]]:
    """A sea and two ships for a pair of games, each where none was chosen.

    The sea is procedural, as it is or mirrored, and fair to both seats; of 2³² seas, no two pairs
    of a match get the same. The pair of games is played with seats exchanged, so each agent has
    each ship once.
    """
    navigation = as_navigation(game)
    number, mirrored = int(rng.integers(SEAS)), bool(rng.integers(2))
    first, second = SHIP_PAIRS[int(rng.integers(len(SHIP_PAIRS)))]
    if navigation.map == "default":
        sea = procedural_map(number)
        chosen = mirrored_map(sea) if mirrored else f"procedural:{number}"
        navigation = replace(navigation, map=chosen)
    if navigation.ships == Navigation.ships:
        navigation = replace(navigation, ships=(first, second))
    return navigation, ()
