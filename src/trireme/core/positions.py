"""Keys of positions: equal for positions that one analysis would serve."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from .game import AnyGame
from .registry import find, load


def position_key(game: AnyGame, state: Any) -> bytes | None:
    """A hash of what a spectator may know of the position; None: every game begins like this.

    Positions that are equal but for symmetry or the order of moves have the same key where the
    game says so, by `positions` of its `Slice`.
    """
    if state == game.start():
        return None
    place = find(game.name).positions
    view = game.view(state, None)
    content = view if place is None else load(place)(game, view)
    if content is None:
        return None
    encoded = msgspec.json.encode([game.name, content], order="sorted")
    return hashlib.blake2b(encoded, digest_size=16).digest()
