"""Options of `trireme arena` that take some reading: openings, clocks, adjudication, tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from trireme.core.errors import BadSpec
from trireme.core.game import AnyGame

if TYPE_CHECKING:
    from trireme.arena import Match, Sprt
    from trireme.arena.adjudication import Adjudication


def read_conditions(
    game: AnyGame, openings: Path | None, clock: str | None, adjudication: Adjudication | None
) -> dict[str, Any]:
    """The conditions of a match that these options state."""
    from trireme.arena.match_clock import TimeControl
    from trireme.arena.opening_file import read_openings

    return {
        "openings": () if openings is None else read_openings(openings, game),
        "clock": None if clock is None else TimeControl.parse(clock),
        "adjudication": adjudication,
    }


def read_sprt(text: str | None, normalized: bool) -> Sprt | None:
    """The sequential test that was asked for."""
    from trireme.arena import Sprt

    if text is not None:
        return Sprt.parse(text, normalized=normalized)
    if normalized:
        raise BadSpec("--normalized says what the numbers of --sprt mean: give both")
    return None


def warn_of_repeated_openings(match: Match) -> None:
    """Say before the match that some starts will be played twice by the same agents."""
    count = len(match.openings)
    if 0 < count < match.rounds:
        typer.echo(
            f"Openings: {count} for {match.rounds} rounds. They repeat, and agents without"
            " randomness then repeat their games, which count once.",
            err=True,
        )
