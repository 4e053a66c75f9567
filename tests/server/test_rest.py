"""REST: what can be played, records in and out, replays, analysis, health, the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from trireme.arena import Match, entrants, run_match, start, write_reports
from trireme.arena.history import keep
from trireme.core.play import play
from trireme.core.record import parse_record
from trireme.core.registry import GAMES, find, make_game
from trireme.server.protocol import schema as schema_module
from trireme.server.protocol.codes import CODES
from trireme.store import open_store

from .live import Player, Running, play_out

DOCS = Path(__file__).parents[2] / "docs"


def test_games_are_listed_with_all_that_a_lobby_needs(server: Running) -> None:
    games = {game["name"]: game for game in server.http.get("/api/games").json()}
    assert list(games) == list(GAMES)
    for name, game in games.items():
        assert game["summary"]
        assert game["opponent"].partition(":")[0] in [a["name"] for a in game["agents"]]
        for variant in game["variants"]:
            answer = server.http.post(f"/api/games/{name}/check", json={"variant": variant})
            assert answer.json()["ok"], answer.text
        for option in game["settings"]:
            assert option["help"]
    assert games["navigation"]["maps"] is True
    assert games["battleship"]["versus"] == "duel"


def test_settings_are_checked_with_their_problem_in_words(server: Running) -> None:
    wrong = server.http.post("/api/games/gomoku/check", json={"settings": {"size": 99}}).json()
    assert wrong["ok"] is False
    assert "99" in wrong["problem"]
    right = server.http.post("/api/games/gomoku/check", json={"settings": {"size": 9}}).json()
    assert right["ok"] is True
    assert right["settings"]["rule"] == "standard"
    assert right["view"]["stones"] == []
    assert server.http.post("/api/games/chess/check", json={}).json()["code"] == "no_such_game"


def test_maps_are_given_and_checked_problem_by_problem(server: Running) -> None:
    maps = "/api/games/navigation/maps"
    sea = server.http.get(f"{maps}/default").json()
    fine = server.http.post(f"{maps}/check", json=sea).json()
    assert fine == {"ok": True, "problems": []}
    assert server.http.get(f"{maps}/procedural:7").json()["width"] == 24
    assert server.http.get(f"{maps}/atlantis").json()["code"] == "not_found"
    sea["rocks"] += [{"x": 99, "y": 0, "size": "small"}, {"x": 0, "y": 0, "size": "huge"}]
    checked = server.http.post(f"{maps}/check", json=sea).json()
    assert checked["ok"] is False
    assert len(checked["problems"]) == 2
    assert server.http.post(f"{maps}/check", json={"id": 7}).json()["problems"]
    drawn = {**server.http.get(f"{maps}/procedural:3").json(), "id": "mine", "name": "Mine"}
    held = server.create("navigation", settings={"map": drawn}, clock="none")
    assert held["info"]["settings"]["map"]["name"] == "Mine"


def test_only_games_with_maps_have_maps(server: Running) -> None:
    assert [g["name"] for g in server.http.get("/api/games").json() if g["maps"]] == ["navigation"]
    for game, code in (("gomoku", "not_found"), ("chess", "no_such_game")):
        assert server.http.get(f"/api/games/{game}/maps/default").json()["code"] == code
        checked = server.http.post(f"/api/games/{game}/maps/check", json={})
        assert checked.json()["code"] == code


def test_a_record_goes_out_and_comes_in_again(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    play_out(first, second)
    text = server.http.get(f"/api/rooms/{first.room}/record").text
    replay = server.http.post("/api/replay", json={"record": text}).json()
    own = server.http.get(f"/api/rooms/{first.room}/replay").json()
    assert replay["frames"] == own["frames"]
    assert replay["result"] == own["result"] == first.position["result"]
    assert len(own["frames"]) == first.position["moves"] + 1
    assert own["frames"][-1]["views"]["0"] == first.state(0)["view"]
    assert text == server.http.get(f"/api/rooms/{first.room}/record").text


@pytest.mark.parametrize("game", GAMES)
def test_records_of_the_command_line_can_be_replayed(server: Running, game: str) -> None:
    made = make_game(game)
    result = play(made, ["random"] * made.seats, seed=1)
    replay = server.http.post("/api/replay", json={"record": result.record.text}).json()
    assert len(replay["frames"]) == len(result.record.moves) + 1
    assert replay["result"]["returns"] == list(result.returns)


@pytest.mark.parametrize("fault", ["", "hello", "{}\n", "cut", "changed"])
def test_a_bad_record_is_refused_with_its_line(server: Running, fault: str) -> None:
    text = play(make_game("gomoku", size=9), ["random", "random"], seed=1).record.text
    lines = text.splitlines(keepends=True)
    sent = {"cut": lines[0] + lines[2], "changed": text.replace('"move_no":2', '"move_no":3')}
    answer = server.http.post("/api/replay", json={"record": sent.get(fault, fault)})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_record")
    assert answer.json()["message"].startswith("line ")


def test_a_running_games_record_can_be_read_by_those_who_may(server: Running) -> None:
    first, second = server.two_players("battleship", settings={"duel": True})
    first.act(0, "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2")
    second.act(1, "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2")
    lines = record_lines(server, first)
    assert lines[0]["seed"] is None
    assert lines[1]["actions"] == {"0": "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2", "1": None}
    lines = record_lines(server, Player(server.address, first.room, None))
    assert lines[1]["actions"] == {"0": None, "1": None}
    stolen = {"Authorization": "Bearer nonsense"}
    answer = server.http.get(f"/api/rooms/{first.room}/record", headers=stolen)
    assert (answer.status_code, answer.json()["code"]) == (403, "bad_token")


def record_lines(server: Running, player: Player) -> list[dict[str, Any]]:
    headers = {} if player.token is None else {"Authorization": f"Bearer {player.token}"}
    text = server.http.get(f"/api/rooms/{player.room}/record", headers=headers).text
    return [json.loads(line) for line in text.splitlines()]


def test_a_running_open_game_gives_a_record_that_can_be_replayed(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    first.act(0, "e5")
    text = server.http.get(f"/api/rooms/{first.room}/record").text
    record = parse_record(text)
    assert record.moves == ({0: "e5"},)
    assert record.end is None
    assert server.http.post("/api/replay", json={"record": text}).json()["result"] is None
    assert second.position["moves"] <= 1


def test_hints_name_an_agent_and_a_legal_action(server: Running) -> None:
    player = server.player(server.create("gomoku", settings={"size": 9}))
    hint = player.ask("hint", seat=0, agent="random", seconds=0.1)
    assert hint["agent"] == "random"
    assert hint["action"] in player.state(0)["legal"]
    assert player.ask("hint", seat=0, agent="os:system")["code"] == "bad_agent"
    assert player.position["moves"] == 0


INSIGHTS = {
    "battleship": {"heat", "entropy_bits", "best"},
    "gomoku": {"value", "depth", "line", "moves"},
    "navigation": {"plans"},
}
"""What web-protocol.md promises of each game."""


@pytest.mark.parametrize("game", GAMES)
def test_insight_has_the_shape_that_clients_expect(server: Running, game: str) -> None:
    player = server.player(server.create(game, clock="none"))
    answer = player.ask("insight", seat=0, seconds=0.2)
    if find(game).insight is None:
        assert answer["code"] == "no_insight"
        return
    assert answer["type"] == "insight", answer
    assert set(answer["insight"]) >= INSIGHTS[game]
    actions = {
        "battleship": lambda found: [found["best"]],
        "gomoku": lambda found: [move["action"] for move in found["moves"]],
        "navigation": lambda found: [plan["plan"] for plan in found["plans"]],
    }[game](answer["insight"])
    made = make_game(game)
    assert actions
    for action in actions:
        assert made.write(made.read(action)) == action
    if game == "battleship":
        heat = answer["insight"]["heat"]
        assert (len(heat), len(heat[0])) == (10, 10)
        assert sum(map(sum, heat)) == pytest.approx(17, rel=0.05)
    if game == "navigation":
        weights = [plan["weight"] for plan in answer["insight"]["plans"]]
        assert weights == sorted(weights, reverse=True)
        assert 0.9 < sum(weights) <= 1.001


def test_analysis_of_any_position_of_a_finished_game(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    body = {"room": first.room, "move": 3, "seat": 1, "kind": "hint", "agent": "random"}
    running = server.http.post("/api/analysis", json=body)
    assert (running.status_code, running.json()["code"]) == (409, "game_running")
    play_out(first, second)
    answer = server.http.post("/api/analysis", json=body).json()
    assert answer["agent"] == "random"
    assert make_game("gomoku", size=9).read(answer["action"])
    text = server.http.get(f"/api/rooms/{first.room}/record").text
    same = {**body, "room": None, "record": text}
    assert server.http.post("/api/analysis", json=same).json() == answer
    for change, code in (
        ({"move": 9999}, "no_such_move"),
        ({"seat": 0}, "not_your_turn"),
        ({"seat": 9}, "not_your_seat"),
        ({"room": None}, "bad_message"),
        ({"agent": "nobody"}, "bad_agent"),
    ):
        assert server.http.post("/api/analysis", json={**body, **change}).json()["code"] == code


def test_health(server: Running) -> None:
    health = server.http.get("/healthz").json()
    assert health["ok"] is True
    assert health["workers"] == 1


METRICS = {
    "trireme_rooms",
    "trireme_connections",
    "trireme_workers",
    "trireme_tasks_waiting",
    "trireme_moves",
    "trireme_games",
    "trireme_refusals",
    "trireme_messages",
    "trireme_agent_failures",
    "trireme_stored",
    "trireme_commit_seconds",
    "trireme_think_seconds",
    "trireme_late_seconds",
    "trireme_checks_waiting",
    "trireme_read_only",
    "trireme_connections_closed",
    "trireme_quota_used",
    "trireme_quota_refused",
}
"""Metric families as Prometheus' parser names them: counters without `_total`."""


