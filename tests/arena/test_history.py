"""The history of runs: what is stored of a run, and what several runs say together."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, text

from trireme import make_game
from trireme.arena import Match, entrants, run_match, start, write_reports
from trireme.arena.history import keep, settings_key, standing
from trireme.arena.standing import ShotsStanding, Standings
from trireme.core.options import settings
from trireme.store import open_store

AGENTS = Path(__file__).with_name("broken_agents.py")
GOMOKU = make_game("gomoku", size=7)
BATTLESHIP = make_game("battleship")

pytestmark = pytest.mark.usefixtures("no_preflight")


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    yield engine
    engine.dispose()


def kept(engine: Engine, folder: Path, match: Match) -> str:
    """Play a match, store it, and give its run's id."""
    run = start(match, folder)
    progress = run_match(run, executor="serial")
    keep(engine, run, progress, write_reports(run, progress))
    return run.run_id


def two(seed: int = 0, games: int = 8) -> Match:
    return Match(GOMOKU, entrants(GOMOKU, ["a=random", "b=random"]), games=games, seed=seed)


def rows_of(engine: Engine, table: str) -> list[dict[str, object]]:
    with engine.begin() as connection:
        found = connection.execute(text(f"SELECT * FROM {table} ORDER BY 1, 2"))
        return [dict(row) for row in found.mappings()]


def test_every_game_is_stored_with_its_agents_and_its_end(engine: Engine, tmp_path: Path) -> None:
    agents = ["a=random", f"b={AGENTS}:Raises"]
    run_id = kept(engine, tmp_path / "run", Match(GOMOKU, entrants(GOMOKU, agents), games=4))
    (run,) = rows_of(engine, "arena_runs")
    assert (run["run_id"], run["game"], run["seed"]) == (run_id, "gomoku", 0)
    assert run["settings"] == settings_key(settings(GOMOKU))
    games = rows_of(engine, "arena_games")
    assert [g["number"] for g in games] == [0, 1, 2, 3]
    assert [g["cluster"] for g in games] == ["0", "0", "1", "1"]
    assert [(g["first"], g["second"]) for g in games] == [("a", "b"), ("b", "a")] * 2
    assert [(g["first_return"], g["second_return"]) for g in games] == [(1, -1), (-1, 1)] * 2
    assert all("no idea what to play" in str(g["forfeit"]) for g in games)
    assert all(g["fingerprint"] for g in games)


def test_alone_there_is_no_second_agent(engine: Engine, tmp_path: Path) -> None:
    match = Match(BATTLESHIP, entrants(BATTLESHIP, ["a=random", "b=random"]), games=3)
    kept(engine, tmp_path / "run", match)
    games = rows_of(engine, "arena_games")
    assert len(games) == 6
    assert {(g["second"], g["second_return"], g["forfeit"]) for g in games} == {(None, None, None)}
    table, runs, count = standing(engine, BATTLESHIP)
    assert (runs, count) == (1, 6)
    assert isinstance(table, dict)
    assert all(isinstance(s, ShotsStanding) and s.games == 3 for s in table.values())
    for name in "ab":
        shots = [-float(str(g["first_return"])) for g in games if g["first"] == name]
        assert table[name].shots_mean == pytest.approx(sum(shots) / 3)


def test_a_run_stored_twice_is_there_once(engine: Engine, tmp_path: Path) -> None:
    run = start(two(), tmp_path / "run")
    progress = run_match(run, executor="serial")
    report = write_reports(run, progress)
    for _ in range(2):
        keep(engine, run, progress, report)
    assert len(rows_of(engine, "arena_runs")) == 1
    assert len(rows_of(engine, "arena_games")) == 8


def test_runs_of_other_settings_are_left_out(engine: Engine, tmp_path: Path) -> None:
    kept(engine, tmp_path / "run", two())
    assert standing(engine, GOMOKU)[1:] == (1, 8)
    assert standing(engine, make_game("gomoku", size=6))[1:] == (0, 0)
    assert standing(engine, BATTLESHIP) == ({}, 0, 0)


def stored(engine: Engine, run: str, schedule_hash: str, mark: str = "") -> None:
    """A run of 40 pairs in which the first seat won by a fair coin, the same for every run."""
    rng = np.random.default_rng(1)
    games = [
        {
            "run": run,
            "number": number,
            "cluster": str(number // 2),
            "first": "ab"[number % 2],
            "second": "ba"[number % 2],
            "won": int(rng.choice((-1, 1))),
            "fingerprint": f"{mark}{number}",
        }
        for number in range(80)
    ]
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO arena_runs VALUES"
                " (:run, 'gomoku', :settings, 0, NULL, :hash, 'r', '2026', '0', '{}')"
            ),
            {"run": run, "hash": schedule_hash, "settings": settings_key(settings(GOMOKU))},
        )
        connection.execute(
            text(
                "INSERT INTO arena_games VALUES (:run, :number, :cluster, :first, :second,"
                " :won, -:won, 9, NULL, :fingerprint)"
            ),
            games,
        )


def width(engine: Engine, runs: int, distinct: int) -> float:
    """The width of an interval, over so many runs with so many games that differ."""
    table, *counts = standing(engine, GOMOKU)
    assert counts == [runs, 80 * runs]
    assert isinstance(table, Standings)
    assert table.duels[0].distinct == distinct
    low, high = table.scores["a"].elo_ci95
    return high - low


def test_a_run_repeated_move_by_move_changes_nothing(engine: Engine) -> None:
    stored(engine, "one", "hash")
    alone = width(engine, 1, 80)
    stored(engine, "two", "hash")
    assert width(engine, 2, 80) == pytest.approx(alone)


def test_a_schedule_played_again_with_other_moves_is_no_new_evidence(engine: Engine) -> None:
    # The starts are the same ones, so the games belong to the clusters of the first run.
    stored(engine, "one", "hash")
    alone = width(engine, 1, 80)
    stored(engine, "two", "hash", "other moves ")
    assert width(engine, 2, 160) > 0.9 * alone


def test_another_schedule_is_new_evidence(engine: Engine) -> None:
    stored(engine, "one", "hash")
    alone = width(engine, 1, 80)
    stored(engine, "two", "other hash", "other moves ")
    assert width(engine, 2, 160) < 0.8 * alone
