"""The opening book: the posterior's shots while counting it takes long, found ahead of time.

It is for the default rules. `benchmarks/battleship_book.py` makes it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from trireme.battleship.belief.determinization import Shot
from trireme.battleship.rules import Battleship

from .gunner import Sight

LETTERS = {"miss": "m", "mine": "m", "hit": "h"}


def letter(sight: Sight, shot: Shot) -> str:
    """One answer as a letter: `m`, `h`, or the number of the ship that sank."""
    if shot.result == "sunk":
        return str(sight.board.names.index(shot.ship))
    return LETTERS[shot.result]


def booked(sight: Sight) -> int | None:
    """The book's cell for this position; None when the book does not know it."""
    if sight.board != _standard() or sight.uniform:
        return None
    book = opening_book()
    path = ""
    for shot in sight.shots:
        cell = book.get(path)
        if cell != shot.cell[0] * sight.board.cols + shot.cell[1]:
            return None
        path += letter(sight, shot)
    return book.get(path)


@cache
def _standard() -> object:
    return Battleship().boards[0]


@cache
def opening_book() -> dict[str, int]:
    """The shot after every sequence of answers that the book knows, the empty one first."""
    found = files("trireme.battleship").joinpath("models", "opening_book.json")
    shots: dict[str, int] = json.loads(found.read_text(encoding="utf-8"))["shots"]
    return shots
