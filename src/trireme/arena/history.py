"""The history of all runs in the database: results are stored when a run ends, rated together."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from sqlalchemy import Engine, text

from trireme.core.options import settings

from .folder import Folder
from .outcome import Outcome
from .report import Report, to_plain
from .run import Progress
from .standing import ScoredGame, ShotsStanding, Standings, one_seat_standings, two_seat_standings

_RUN = (
    "INSERT INTO arena_runs (run_id, game, settings, seed, seconds, schedule_hash, results_hash,"
    " finished, version, report) VALUES (:run_id, :game, :settings, :seed, :seconds,"
    " :schedule_hash, :results_hash, :finished, :version, :report)"
)
_GAME = (
    "INSERT INTO arena_games (run_id, number, cluster, first, second, first_return,"
    " second_return, moves, forfeit, fingerprint) VALUES (:run_id, :number, :cluster, :first,"
    " :second, :first_return, :second_return, :moves, :forfeit, :fingerprint)"
)


def keep(engine: Engine, folder: Folder, progress: Progress, report: Report) -> None:
    """Store a finished run; idempotent, as a run that is there already is replaced."""
    games = [_game_row(folder, *item) for item in sorted(progress.counted.items())]
    with engine.begin() as connection:
        key = {"run_id": folder.run_id}
        connection.execute(text("DELETE FROM arena_games WHERE run_id = :run_id"), key)
        connection.execute(text("DELETE FROM arena_runs WHERE run_id = :run_id"), key)
        connection.execute(
            text(_RUN),
            {
                **key,
                "game": report.game,
                "settings": settings_key(report.settings),
                "seed": report.seed,
                "seconds": report.seconds,
                "schedule_hash": report.schedule_hash,
                "results_hash": report.results_hash,
                "finished": datetime.now(UTC).isoformat(timespec="seconds"),
                "version": report.version,
                "report": msgspec.json.encode(to_plain(report)).decode(),
            },
        )
        if games:
            connection.execute(text(_GAME), games)


def settings_key(plain: Mapping[str, Any]) -> str:
    """Settings as the text that finds equal ones."""
    return msgspec.json.encode(plain, order="sorted").decode()


def standing(engine: Engine, game: Any) -> tuple[Standings | dict[str, ShotsStanding], int, int]:
    """The standing of `game`, with just these settings, over all runs; and how many runs and
    games it rests on.

    Two runs of one schedule played the same starts from the same seeds: their games belong to the
    same clusters, so that a run repeated does not count as new evidence.
    """
    asked = {"game": game.name, "settings": settings_key(settings(game))}
    with engine.begin() as connection:
        found = connection.execute(
            text(
                "SELECT r.run_id, r.schedule_hash, g.cluster, g.first, g.second, g.first_return,"
                " g.second_return, g.fingerprint FROM arena_runs r JOIN arena_games g"
                " ON g.run_id = r.run_id WHERE r.game = :game AND r.settings = :settings"
                " ORDER BY r.finished, r.run_id, g.number"
            ),
            asked,
        ).all()
    names = list(dict.fromkeys(n for r in found for n in (r.first, r.second) if n is not None))
    rows = [
        ScoredGame(
            (r.first,) if r.second is None else (r.first, r.second),
            (r.first_return,) if r.second is None else (r.first_return, r.second_return),
            (r.schedule_hash, r.cluster),
            r.fingerprint,
        )
        for r in found
    ]
    runs = len({r.run_id for r in found})
    table = (
        one_seat_standings(names, rows)[0] if game.seats == 1 else two_seat_standings(names, rows)
    )
    return table, runs, len(rows)


def _game_row(folder: Folder, number: int, outcome: Outcome) -> dict[str, Any]:
    fixture = folder.fixtures[number]
    names = [folder.match.names[i] for i in fixture.seats]
    return {
        "run_id": folder.run_id,
        "number": number,
        "cluster": str(fixture.round),
        "first": names[0],
        "second": names[1] if len(names) > 1 else None,
        "first_return": outcome.returns[0],
        "second_return": outcome.returns[1] if len(names) > 1 else None,
        "moves": outcome.moves,
        "forfeit": msgspec.json.encode(outcome.forfeits).decode() if outcome.forfeits else None,
        "fingerprint": outcome.fingerprint,
    }
