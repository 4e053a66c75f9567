"""The live page: what it tells of a match that runs and of one that is done, and to whom."""

import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trireme import make_game
from trireme.arena import Match, Sprt, entrants, run_match, start
from trireme.arena.folder import Folder
from trireme.arena.live import LiveServer
from trireme.arena.live.snapshot import LISTED, list_games, running_games
from trireme.arena.run import Progress, progress_of
from trireme.arena.statistics.sprt import pair_counts

GAME = make_game("gomoku", size=7)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Folder, Progress]:
    made = Match(GAME, entrants(GAME, ["random", "heuristic"]), games=6, sprt=Sprt(0, 30))
    folder = start(made, tmp_path_factory.mktemp("live") / "run")
    return folder, run_match(folder, executor="serial")


@pytest.fixture
def server(run: tuple[Folder, Progress]) -> Iterator[LiveServer]:
    with LiveServer(*run) as made:
        yield made


def get(server: LiveServer, path: str = "", host: str | None = None) -> tuple[int, str]:
    request = urllib.request.Request(server.address + path)
    if host is not None:
        request.add_header("Host", host)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def get_json(server: LiveServer, path: str) -> Any:
    status, body = get(server, path)
    assert status == 200, body
    return json.loads(body)


def test_the_page_is_the_report_with_a_script(server: LiveServer) -> None:
    status, body = get(server)
    assert status == 200
    assert '<script src="page.js">' in body
    assert "<option>heuristic</option>" in body
    assert get(server, "page.js")[0] == 200
    status, report = get(server, "report")
    assert status == 200
    assert "Cross table" in report
    assert report == get(server, "report")[1]


def test_the_state_has_progress_and_the_curve_of_the_test(server: LiveServer) -> None:
    state = get_json(server, "state.json")
    assert state["played"] == len(server.progress.outcomes)
    assert state["complete"]
    assert state["running"] == []
    test = server.progress.test
    assert test is not None
    assert state["sprt"]["pairs"][-1] == len(test.scores)
    assert state["sprt"]["llr"][0] == 0
    assert state["sprt"]["pairs"] == [0, 1, 2, 3]
    assert state["sprt"]["llr"][-1] == pytest.approx(test.rule.llr(pair_counts(test.scores)))
    assert state["sprt"]["bounds"] == list(test.rule.bounds)


def test_games_are_filtered_by_agent_and_result(server: LiveServer) -> None:
    whole = get_json(server, "games.json")
    assert whole["total"] == len(server.progress.outcomes)
    assert whole["games"][0]["number"] > whole["games"][-1]["number"], "newest first"
    lost = get_json(server, "games.json?agent=random&result=lost")
    won = get_json(server, "games.json?agent=heuristic&result=won")
    assert lost["games"] == won["games"] != []
    for one in lost["games"]:
        assert one["returns"][one["seats"].index("random")] == -1
    assert get_json(server, "games.json?agent=random&result=forfeit")["total"] == 0
    assert get_json(server, "games.json?offset=999999")["games"] == []
    assert get_json(server, "games.json?offset=-5")["games"] == whole["games"]


def test_a_long_list_comes_in_parts(run: tuple[Folder, Progress]) -> None:
    _, done = run
    many = Progress(done.match, [done.fixtures[0]] * 999)
    many.outcomes = dict.fromkeys(range(999), done.outcomes[0])
    first = list_games(many)
    assert (first["total"], len(first["games"])) == (999, LISTED)
    assert len(list_games(many, offset=900)["games"]) == 99


