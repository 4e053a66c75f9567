"""Bad input gets a precise error with a stable code, and harms nobody else's game."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from trireme.server.protocol.codes import CODES
from trireme.server.rooms.client import Client

from .live import Player, Running, play_out

GARBAGE: list[tuple[str, str]] = [
    ("", "bad_json"),
    ("{", "bad_json"),
    ("\x00\xff", "bad_json"),
    ("[" * 5000, "bad_json"),
    ("null", "bad_message"),
    ("[]", "bad_message"),
    ("1e999", "bad_message"),
    ('"act"', "bad_message"),
    ("{}", "bad_message"),
    ('{"type": "fly"}', "bad_message"),
    ('{"type": ["act"]}', "bad_message"),
    ('{"type": "act"}', "bad_message"),
    ('{"type": "act", "id": "x", "seat": "0", "action": "h8"}', "bad_message"),
    ('{"type": "act", "id": "x", "seat": true, "action": "h8"}', "bad_message"),
    ('{"type": "act", "id": "x", "seat": 0, "action": 8}', "bad_message"),
    ('{"type": "act", "id": "x", "seat": -1, "action": "h8"}', "bad_message"),
    ('{"type": "act", "id": "", "seat": 0, "action": "h8"}', "bad_message"),
    ('{"type": "act", "id": "x", "seat": 0, "action": "h8", "more": 1}', "bad_message"),
    ('{"type": "sync", "id": "x", "since": -5}', "bad_message"),
    ('{"type": "hint", "id": "x", "seat": 0, "seconds": 1e400}', "bad_message"),
    ('{"type": "hello", "protocol": 1}', "hello_first"),
]


@pytest.mark.parametrize(("text", "code"), GARBAGE)
def test_garbage_is_refused_and_the_game_goes_on(server: Running, text: str, code: str) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    first.socket.send(text)
    error = first.receive()
    while error["type"] != "error":
        error = first.receive()
    assert error["code"] == code
    assert error["message"]
    assert first.act(0, "e5")["type"] == "ack"
    second.catch_up_with(first)
    assert second.position["moves"] == 1


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "act", "seat": 0, "action": "z99"}, "bad_action"),
        ({"type": "act", "seat": 0, "action": "e5"}, "illegal_action"),
        ({"type": "act", "seat": 1, "action": "e6"}, "not_your_seat"),
        ({"type": "act", "seat": 0, "action": "e6", "moves": 0}, "stale"),
        ({"type": "draft", "seat": 0, "action": "e6"}, "no_clock"),
        ({"type": "rematch", "seat": 0}, "game_running"),
        ({"type": "answer", "seat": 0, "kind": "undo", "accept": True}, "no_offer"),
        ({"type": "hint", "seat": 0}, "hints_off"),
        ({"type": "resign", "seat": 7}, "not_your_seat"),
    ],
)
def test_requests_that_can_not_be_carried_out(
    server: Running, message: dict[str, Any], code: str
) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    first.act(0, "e5")
    second.catch_up_with(first)
    second.act(1, "d4")
    first.catch_up_with(second)
    before = first.position
    error = first.ask(**message)
    assert error["code"] == code
    assert error["code"] in CODES
    assert first.ask("ping")["type"] == "pong"
    assert first.position["version"] == before["version"]


def test_acting_out_of_turn_is_refused(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    assert second.ask("act", seat=1, action="e5")["code"] == "not_your_turn"
    first.act(0, "e5")
    assert first.ask("act", seat=0, action="e6")["code"] == "not_your_turn"


def test_before_the_start_and_after_the_end_nothing_is_played(server: Running) -> None:
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    first = server.player(held)
    assert first.ask("act", seat=0, action="e5")["code"] == "not_started"
    second = server.player(server.join(held["room"]))
    second.ask("resign", seat=1)
    first.catch_up_with(second)
    assert first.ask("act", seat=0, action="e5")["code"] == "game_over"
    assert first.ask("resign", seat=0)["code"] == "game_over"


@pytest.mark.parametrize(
    ("first_words", "code"),
    [
        ({"type": "ping", "id": "1"}, "hello_first"),
        ({"type": "hello", "protocol": 99}, "unsupported_protocol"),
        ({"type": "hello", "protocol": 1, "token": "guess"}, "bad_token"),
        ({"type": "hello", "protocol": 1, "token": "x" * 5000}, "bad_message"),
        ({"type": "hello", "protocol": 1, "since": "yesterday"}, "bad_message"),
    ],
)
def test_a_bad_hello_ends_the_connection(
    server: Running, first_words: dict[str, Any], code: str
) -> None:
    room = server.create("gomoku")["room"]
    stranger = Player(server.address, room, None, hello=False)
    stranger.send(**first_words)
    assert stranger.receive()["code"] == code
    assert stranger.closed() == 1008


@pytest.mark.parametrize("room", ["nosuchroom22", "x", "%2e%2e", "a" * 500])
def test_a_room_that_is_not_there(server: Running, room: str) -> None:
    stranger = Player(server.address, room, None, hello=False)
    stranger.send(type="hello", protocol=1)
    assert stranger.receive()["code"] == "no_such_room"
    assert stranger.closed() == 1008
    assert server.http.get(f"/api/rooms/{room}").status_code == 404


def test_another_rooms_token_holds_no_seat_here(server: Running) -> None:
    one, other = server.create("gomoku"), server.create("gomoku")
    thief = Player(server.address, one["room"], other["token"], hello=False)
    thief.send(type="hello", protocol=1, token=other["token"])
    assert thief.receive()["code"] == "bad_token"


def test_a_huge_message_closes_only_its_own_connection(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    watcher = Player(server.address, first.room, None)
    watcher.socket.send(json.dumps({"type": "ping", "id": "x" * 100_000}))
    assert watcher.closed() == 1009
    assert first.act(0, "e5")["type"] == "ack"
    second.catch_up_with(first)


@pytest.mark.slow
def test_a_flood_is_slowed_down_and_then_cut_off(serve: Callable[..., Running]) -> None:
    server = serve(message_rate=1, message_burst=10)
    first, second = server.two_players("gomoku", settings={"size": 9})
    flooder = Player(server.address, first.room, None)
    try:
        for number in range(500):
            flooder.send(type="ping", id=str(number))
    except ConnectionClosed:
        pass
    assert flooder.closed() == 1008
    codes = [m.get("code") for m in flooder.messages]
    assert codes.count("too_fast") >= 50
    assert sum(m["type"] == "pong" for m in flooder.messages) <= 20
    assert first.act(0, "e5")["type"] == "ack"
    second.catch_up_with(first)
    assert second.position["moves"] == 1


@pytest.mark.slow
def test_a_client_that_does_not_read_is_closed_and_nobody_waits_for_it(
    serve: Callable[..., Running],
) -> None:
    server = serve(outbox=4)
    first, second = server.two_players("gomoku", settings={"size": 9})
    room = server.lobby.rooms[first.room]
    deaf = Client(server.lobby.limits, 0)
    room.clients.add(deaf)
    play_out(first, second)
    assert deaf.closing == (1013, "too slow: reconnect")
    assert first.position["status"] == "over"


def test_connections_and_rooms_are_counted(serve: Callable[..., Running]) -> None:
    server = serve(connections_per_address=2, rooms=2)
    room = server.create("gomoku")["room"]
    for _ in range(2):
        Player(server.address, room, None)
    third = Player(server.address, room, None, hello=False)
    assert third.receive()["code"] == "too_many_connections"
    assert third.closed() == 1013
    server.create("gomoku")
    refused = server.http.post("/api/rooms", json={"game": "gomoku"})
    assert (refused.status_code, refused.json()["code"]) == (503, "too_many_rooms")


@pytest.mark.slow
def test_spectators_are_counted(serve: Callable[..., Running]) -> None:
    server = serve(spectators=1)
    held = server.create("gomoku")
    Player(server.address, held["room"], None)
    second = Player(server.address, held["room"], None, hello=False)
    second.send(type="hello", protocol=1)
    assert second.receive()["code"] == "too_many_connections"
    assert server.player(held).seats == [0]


@pytest.mark.slow
def test_requests_of_one_address_are_slowed_down(serve: Callable[..., Running]) -> None:
    server = serve(request_rate=0.001, request_burst=3, room_rate=0.001, room_burst=1)
    assert server.http.post("/api/rooms", json={"game": "gomoku"}).status_code == 201
    refused = server.http.post("/api/rooms", json={"game": "gomoku"})
    assert (refused.status_code, refused.json()["code"]) == (429, "too_fast")
    assert server.http.get("/api/rooms").status_code == 200
    assert server.http.get("/api/rooms").status_code == 429
    assert server.http.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "bad_json"),
        (b"\xff", "bad_json"),
        (b"[]", "bad_message"),
        (b"{}", "bad_message"),
        (b'{"game": 7}', "bad_message"),
        (b'{"game": "chess"}', "no_such_game"),
        (b'{"game": "../gomoku"}', "no_such_game"),
        (b'{"game": "gomoku", "variant": "tiny"}', "bad_settings"),
        (b'{"game": "gomoku", "settings": {"size": 99}}', "bad_settings"),
        (b'{"game": "gomoku", "settings": {"sise": 9}}', "bad_settings"),
        (b'{"game": "gomoku", "settings": {"size": "9"}}', "bad_settings"),
        (b'{"game": "gomoku", "seats": [{"kind": "me"}]}', "bad_settings"),
        (b'{"game": "gomoku", "seats": []}', "bad_settings"),
        (b'{"game": "battleship", "settings": {"placement": "manual"}}', "bad_settings"),
        (b'{"game": "gomoku", "think": 1e9}', "bad_message"),
        (b'{"game": "gomoku", "clock": 0.001}', "bad_message"),
        (b'{"game": "gomoku", "name": "' + b"x" * 100 + b'"}', "bad_message"),
    ],
)
def test_rooms_that_can_not_be_made(server: Running, body: bytes, code: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = server.http.post("/api/rooms", content=body, headers=headers)
    assert 400 <= answer.status_code < 500
    assert answer.json()["code"] == code


@pytest.mark.parametrize(
    "spec",
    [
        "os:system",
        "subprocess:Popen",
        "bots.py:Bot",
        "/etc/passwd",
        "nobody",
        "random:seed=1",
        "random:",
        "gomocup:cmd=sh",
        "process:cmd=sh",
        "process",
        "trireme.core.process_agent:ProcessAgent",
        "trireme.core.agents:Random",
        ":",
        "search:depth=1e12",
        "search:nodes=99999999999",
        "search:seconds=inf",
        "search:seconds=nan",
        "search:depth=" + "1" * 100,
    ],
)
def test_only_the_games_own_agents_may_sit_down(server: Running, spec: str) -> None:
    chairs = [{"kind": "me"}, {"kind": "agent", "agent": spec}]
    answer = server.http.post("/api/rooms", json={"game": "gomoku", "seats": chairs})
    if spec == "random:":
        assert answer.status_code == 201
    else:
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_agent")


def test_a_long_mistake_is_quoted_in_part(server: Running) -> None:
    body = {"game": "gomoku", "settings": {"size": "x" * 100_000}}
    answer = server.http.post("/api/rooms", json=body).json()
    assert answer["code"] == "bad_settings"
    assert answer["message"].startswith("gomoku: size must be int, not 'xxx")
    assert len(answer["message"]) < 2000


def test_programs_are_neither_offered_nor_started(server: Running, tmp_path: Path) -> None:
    for game in server.http.get("/api/games").json():
        assert {agent["name"] for agent in game["agents"]}.isdisjoint({"process", "gomocup"})
        for name in ("process", "gomocup"):
            sign = tmp_path / f"{game['name']}-{name}"
            chairs = [{"kind": "me"}, {"kind": "agent", "agent": f"{name}:cmd=touch {sign}"}]
            body = {"game": game["name"], "variant": game["versus"], "seats": chairs}
            answer = server.http.post("/api/rooms", json=body).json()
            assert answer["code"] == "bad_agent"
            assert "a room may seat random, " in answer["message"]
            assert not sign.exists()


def test_a_large_body_is_refused_before_it_is_read(serve: Callable[..., Running]) -> None:
    server = serve(body_bytes=1000, workers=0)
    answer = server.http.post("/api/replay", json={"record": "x" * 2000})
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")

    def stream() -> Any:
        for _ in range(10):
            yield b"x" * 500

    answer = server.http.post("/api/replay", content=stream())
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


@pytest.mark.parametrize("path", ["/..%2f..%2fapp.py", "/../app.py", "/%00", "/api/%00", "/ws/x"])
def test_no_path_leads_out_of_the_clients_folder(server: Running, path: str) -> None:
    answer = server.http.get(path)
    assert answer.status_code in (200, 400, 404)
    assert "create_app" not in answer.text
