"""Repeated games: when starts run out, deterministic agents play the same games again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from trireme.core.game import CHANCE
from trireme.core.options import settings

from .match import Match
from .outcome import Outcome
from .schedule import Fixture


def distinct_starts(fixtures: Iterable[Fixture]) -> int:
    """How many different starts the rounds of a schedule have: game, settings and opening."""
    rounds = {fixture.round: fixture for fixture in fixtures}
    return len(
        {
            msgspec.json.encode([settings(f.game), f.opening], order="sorted")
            for f in rounds.values()
        }
    )


def starts_warning(match: Match, fixtures: Sequence[Fixture]) -> str | None:
    """A warning before the match where its schedule has fewer starts than rounds.

    Where nature deals, or agents place in secret, equal starts still lead to different games.
    """
    game = match.game
    state = game.start()
    if game.seats == 1 or game.to_move(state) == (CHANCE,) or game.view(state, None) != state:
        return None
    starts = distinct_starts(fixtures)
    if starts >= match.rounds:
        return None
    return (
        f"Different starts: {starts}, for {match.rounds} rounds. Agents that play without chance"
        " will repeat games, and repeated games count once."
    )


def repeated_pairs(fixtures: Sequence[Fixture], outcomes: Mapping[int, Outcome]) -> int:
    """How many finished rounds of a pairing repeat an earlier one of the same agents, move by
    move."""
    rounds: dict[tuple[int, tuple[int, ...]], list[tuple[tuple[int, ...], str]]] = {}
    for number, outcome in sorted(outcomes.items()):
        fixture = fixtures[number]
        key = fixture.round, tuple(sorted(fixture.seats))
        rounds.setdefault(key, []).append((fixture.seats, outcome.fingerprint))
    whole = [tuple(games) for games in rounds.values() if len(games) == 2]
    return len(whole) - len(set(whole))
