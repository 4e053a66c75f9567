"""Positions that are alike: one analysis would serve a player of either.

A position is compared as the marks on its boards, such as stones or answered shots. A board is like
another one if nearly all of its marks are there, and few others: turned over, rotated, shifted,
with colours exchanged, reached in any order, or with a mark put in or left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .game import AnyGame
from .registry import find, load

FEWEST_MARKS = 5
"""Many games share a board with fewer."""
_SPAN = 256
"""More than twice the largest coordinate: differences are encoded with this base."""


@dataclass(frozen=True)
class MarkedBoard:
    """The marks on one board of a position."""

    marks: tuple[tuple[int, int, int], ...]
    """Row, column and kind of each mark, from 0 to 127."""
    place: str = ""
    """Boards of different places are never alike."""
    fixed: bool = False
    """Whether only boards with equal marks are alike."""
    colours: bool = False
    """Whether the kinds are two colours, 0 and 1, that may be exchanged."""

    @cached_property
    def _array(self) -> NDArray[np.int64]:
        """`[marks, 3]`"""
        return np.array(sorted(self.marks), dtype=np.int64).reshape(-1, 3)

    def like(self, other: MarkedBoard) -> bool:
        """Whether `other` shows this board, perhaps with a few marks more or less."""
        if self.place != other.place or self.fixed != other.fixed:
            return False
        if self.fixed:
            return set(self.marks) == set(other.marks)
        count = len(self.marks)
        missing, extra = (count - 4) // 6, count // 4
        if count < FEWEST_MARKS or not count - missing <= len(other.marks) <= count + extra:
            return False
        kinds = self._array[:, 2]
        exchanged = [1 - kinds] if self.colours else []
        wanted = max(count - missing, len(other.marks) - extra)
        return any(self._most_common(other, these) >= wanted for these in [kinds, *exchanged])

    def _most_common(self, other: MarkedBoard, kinds: NDArray[np.int64]) -> int:
        """The most marks of both boards that coincide in any orientation and shift."""
        ours, theirs = self._array, other._array
        same = kinds[:, None] == theirs[None, :, 2]
        most = 0
        for symmetry in range(8):
            rows = -ours[:, 0] if symmetry & 1 else ours[:, 0]
            cols = -ours[:, 1] if symmetry & 2 else ours[:, 1]
            if symmetry & 4:
                rows, cols = cols, rows
            down = theirs[None, :, 0] - rows[:, None]
            right = theirs[None, :, 1] - cols[:, None]
            shifts = (down * _SPAN + right)[same]
            if shifts.size:
                most = max(most, int(np.unique(shifts, return_counts=True)[1].max()))
        return most


def digest(*values: object) -> str:
    """A short text that is equal for equal values."""
    return hashlib.blake2b(repr(values).encode(), digest_size=16).hexdigest()


def marked_boards(game: AnyGame, state: Any) -> Sequence[MarkedBoard]:
    """The boards of the position, as far as a spectator may know them; none where every game is
    like this.

    By `positions` of the game's `Slice`; without it, only equal views are alike.
    """
    if state == game.start():
        return ()
    view = game.view(state, None)
    place = find(game.name).positions
    if place is None:
        return (MarkedBoard((), digest(view), fixed=True),)
    boards: Sequence[MarkedBoard] = load(place)(game, view)
    return boards


def alike(running: Sequence[MarkedBoard], others: Sequence[MarkedBoard]) -> bool:
    """Whether any board of one position is like any board of the other."""
    return any(board.like(other) for board in running for other in others)