@pytest.mark.slow
def test_metrics_count_what_happens(serve: Callable[..., Running]) -> None:
    server = serve()
    first, second = server.two_players("gomoku", settings={"size": 9})
    first.act(0, "e5")
    assert first.ask("act", seat=0, action="e6")["code"] == "not_your_turn"
    second.ask("resign", seat=1)
    assert server.http.get("/api/rooms/nosuchroom22").status_code == 404
    page = server.http.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain; version=")
    families = {family.name: family for family in text_string_to_metric_families(page.text)}
    assert set(families) == METRICS
    samples = {
        (sample.name, *sample.labels.values()): sample.value
        for family in families.values()
        for sample in family.samples
    }
    assert samples["trireme_rooms",] == 1
    assert samples["trireme_connections",] == 2
    assert samples["trireme_workers",] == 1
    assert samples["trireme_tasks_waiting",] == 0
    assert samples["trireme_moves_total", "gomoku"] == 1
    assert samples["trireme_games_total", "gomoku"] == 1
    assert samples["trireme_refusals_total", "not_your_turn"] == 1
    assert samples["trireme_refusals_total", "no_such_room"] == 1
    assert samples["trireme_messages_total",] == 3
    assert samples["trireme_stored_total",] >= 4  # create, join, act, resign
    assert samples["trireme_commit_seconds_count",] >= 1
    assert samples["trireme_late_seconds_bucket", "+Inf"] == samples["trireme_late_seconds_count",]


