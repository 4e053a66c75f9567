"""The games of an arena run in the browser: listed, opened as records, and only what is there."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from trireme import BadSpec, TriremeError, make_game, parse_record
from trireme.arena import Match, entrants, run_match, start, write_reports
from trireme.cli import app as command_line
from trireme.cli import arena as arena_command
from trireme.cli.open_run import is_finished
from trireme.server.app import Config, create_app
from trireme.server.run_viewer import open_run
from trireme.store import open_store

GAME = make_game("gomoku", size=7)


class Crashes:
    name = "crashes"

    def act(self, turn: Any) -> Any:
        raise RuntimeError("no idea")


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    match = Match(GAME, entrants(GAME, ["random", Crashes()]), games=4)
    folder = start(match, tmp_path / "run")
    write_reports(folder, run_match(folder, executor="serial"))
    return folder.path


@pytest.fixture
def client(run_folder: Path, tmp_path: Path) -> Iterator[TestClient]:
    engine = open_store(f"sqlite:///{tmp_path}/rooms.db")
    config = Config(workers=0, warm=False, arena_run=open_run(run_folder))
    with TestClient(create_app(engine, config), base_url="http://localhost") as found:
        yield found
    engine.dispose()


def test_all_games_are_listed_with_their_ends(client: TestClient) -> None:
    run = client.get("/run/games.json").json()
    assert (run["game"], run["agents"]) == ("gomoku", ["random", "crashes"])
    assert [g["number"] for g in run["games"]] == [0, 1, 2, 3]
    first, second = run["games"][:2]
    assert (first["agents"], second["agents"]) == (["random", "crashes"], ["crashes", "random"])
    assert (first["returns"], second["returns"]) == ([1, -1], [-1, 1])
    (fault,) = first["forfeits"]
    assert (fault["agent"], fault["reason"]) == ("crashes", "exception")
    assert "no idea" in fault["detail"]


def test_records_diagnoses_and_the_report_can_be_opened(client: TestClient) -> None:
    record = parse_record(client.get("/run/records/1").text)
    assert record.header.seats == ("crashes", "random")
    assert client.get("/run/diagnoses/1").json()["seats"][0]["traceback"]
    assert "Standing" in client.get("/run/report.html").text
    page = client.get("/run").text
    for part in ("/run/page.js", "/run/page.css"):
        assert part in page
        assert client.get(part).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/run/records/99",
        "/run/records/-1",
        "/run/records/..%2Fmatch.json",
        "/run/diagnoses/99",
        "/run/page.html",
        "/run/page.py",
    ],
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in (400, 404, 422)


def test_a_server_without_a_run_has_no_such_page(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path}/rooms.db")
    app = create_app(engine, Config(workers=0, warm=False))
    with TestClient(app, base_url="http://localhost") as found:
        assert found.get("/run/games.json").status_code == 404
    engine.dispose()


def test_runs_that_can_not_be_shown_say_why(tmp_path: Path) -> None:
    with pytest.raises(TriremeError, match="is no run folder"):
        open_run(tmp_path)
    (tmp_path / "match.json").write_text("[]")
    with pytest.raises(TriremeError, match="another version"):
        open_run(tmp_path)
    start(Match(GAME, entrants(GAME, ["random", "random"]), games=2), tmp_path / "new")
    with pytest.raises(TriremeError, match="no finished games yet"):
        open_run(tmp_path / "new")
    assert not is_finished(tmp_path / "new")


def test_the_option_opens_a_finished_run_without_its_agents(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Path] = []
    monkeypatch.setattr(arena_command, "show_run", shown.append)
    done = CliRunner().invoke(
        command_line, ["arena", "--resume", str(run_folder), "--open", "--database", "none"]
    )
    assert done.exit_code == 0, done.output
    assert shown == [run_folder]


def test_the_option_opens_the_match_that_was_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Path] = []
    monkeypatch.setattr(arena_command, "show_run", shown.append)
    arguments = ["arena", "gomoku:size=7", "random", "b=random", "--games", "2", "--executor"]
    arguments += ["serial", "--database", "none", "--out", str(tmp_path / "run"), "--seed", "1"]
    assert CliRunner().invoke(command_line, arguments).exit_code == 0
    assert shown == []
    again = [*arguments[:-3], str(tmp_path / "b"), "--seed", "1", "--open"]
    assert CliRunner().invoke(command_line, again).exit_code == 0
    assert shown == [tmp_path / "b"]
    refused = CliRunner().invoke(command_line, ["arena", "--open"])
    assert isinstance(refused.exception, BadSpec)
