"""The schedule: every game of a match with its seats, start and seed, fixed in advance."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from numpy.random import PCG64, Generator, SeedSequence

from trireme.core.game import AnyGame, Seat
from trireme.core.options import settings
from trireme.core.registry import find, load

from .match import Match

_START, _SEED = 0, 1
"""Streams of a round: one draws its start, the other its seed."""

Moves = tuple[str | dict[Seat, str], ...]


@dataclass(frozen=True)
class Fixture:
    """One game of the schedule."""

    number: int
    round: int
    """All pairings play the same start and the same seed in one round."""
    seats: tuple[int, ...]
    """Who sits where, by index into the match's entrants."""
    game: AnyGame
    opening: Moves
    seed: int


def schedule(match: Match) -> Iterator[Fixture]:
    """All fixtures, in order: round by round, every pairing in each, both ways of seating.

    A round's start and seed come from its place alone: more games or other agents leave the
    rounds before, and the fleets and openings in them, as they were.
    """
    pairings = match.pairings()
    number = 0
    for round_ in range(match.rounds):
        game, opening = start_of(match, round_)
        seed = int(_seeds(match, round_, _SEED).generate_state(1, "uint64")[0] >> 11)
        for pairing in pairings:
            for seats in (pairing, pairing[::-1])[: match.games_per_round]:
                yield Fixture(number, round_, seats, game, opening, seed)
                number += 1


def start_of(match: Match, round_: int) -> tuple[AnyGame, Moves]:
    """The game and the opening moves of a round: the slice's fair start, or the plain one."""
    place = find(match.game.name).starts
    if place is None:
        return match.game, ()
    game, opening = load(place)(match.game, Generator(PCG64(_seeds(match, round_, _START))))
    return game, tuple(m if isinstance(m, str) else dict(m) for m in opening)


def schedule_hash(match: Match, fixtures: Iterable[Fixture] | None = None) -> str:
    """A hash of all that decides the games: rules, settings, agents, conditions, every fixture.

    `fixtures` are those of the match, where they are at hand already.
    """
    digest = hashlib.sha256()
    head: list[Any] = [match.game.name, match.game.rules_version, settings(match.game)]
    head += [[[e.name, e.spec] for e in match.entrants], match.seconds, match.gauntlet]
    head.append(None if match.sprt is None else match.sprt.to_plain())
    digest.update(_encoded(head))
    known: tuple[AnyGame, dict[str, Any]] | None = None
    for fixture in schedule(match) if fixtures is None else fixtures:
        if known is None or known[0] is not fixture.game:
            known = fixture.game, settings(fixture.game)
        digest.update(
            _encoded([fixture.number, fixture.seats, known[1], fixture.opening, fixture.seed])
        )
    return digest.hexdigest()[:16]


def _seeds(match: Match, round_: int, stream: int) -> SeedSequence:
    return SeedSequence(match.seed, spawn_key=(round_, stream))


def _encoded(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")