def test_monitors_may_ask_for_the_head_alone(server: Running) -> None:
    for place in ("/", "/healthz", "/api/games"):
        head, whole = server.http.head(place), server.http.get(place)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
    assert server.http.head("/nothing.here").status_code == 404


def test_ratings_come_from_the_arenas_store(serve: Callable[..., Running], tmp_path: Path) -> None:
    empty = serve("empty", workers=0)
    assert empty.http.get("/api/ratings").json() == []
    assert empty.http.get("/api/ratings?game=chess").json()["code"] == "no_such_game"
    engine = open_store(f"sqlite:///{tmp_path / 'full.db'}")
    for name, agents in (("battleship", ["random"]), ("gomoku", ["random", "other=random"])):
        game = make_game(name)
        folder = start(Match(game, entrants(game, agents), games=4), tmp_path / name)
        progress = run_match(folder, executor="serial")
        keep(engine, folder, progress, write_reports(folder, progress))
    engine.dispose()
    rated = serve("full", workers=0).http.get("/api/ratings").json()
    assert rated[0]["agent"] == "random"
    assert {r["agent"] for r in rated if r["game"] == "gomoku"} == {"random", "other"}
    for rating in rated:
        assert (rating["elo"] is None) == (rating["game"] == "battleship")
        assert (rating["shots"] is None) == (rating["game"] == "gomoku")
        assert rating["games"] == 4