def test_a_game_is_replayed_with_times_values_and_notes(server: LiveServer) -> None:
    game = get_json(server, "game.json?number=0")
    frames = game["frames"]
    assert len(frames) == server.progress.outcomes[0].moves + 1
    assert frames[0]["board"] != frames[-1]["board"]
    assert list(frames[-1]["seconds"]) == list(frames[-1]["actions"])
    assert game["end"]["returns"] == list(server.progress.outcomes[0].returns)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("nothing", 404),
        ("game.json", 404),
        ("game.json?number=99", 404),
        ("game.json?number=-1", 404),
        ("game.json?number=x", 400),
        ("game.json?number=" + "9" * 5000, 400),
        ("games.json?result=best", 400),
        ("games.json?agent=nobody", 400),
        ("games.json?offset=x", 400),
        ("../../match.json", 404),
        ("%2e%2e/match.json", 404),
    ],
)
def test_questions_without_sense_get_an_error_and_no_traceback(
    server: LiveServer, path: str, status: int
) -> None:
    found, body = get(server, path)
    assert found == status
    assert set(json.loads(body)) == {"error"}


def test_only_who_knows_the_address_may_look(server: LiveServer) -> None:
    root = server.address.rsplit("/", 2)[0]
    for path in ("/", "/state.json", "/wrong/state.json", "//state.json"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(root + path, timeout=30)
    assert get(server, "state.json", host="evil.example:80")[0] == 403
    assert get(server, "state.json", host="localhost:1")[0] == 200


def test_games_in_progress_are_drawn_from_what_is_written(run: tuple[Folder, Progress]) -> None:
    folder, _ = run
    text = folder.record_path(0).read_text()
    half = text[: len(text) // 2]
    (game,) = running_games([half, "", text[:20], "garbage\n"])
    assert game["seats"] == ("random", "heuristic")
    assert 0 < game["moves"] < text.count("\n")
    assert game["board"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=pytest.mark.slow)])
def test_games_in_progress_are_seen_on_their_boards(
    tmp_path: Path, executor: str, no_preflight: None
) -> None:
    check_running_board(tmp_path, executor)


def check_running_board(tmp_path: Path, executor: str) -> None:
    """An agent waits in the middle of each game until its board has been seen on the live page."""
    tmp_path.mkdir(exist_ok=True)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    agents = ["random", f"waits={Path(__file__).with_name('broken_agents.py')}:Waits:pipe={pipe}"]
    players = entrants(GAME, agents, isolate=False)
    made = Match(GAME, players, games=2, isolate=False, openings=("d4",))
    folder = start(made, tmp_path / "run")
    boards: list[dict[str, Any]] = []
    with LiveServer(folder, progress_of(folder)) as server:

        def follow(progress: Progress) -> None:
            server.progress = progress

        def look() -> None:
            # when the third move of the waiting agent is due (later the first game has six, too)
            for due in ((("random", "waits"), 5), (("waits", "random"), 6)):
                found: list[dict[str, Any]] = []
                while not found:
                    running = server.state()["running"]
                    found = [game for game in running if (game["seats"], game["moves"]) == due]
                boards.extend(found)
                pipe.write_bytes(b"go on")

        looker = threading.Thread(target=look, daemon=True)
        looker.start()
        done = run_match(folder, executor=executor, workers=1, on_start=follow)
        looker.join()
        assert server.state()["running"] == []
    assert [len(o.forfeits) for o in done.outcomes.values()] == [0, 0]
    assert [game["seats"] for game in boards] == [("random", "waits"), ("waits", "random")]
    assert all(game["board"].count("X") + game["board"].count("O") for game in boards)


def test_a_running_match_is_followed(tmp_path: Path) -> None:
    made = Match(GAME, entrants(GAME, ["a=random", "b=random"]), games=40)
    folder = start(made, tmp_path / "run")
    seen: list[dict[str, Any]] = []
    with LiveServer(folder, progress_of(folder)) as server:
        assert get_json(server, "state.json")["played"] == 0

        def follow(progress: Progress) -> None:
            server.progress = progress

        def look(_: Progress) -> None:
            seen.append(server.state())

        run_match(folder, executor="processes", workers=1, on_start=follow, on_game=look)
        assert get_json(server, "state.json")["complete"]
    assert [s["played"] for s in seen] == list(range(1, 41))
    assert not seen[0]["complete"]
    boards = [game for s in seen for game in s["running"]]
    assert all({"seats", "moves", "board"} == set(game) for game in boards)
