"""Reports, the command line, the store and the gate."""

import json
import runpy
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trireme import BadSpec, make_game
from trireme.arena import Match, entrants, gate, run_match, start, to_plain, write_reports
from trireme.arena.history import keep, standing
from trireme.arena.standing import Standings
from trireme.cli import app
from trireme.store import open_store

AGENTS = Path(__file__).with_name("broken_agents.py")
VOID = {"meta", "br", "line", "circle", "rect", "link"}
TWO_SEATS = {"wins", "draws", "losses", "score", "score_ci95", "elo", "elo_ci95", "elo_bound"}
ALONE = {"shots_mean", "shots_median", "shots_ci95"}

pytestmark = pytest.mark.usefixtures("no_preflight")


def run_cli(*arguments: str) -> Any:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


class Page(HTMLParser):
    """Reads a page, and fails where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.links: list[str] = []
        self.tags: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [v or "" for k, v in attrs if k in ("href", "src")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def report_of(folder: Path, game: str, *agents: str, **conditions: Any) -> tuple[Any, Page]:
    made = make_game(game)
    # In this process, as agents of the tests do no harm here: a start of Python each is saved.
    match = Match(made, entrants(made, agents, isolate=False), isolate=False, **conditions)
    run = start(match, folder)
    report = write_reports(run, run_match(run, executor="serial"))
    return to_plain(report), Page((folder / "report.html").read_text())


@pytest.mark.parametrize("game", ["gomoku:size=7", "navigation:turn_limit=4", "battleship"])
def test_the_page_of_every_game_stands_alone_and_links_every_record(
    tmp_path: Path, game: str
) -> None:
    plain, page = report_of(tmp_path / "run", game, "random", "b=random", games=4)
    assert "script" not in page.tags
    records = [link for link in page.links if link.startswith("records/")]
    assert len(records) == plain["games"] == len(page.links)
    assert all((tmp_path / "run" / link).is_file() for link in records)
    assert plain == json.loads((tmp_path / "run" / "report.json").read_text())
    for word in ("Standing", "Time a move", plain["results_hash"], plain["schedule_hash"]):
        assert word in page.text
    special = "Distribution of shots" if plain["seats"] == 1 else "First-move advantage"
    assert special in page.text
    assert page.tags.count("svg") >= 3


def test_forfeits_are_explained(tmp_path: Path) -> None:
    agents = [f"{n.lower()}={AGENTS}:{n}" for n in ("Raises", "Illegal", "Nonsense")]
    plain, page = report_of(tmp_path / "run", "gomoku:size=7", "random", *agents, games=2)
    assert len(plain["forfeits"]) == 12
    assert {f["reason"] for f in plain["forfeits"]} == {"exception", "illegal"}
    assert "RuntimeError: no idea what to play" in page.text
    assert plain["agents"][0]["name"] == "random"
    assert sum(a["forfeits"] for a in plain["agents"]) == 12


def test_names_are_shown_as_they_are_and_run_nothing(tmp_path: Path) -> None:
    wild = "<script>alert(1)</script>&=random"
    _, page = report_of(tmp_path / "run", "gomoku:size=7", wild, "random", games=2)
    assert "script" not in page.tags
    assert "<script>alert(1)</script>&" in page.text


def test_a_match_of_one_game_has_no_interval_and_no_infinite_number(tmp_path: Path) -> None:
    plain, page = report_of(tmp_path / "run", "gomoku:size=7", "random", "b=random", games=1)
    assert plain["agents"][0]["elo_ci95"] == [None, None]
    assert "too few games" in page.text


def test_agents_whose_results_depend_on_time_are_marked(tmp_path: Path) -> None:
    spec = "mcts:simulations=32,fleets=20,limit=1000"
    sea = "battleship:rows=5,cols=5,fleet=2+2"
    agents = ["random", f"steady={spec}", f"hasty={spec},seconds=1"]
    plain, page = report_of(tmp_path / "a", sea, *agents, games=1)
    assert {a["name"]: a["timed"] for a in plain["agents"]} == {
        "random": False,
        "steady": False,
        "hasty": True,
    }
    (note,) = plain["notes"]
    assert note.startswith("Timed: hasty.")
    assert "hasty timed" in page.text
    assert "steady timed" not in page.text
    budgeted, page = report_of(tmp_path / "b", sea, "random", games=1, seconds=5.0)
    assert [a["timed"] for a in budgeted["agents"]] == [True]
    assert "random timed" in page.text
    assert not any(note.startswith("Timed") for note in budgeted["notes"])


# The command line


def test_json_tells_what_programs_need(tmp_path: Path) -> None:
    asked = ["random", "b=random", "--executor", "serial", "--json"]
    database = f"sqlite:///{tmp_path / 'store.db'}"
    told = {}
    for game in ("gomoku", "battleship", "navigation"):
        out = str(tmp_path / game)
        result = run_cli(
            "arena", game, *asked, "--games", "2", "--out", out, "--database", database
        )
        assert result.exit_code == 0
        told[game] = json.loads(result.stdout)
    for game, one in told.items():
        for agent in one["agents"]:
            assert {"name", "games", "time_per_move"} <= set(agent)
            assert (ALONE if game == "battleship" else TWO_SEATS) <= set(agent)
            assert not (TWO_SEATS if game == "battleship" else ALONE) & set(agent)
            assert agent["games"] == 2
        assert len(one["schedule_hash"]) == len(one["results_hash"]) == 16
    ratings = run_cli("ratings", "gomoku", "--database", database, "--json")
    shown = json.loads(ratings.stdout)
    assert shown["runs"] == 1
    assert {a["name"] for a in shown["agents"]} == {"random", "b"}
    assert "4 games in 1 runs" in run_cli("ratings", "battleship", "--database", database).stdout
    nothing = run_cli("ratings", "gomoku", "--set", "size=9", "--database", database)
    assert "No runs of gomoku" in nothing.stdout


def test_the_table_is_printed_and_the_report_named(tmp_path: Path) -> None:
    out = tmp_path / "run"
    arguments = ["--set", "size=7", "--games", "8", "--out", str(out), "--database", "none"]
    result = run_cli("arena", "gomoku", "random", "b=random", "--executor", "serial", *arguments)
    assert result.exit_code == 0
    assert "random" in result.stdout
    assert str(out / "report.html") in result.stdout.replace("\n", "")
    assert "timed" not in result.stdout.split("Report:")[0]
    timed = ["--time", "5", "--out", str(tmp_path / "timed"), *arguments[:4], *arguments[6:]]
    timed_run = run_cli("arena", "gomoku", "random", "b=random", "--executor", "serial", *timed)
    assert "timed" in timed_run.stdout.split("Report:")[0]
    again = run_cli("arena", "--resume", str(out), "--json", "--database", "none")
    assert json.loads(again.stdout)["games"] == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected a game and its agents"),
        (["gomoku", "random"], "at least 2 agents"),
        (["gomoku", "random", "random", "--sprt", "5"], "expected elo0,elo1"),
        (["gomoku", "--resume", "somewhere"], "leave game and agents out"),
        (["gomoku", "random", "random", "--set", "size=99"], "size must be"),
    ],
)
def test_a_mistake_on_the_command_line_is_explained(arguments: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run_cli("arena", *arguments)


@pytest.mark.slow
def test_the_example_measures_its_agent(capsys: pytest.CaptureFixture[str]) -> None:
    file = Path(__file__).parents[2] / "examples" / "arena_match.py"
    runpy.run_path(str(file))["main"](games=4)
    told = capsys.readouterr().out
    assert "neighbour" in told
    assert "heuristic" in told
    assert Path(told.split("Report: ")[1].strip()).is_file()


# The store


def kept(folder: Path, url: str, seed: int = 0) -> None:
    game = make_game("gomoku", size=7)
    agents = entrants(game, ["random", "b=random", f"{AGENTS}:Raises"], isolate=False)
    made = Match(game, agents, 6, seed, isolate=False)
    run = start(made, folder)
    progress = run_match(run, executor="serial")
    report = write_reports(run, progress)
    engine = open_store(url)
    keep(engine, run, progress, report)
    keep(engine, run, progress, report)
    engine.dispose()


@pytest.mark.parametrize(
    "store_url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)], indirect=True
)
def test_the_standing_is_over_all_runs_and_counts_repeated_ones_once(
    tmp_path: Path, store_url: str
) -> None:
    game = make_game("gomoku", size=7)
    tables = []
    for folder, seed in (("one", 0), ("again", 0), ("other", 1)):
        kept(tmp_path / folder, store_url, seed)
        engine = open_store(store_url)
        table, runs, games = standing(engine, game)
        engine.dispose()
        assert isinstance(table, Standings)
        tables.append(table)
        assert runs == len(tables)
        assert games == 18 * len(tables)
    name = str(f"{AGENTS}:Raises")
    bounds = [t.scores[name].elo for t in tables]  # it lost everything
    assert [t.scores[name].elo_bound for t in tables] == ["upper"] * 3
    assert bounds[1] == pytest.approx(bounds[0])
    assert bounds[2] < bounds[0]
    assert tables[2].scores[name].losses == 36
    engine = open_store(store_url)
    assert standing(engine, make_game("gomoku"))[1:] == (0, 0)
    engine.dispose()


# The gate


class Weak:
    """Loses every game."""

    name = "weak"

    def act(self, turn: object) -> object:
        raise RuntimeError("no idea what to play")


def test_the_gate_lets_the_stronger_through_and_keeps_its_evidence(tmp_path: Path) -> None:
    game, weak = make_game("gomoku", size=7), Weak()
    passed = gate(game, "random", weak, games=10, executor="serial", out=tmp_path / "one")
    assert passed.passed
    assert (passed.wins, passed.score, passed.games) == (10, 1.0, 10)
    assert passed.elo_change >= 0
    refused = gate(game, weak, "random", games=10, executor="serial", out=tmp_path / "two")
    assert not refused.passed
    doubted = gate(
        game,
        "random",
        weak,
        games=10,
        evidence="interval",
        threshold=0.9,
        executor="serial",
        out=tmp_path / "three",
    )
    assert not doubted.passed
    assert json.loads((tmp_path / "one" / "gate.json").read_text())["passed"] is True
    assert (tmp_path / "one" / "report.html").is_file()


@pytest.mark.parametrize(("game", "threshold"), [("battleship", 0.55), ("gomoku", 1.5)])
def test_a_senseless_gate_is_refused(game: str, threshold: float) -> None:
    with pytest.raises(BadSpec, match=r"two agents|between 0 and 1"):
        gate(make_game(game), "random", "random", threshold=threshold)
