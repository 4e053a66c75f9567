"""Hostile agents in the arena: spies gain nothing, saboteurs lose their own games and no others."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from trireme import make_game
from trireme.arena import (
    Match,
    Outcome,
    entrants,
    resume,
    run_match,
    start,
    to_plain,
    write_reports,
)
from trireme.arena.executors import log as executor_log
from trireme.arena.run import Progress

HOSTILE = Path(__file__).parents[1] / "core" / "hostile_agents.py"
SPIES = ("SeedSpy", "FrameSpy", "GarbageSpy", "ModuleSpy", "ProcessSpy", "FileSpy")
BATTLESHIP = make_game("battleship:rows=8,cols=8")

pytestmark = pytest.mark.usefixtures("no_preflight")


def hostile(*names: str) -> list[str]:
    return [f"{name}={HOSTILE}:{name}" for name in names]


def match(game: Any, *agents: Any, isolate: bool = True, **conditions: Any) -> Match:
    """Without `isolate` no process starts for each agent, and yet agents of others take part."""
    made = entrants(game, agents, isolate=False)  # without a process to make each one
    return Match(game, made, isolate=isolate, **conditions)


def mean_shots(made: Match, folder: Path, **options: Any) -> dict[str, float]:
    run = start(made, folder)
    report = write_reports(run, run_match(run, **options))
    assert not report.forfeits
    return {a.name: a.standing.shots_mean for a in report.agents}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("spies", "games", "executor"),
    [
        pytest.param(("RunFolderSpy", "SeedSpy"), 3, "serial", id="some"),
        pytest.param(("RunFolderSpy", *SPIES), 6, "processes", id="all", marks=pytest.mark.slow),
    ],
)
def test_spies_sink_fleets_no_sooner_than_hunt(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spies: tuple[str, ...],
    games: int,
    executor: str,
) -> None:
    """The files of the run lie where the spies look, and all play the same fleets."""
    monkeypatch.chdir(tmp_path)
    agents = ("hunt", *hostile(*spies))
    made = match(BATTLESHIP, *agents, games=games, seed=31_415_926, secret_seed=True)
    shots = mean_shots(made, tmp_path / "run", executor=executor, workers=2)
    assert set(shots) == {"hunt", *spies}
    assert min(shots, key=shots.__getitem__) == "hunt"


@pytest.mark.slow
def test_the_folder_spy_would_read_the_seed_of_a_match_that_does_not_hide_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the test above would show nothing."""
    monkeypatch.chdir(tmp_path)
    made = match(BATTLESHIP, "hunt", *hostile("RunFolderSpy"), games=1, seed=31_415_926)
    shots = mean_shots(made, tmp_path / "run", executor="serial")
    ships = sum(BATTLESHIP.boards[0].sizes)  # type: ignore[attr-defined]
    assert shots["RunFolderSpy"] == ships


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_records_of_a_round_appear_when_all_its_games_are_done(
    tmp_path: Path, executor: str
) -> None:
    made = match(BATTLESHIP, *hostile("Plain"), "random", "hunt", games=2, isolate=False)
    folder = start(made, tmp_path / "run")

    def whole_rounds(progress: Progress) -> None:
        kept = folder.outcomes()
        rounds = [made_.round for made_ in progress.fixtures if made_.number in kept]
        assert all(rounds.count(r) == 3 for r in rounds)
        assert {int(p.stem) for p in (folder.path / "records").iterdir()} == set(kept)

    done = run_match(folder, executor=executor, workers=2, on_game=whole_rounds)
    assert folder.outcomes() == done.outcomes


