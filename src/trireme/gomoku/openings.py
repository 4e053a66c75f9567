"""Openings: balanced starts, after which neither side is clearly better, and first stones."""

from __future__ import annotations

from collections.abc import Collection
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


def first_stone(rows: int, cols: int, stones: Collection[Point], rng: Generator) -> Point:
    """A first stone, in the middle or beside it; or an answer to one, beside it towards the middle.

    So early a search sees no difference, and would answer anywhere.
    """

    def from_middle(point: Point) -> int:
        return max(abs(point[0] - rows // 2), abs(point[1] - cols // 2))

    row, col = next(iter(stones), (rows // 2, cols // 2))
    near = [
        (r, c)
        for r in range(max(0, row - 1), min(rows, row + 2))
        for c in range(max(0, col - 1), min(cols, col + 2))
        if (r, c) not in stones
    ]
    inward = min(map(from_middle, near)) if stones else 1
    found = [point for point in near if from_middle(point) <= inward]
    return found[int(rng.integers(len(found)))]