def test_openapi_describes_every_path(server: Running) -> None:
    paths = server.http.get("/openapi.json").json()["paths"]
    page = (DOCS / "web-protocol.md").read_text(encoding="utf-8")
    for path in paths:
        assert f"{path}`" in page or f"{path}?" in page, f"{path} is not in web-protocol.md"


def test_every_code_is_documented() -> None:
    page = (DOCS / "web-protocol.md").read_text(encoding="utf-8")
    assert [code for code in CODES if f"`{code}`" not in page] == []


def test_the_schema_holds_every_message_and_every_games_view() -> None:
    document = schema_module.schema()
    types = {
        side: {ref["$ref"].rpartition("/")[2] for ref in document["properties"][side]["oneOf"]}
        for side in ("client", "server")
    }
    assert {"Hello", "Act", "Draft"} <= types["client"]
    assert {"Welcome", "Update", "Ack", "Error"} <= types["server"]
    for side in types.values():
        for name in side:
            shape = document["$defs"][name]
            assert "type" in shape["required"]
            assert shape["properties"]["type"]["const"]
    assert set(document["properties"]["views"]["properties"]) == set(GAMES)
    refs = re.findall(r'"\$ref": ?"#/\$defs/(\w+)"', json.dumps(document))
    assert set(refs) <= set(document["$defs"])


def test_the_page_helps_where_the_client_is_not_built(
    serve: Callable[..., Running], tmp_path: Path
) -> None:
    built = tmp_path / "static"
    browser = serve(static=built, workers=0).http
    assert "make play" in browser.get("/").text
    assert browser.get("/elsewhere").status_code == 404
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<p>the client</p>")
    (built / "assets" / "app-1.js").write_text("1")
    assert browser.get("/").text == browser.get("/room/abc").text == "<p>the client</p>"
    script = browser.get("/assets/app-1.js")
    assert script.text == "1"
    assert "immutable" in script.headers["Cache-Control"]
    assert browser.get("/room/abc").headers["Referrer-Policy"] == "same-origin"
    assert browser.get("/assets/app-2.js").status_code == 404


def test_only_addresses_of_the_client_are_found(
    serve: Callable[..., Running], tmp_path: Path
) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "index.html").write_text("<p>the client</p>")
    browser = serve(static=tmp_path / "static", workers=0).http
    routes = (DOCS.parent / "web" / "src" / "route.ts").read_text(encoding="utf-8")
    known = re.findall(r'first === "(\w+)"', routes)
    assert len(known) == 6
    found = ["/", *(f"/{page}/abc" for page in known), "/replay", "/maps", "/puzzles", "/replay/"]
    for path in [*found, "/nonsense", "/room", "/room/", "/rooms/abc", "/replays", "/x/room/abc"]:
        answer = browser.get(path)
        assert answer.text == "<p>the client</p>", path
        assert answer.status_code == (200 if path in found else 404), path


def test_answers_are_compressed(server: Running) -> None:
    with httpx.Client(base_url=str(server.http.base_url)) as browser:
        assert browser.get("/api/games").headers["Content-Encoding"] == "gzip"
