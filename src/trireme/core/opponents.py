"""Named opponents of a game, from easy to full strength, with ratings measured by the arena."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from .registry import find


class NamedOpponent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent with a name and a character; `elo` is measured, by `benchmarks/opponents.py`."""

    name: str
    spec: str
    think: float
    """Seconds a move."""
    character: str
    """One sentence about how it plays."""
    emblem: str
    """The name of its drawing in the web client."""
    elo: int | None
    """On the game's own scale, where the weakest has 0; None: not measured."""
    low: int | None
    high: int | None
    """The 95 % interval of `elo`, against the mean of all opponents; None: not measured."""
    score: float | None
    """The share of points against the opponent below, from 0 to 1; None for the weakest."""
    games: int
    """Games that the rating was measured in."""


class OpponentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game's named opponents, weakest first, and how they were measured."""

    variant: str | None
    measured: str
    """The command that made the file."""
    opponents: tuple[NamedOpponent, ...]


@cache
def opponent_file(game: str) -> OpponentFile | None:
    """The named opponents of a game; None: it has none."""
    place = find(game).opponents
    if place is None:
        return None
    package, _, name = place.partition(":")
    text = files(package).joinpath(name).read_bytes()
    return msgspec.json.decode(text, type=OpponentFile)


def opponents_of(game: str) -> tuple[NamedOpponent, ...]:
    """The game's named opponents, weakest first; () where it has none."""
    found = opponent_file(game)
    return () if found is None else found.opponents


def beginners_opponent(game: str) -> str:
    """The spec that a newcomer meets: the second weakest, else the game's usual opponent."""
    named = opponents_of(game)
    return named[1].spec if len(named) > 1 else find(game).opponent
