"""Balanced openings: short starts after which neither side is clearly better."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from numpy.random import Generator

from trireme.core.game import AnyGame

from .rules import Gomoku, Point, read_points

BOOK_SIZE = 15


@cache
def balanced(size: int) -> tuple[tuple[Point, ...], ...]:
    """The openings that ship, moved to the middle of a board of this size; those that fit.

    They were found on 15×15 by `benchmarks/gomoku_openings.py` under the standard rule.
    """
    book = Gomoku(size=BOOK_SIZE)
    text = files(__package__).joinpath("openings.txt").read_text(encoding="utf-8")
    shift = size // 2 - BOOK_SIZE // 2
    found = []
    for line in text.split():
        moved = tuple((row + shift, col + shift) for row, col in read_points(book, line))
        if all(0 <= i < size for point in moved for i in point):
            found.append(moved)
    return tuple(found)


def starts(game: AnyGame, rng: Generator) -> tuple[AnyGame, tuple[str, ...]]:
    """A fair start for a pair of arena games: a balanced opening, unless the settings give one."""
    assert isinstance(game, Gomoku)
    book = balanced(game.size)
    if game.opening != "none" or game.position or not book:
        return game, ()
    opening = book[int(rng.integers(len(book)))]
    return game, tuple(game.write(point) for point in opening)
