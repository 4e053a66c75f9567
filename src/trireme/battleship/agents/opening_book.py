"""The opening book: the first shots of the posterior agent, computed ahead of time.

It covers the default rules while the exact posterior takes long;
`benchmarks/battleship_book.py` makes it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from trireme.battleship.rules import Battleship
from trireme.battleship.shots import Shot

from .shooting_agent import TargetView

ANSWER_CODES = {"miss": "m", "mine": "m", "hit": "h"}


def answer_code(target: TargetView, shot: Shot) -> str:
    """One answer in a key of the book: `m`, `h`, or the number of the ship that sank."""
    if shot.result == "sunk":
        return str(target.board.names.index(shot.ship))
    return ANSWER_CODES[shot.result]


def book_cell(target: TargetView) -> int | None:
    """The book's cell for this position; None off the book, and for salvos."""
    if target.board != _standard() or target.uniform or target.salvo > 1:
        return None
    book = opening_book()
    key = ""
    for shot in target.shots:
        cell = book.get(key)
        if cell != shot.cell[0] * target.board.cols + shot.cell[1]:
            return None
        key += answer_code(target, shot)
    return book.get(key)


@cache
def _standard() -> object:
    return Battleship().boards[0]


@cache
def opening_book() -> dict[str, int]:
    """The shot after every sequence of answers that the book knows, the empty one first."""
    found = files("trireme.battleship").joinpath("models", "opening_book.json")
    shots: dict[str, int] = json.loads(found.read_text(encoding="utf-8"))["shots"]
    return shots
