"""Fair starting positions for pairs of arena games."""

from __future__ import annotations

from dataclasses import replace

from numpy.random import Generator

from trireme.core.game import AnyGame

from .map_generator import find_map
from .maps import mirrored_map
from .rules import as_navigation


def starts(game: AnyGame, rng: Generator) -> tuple[AnyGame, tuple[str, ...]]:
    """A sea for a pair of games where none was chosen: the default or a procedural one, each as
    it is or mirrored. All of them are fair to both seats."""
    navigation = as_navigation(game)
    if navigation.map != "default":
        return navigation, ()
    procedural, mirrored, seed = rng.integers(2), rng.integers(2), int(rng.integers(2**31))
    name = f"procedural:{seed}" if procedural else "default"
    return replace(navigation, map=mirrored_map(find_map(name)) if mirrored else name), ()
