"""The schedule: every game of a match with its seats, start and seed.

Round robins and gauntlets are fixed in advance. Swiss and knockout tournaments go on stage by
stage, by the results so far alone: whoever has these has the same schedule.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from numpy.random import PCG64, Generator, SeedSequence

from trireme.core.game import AnyGame
from trireme.core.options import settings
from trireme.core.registry import find, load

from .match import Match, new_conditions
from .opening_file import Moves, parse_start
from .outcome import Outcome
from .pairings import FinalPlace, Points, Stage

_START, _SEED = 0, 1
"""Streams of a round: one draws its start, the other its seed."""


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
    """All fixtures that are known before the first game, in order: round by round, every pairing
    in each, both ways of seating.

    A round's start and seed come from its place alone: more games or other agents leave the
    rounds before, and the fleets and openings in them, as they were.
    """
    yield from next_fixtures(match, [], {})


def next_fixtures(
    match: Match, known: Sequence[Fixture], outcomes: Mapping[int, Outcome]
) -> Iterator[Fixture]:
    """The fixtures of the stage after those that are `known`; none while one of these is not
    played, or when the tournament is over."""
    stage, number, round_ = _next_stage(match, known, outcomes)
    if isinstance(stage, Stage):
        yield from _stage_fixtures(match, stage, number, round_)


def final_places(
    match: Match, known: Sequence[Fixture], outcomes: Mapping[int, Outcome]
) -> list[FinalPlace]:
    """The places of a tournament that is over, in formats that have them; else none."""
    found, _, _ = _next_stage(match, known, outcomes)
    return found if isinstance(found, list) else []


def _next_stage(
    match: Match, known: Sequence[Fixture], outcomes: Mapping[int, Outcome]
) -> tuple[Stage | list[FinalPlace] | None, int, int]:
    """The stage after the known fixtures with its first number and round; None while a game is
    missing, and the final places at the end."""
    made = match.stages()
    points: Points | None = None
    number = round_ = 0
    while True:
        try:
            stage = next(made) if points is None else made.send(points)
        except StopIteration as end:
            places: list[FinalPlace] = end.value
            return places, number, round_
        if number == len(known):
            return stage, number, round_
        count = stage.rounds * len(stage.pairings) * match.games_per_round
        played = known[number : number + count]
        if any(fixture.number not in outcomes for fixture in played):
            return None, number, round_
        points = _stage_points(stage, played, outcomes)
        number += count
        round_ += stage.rounds


def _stage_fixtures(match: Match, stage: Stage, number: int, first_round: int) -> Iterator[Fixture]:
    for round_ in range(first_round, first_round + stage.rounds):
        game, opening = start_of(match, round_)
        seed = int(_seeds(match, round_, _SEED).generate_state(1, "uint64")[0] >> 11)
        for pairing in stage.pairings:
            for seats in (pairing, pairing[::-1])[: match.games_per_round]:
                yield Fixture(number, round_, seats, game, opening, seed)
                number += 1


def _stage_points(
    stage: Stage, played: Sequence[Fixture], outcomes: Mapping[int, Outcome]
) -> Points:
    if len(stage.pairings[0]) == 1:  # everybody plays alone
        return []
    won: defaultdict[tuple[int, ...], float] = defaultdict(float)
    """Points of the first agent against the second."""
    for fixture in played:
        ours, theirs = outcomes[fixture.number].returns
        share = 0.5 if ours == theirs else float(ours > theirs)
        won[fixture.seats] += share
        won[fixture.seats[::-1]] += 1 - share
    return [(won[pairing], won[pairing[::-1]]) for pairing in stage.pairings]


def start_of(match: Match, round_: int) -> tuple[AnyGame, Moves]:
    """The game and the opening moves of a round: of the opening file, the slice's fair start, or
    the plain one."""
    if match.openings:
        return parse_start(match.game, match.openings[round_ % len(match.openings)])
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
    head += [conditions] if (conditions := new_conditions(match)) else []
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