def test_a_run_that_is_stopped_keeps_all_and_hides_open_rounds_when_it_goes_on(
    tmp_path: Path,
) -> None:
    made = match(BATTLESHIP, *hostile("Plain"), "random", "hunt", games=3, isolate=False)
    calm = run_match(start(made, tmp_path / "calm"), executor="serial").outcomes

    def stop(progress: Progress) -> None:
        if len(progress.outcomes) == 5:
            raise KeyboardInterrupt

    def look(progress: Progress) -> None:
        seen.append(sorted(int(p.stem) for p in (folder.path / "records").iterdir()))

    with pytest.raises(KeyboardInterrupt):
        run_match(start(made, tmp_path / "run"), executor="serial", on_game=stop)
    folder = resume(tmp_path / "run")
    assert sorted(folder.outcomes()) == [0, 1, 2, 3, 4]
    folder.record_path(4).unlink()  # a game whose record is lost is played again
    seen: list[list[int]] = []
    done = run_match(folder, executor="serial", on_game=look)
    assert seen[0] == [0, 1, 2]
    assert seen[-1] == list(range(9))
    prints = [{n: o.fingerprint for n, o in found.items()} for found in (calm, done.outcomes)]
    assert prints[0] == prints[1]
    assert folder.outcomes() == done.outcomes


def test_a_secret_seed_is_stored_only_while_nobody_plays(tmp_path: Path) -> None:
    secret = {"seed": 271_828, "secret_seed": True}
    made = match(BATTLESHIP, *hostile("Plain"), games=2, isolate=False, **secret)
    folder = start(made, tmp_path / "run")
    seen: list[int | None] = []

    def look(_: Progress) -> None:
        head = json.loads((folder.path / "match.json").read_bytes())
        seen.append(head["match"]["seed"])
        if len(seen) == 1:
            killed = tmp_path / "killed"
            killed.mkdir()
            (killed / "match.json").write_bytes((folder.path / "match.json").read_bytes())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_match(folder, executor="serial", on_game=look)
    run_match(resume(tmp_path / "run"), executor="serial", on_game=look)
    assert seen == [None, None]
    assert resume(tmp_path / "run").match.seed == 271_828
    with pytest.raises(ValueError, match="give the seed that was printed"):
        resume(tmp_path / "killed")
    with pytest.raises(ValueError, match="the seed is another"):
        resume(tmp_path / "killed", seed=1)
    assert resume(tmp_path / "killed", seed=271_828).match == made


SABOTEURS = {
    "Interrupts": "exception",
    "Unprintable": "exception",
    "Huge": "exception",
    "Surrogates": "exception",
    "OddAction": "illegal",
    "Blames": "illegal",
    "Hog": "exception",
    "Kills": "process",
}


@pytest.mark.parametrize(
    ("saboteurs", "executor"),
    [
        pytest.param(("Huge", "Blames", "Kills"), "serial", id="some"),
        pytest.param(tuple(SABOTEURS), "processes", id="all", marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
def test_saboteurs_forfeit_and_the_others_play_as_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saboteurs: tuple[str, ...], executor: str
) -> None:
    monkeypatch.setenv("HOSTILE_CHILD", str(tmp_path / "child"))
    game = make_game("gomoku:size=7")
    others = ["random", "b=random"]

    def outcomes(name: str, *agents: str) -> tuple[Match, dict[int, Outcome]]:
        made = match(game, *agents, games=2, memory=1024, gauntlet=True)
        folder = start(made, tmp_path / name)
        progress = run_match(folder, executor=executor, workers=2)
        assert progress.complete
        text = json.dumps(to_plain(write_reports(folder, progress)))
        assert len(text) < 200_000
        return made, progress.outcomes

    _, calm = outcomes("calm", *others)
    made, stormy = outcomes("stormy", *others, *hostile(*saboteurs, "Parent"))
    between = [
        stormy[f.number].fingerprint
        for f in start(made, tmp_path / "again").fixtures
        if set(f.seats) == {0, 1}
    ]
    assert between == [calm[n].fingerprint for n in sorted(calm)]
    for fixture in resume(tmp_path / "stormy").fixtures:
        names = [made.names[i] for i in fixture.seats]
        for forfeit in stormy[fixture.number].forfeits:
            assert forfeit.reason == SABOTEURS[names[forfeit.seat]]
            assert forfeit.detail.strip()
        guilty = [seat for seat, name in enumerate(names) if name in SABOTEURS]
        assert bool(stormy[fixture.number].forfeits) == bool(guilty)
    size = sum(p.stat().st_size for p in (tmp_path / "stormy").rglob("*") if p.is_file())
    assert size < 2_000_000
    if sys.platform.startswith("linux"):
        status = Path(f"/proc/{(tmp_path / 'child').read_text()}/stat")
        assert not status.exists() or status.read_text().rsplit(")", 1)[1].split()[0] == "Z"


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_the_log_of_what_agents_print_is_capped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, executor: str
) -> None:
    monkeypatch.setattr(executor_log, "MAX_LOG", 10_000)
    game = make_game("gomoku:size=7")
    folder = start(match(game, *hostile("Chatter"), "random", games=2), tmp_path / "run")
    run_match(folder, executor=executor, workers=1)
    text = (folder.path / "workers.log").read_text()
    assert len(text) == 10_000
    assert "the log is full" in text


@pytest.mark.slow
def test_the_report_says_where_each_agent_ran(tmp_path: Path) -> None:
    game = make_game("gomoku:size=7")
    bot = f"{sys.executable} {Path(__file__).parents[2] / 'examples' / 'process_agent.py'}"
    agents = ["random", *hostile("Plain"), f'program=process:cmd="{bot}"']
    places = {}
    for isolate in (True, False):
        made = match(game, *agents, games=1, gauntlet=True, isolate=isolate)
        folder = start(made, tmp_path / f"{isolate}")
        assert resume(folder.path).match.isolate is isolate
        plain = to_plain(write_reports(folder, run_match(folder, executor="serial")))
        places[isolate] = {a["name"]: a["place"] for a in plain["agents"]}
        page = (folder.path / "report.html").read_text()
        assert places[isolate]["Plain"] in page
    assert places[True] == {"random": "shipped", "Plain": "isolated", "program": "external"}
    assert places[False]["Plain"] == "in-process"


@pytest.mark.slow
def test_a_foreign_agent_is_made_in_its_own_process_before_the_match() -> None:
    before = set(sys.modules)
    entrants(BATTLESHIP, hostile("Plain"))
    assert not [name for name in set(sys.modules) - before if "hostile" in name]
    with pytest.raises(ValueError, match="'Unmade' can't be made: SystemExit: not me"):
        entrants(BATTLESHIP, hostile("Unmade"))
    with pytest.raises(ValueError, match="unknown class"):
        entrants(BATTLESHIP, hostile("Nobody"))


@pytest.mark.parametrize("isolate", [True, False])
def test_an_agent_of_another_game_is_refused_by_name(isolate: bool) -> None:
    from trireme.gomoku.agents.heuristic import Heuristic

    wrong = [
        ("heuristic", "gomoku"),
        (Heuristic(), "gomoku"),
        *[(agent, "chess and go") for agent in hostile("Stranger")],
    ]
    for agent, games in wrong:
        with pytest.raises(ValueError, match=f"plays {games}, not battleship"):
            entrants(BATTLESHIP, [agent], isolate=isolate)


@pytest.mark.parametrize("isolate", [True, False])
def test_a_cell_is_a_shot_wherever_the_agent_runs(tmp_path: Path, isolate: bool) -> None:
    made = match(BATTLESHIP, *hostile("Cell"), games=1, isolate=isolate)
    (outcome,) = run_match(start(made, tmp_path / "run"), executor="serial").outcomes.values()
    assert outcome.moves == 2  # nature's, and the first shot
    assert outcome.forfeits[0].detail == "B7 has been shot at already"


def test_a_folder_of_an_older_version_opens(tmp_path: Path) -> None:
    folder = start(match(BATTLESHIP, "random", games=2), tmp_path / "run")
    head = json.loads((folder.path / "match.json").read_bytes())
    for field in ("isolate", "memory", "secret_seed"):
        del head["match"][field]
    (folder.path / "match.json").write_text(json.dumps(head))
    assert resume(folder.path).match == folder.match
