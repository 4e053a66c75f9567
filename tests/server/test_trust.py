"""What the server promises: seats that are not lost, help that is off, records that are its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text as sql
from sqlalchemy.exc import OperationalError
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from trireme.core.record import RecordWriter, parse_record, split_signature
from trireme.core.registry import make_game
from trireme.server.limits import Quotas, ServerLimits, TokenBucket
from trireme.server.origins import host_allowed, origin_allowed
from trireme.server.pages import page_policy
from trireme.server.protocol.codes import Refusal
from trireme.server.signing import RecordSigner
from trireme.server.storage.health import is_read_only
from trireme.server.strict_json import MAX_DEPTH
from trireme.store import open_store

from .live import Player, Running, play_out

KEY = "0123456789abcdefghijkl"


# 7: joins may be repeated, and a player may go on elsewhere


def test_a_join_whose_answer_was_lost_is_sent_again(server: Running) -> None:
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    first = server.join(held["room"], name="Bob", key=KEY)
    again = server.join(held["room"], name="Bob", key=KEY)
    assert first["seats"] == again["seats"] == [1]
    assert first["token"] == again["token"] == KEY
    assert server.player(again).seats == [1]
    other = server.http.post(f"/api/rooms/{held['room']}/join", json={"key": "x" + KEY})
    assert other.json()["code"] == "room_full"


@pytest.mark.parametrize("key", ["", "short", "x" * 65, "0123456789abcdefghij\u0000é"])
def test_a_key_must_be_a_secret(server: Running, key: str) -> None:
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    answer = server.http.post(f"/api/rooms/{held['room']}/join", json={"key": key})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_message")


def test_a_player_gets_a_private_link(server: Running) -> None:
    held = server.create("gomoku")
    place = f"/api/rooms/{held['room']}/device"
    named = {"Host": "192.0.2.9:8000", "Authorization": f"Bearer {held['token']}"}
    found = server.http.get(place, headers=named).json()
    assert found["link"] == f"http://192.0.2.9:8000/room/{held['room']}#seat={held['token']}"
    assert len(found["qr"]) == len(found["qr"][0])
    for headers in ({}, {"Authorization": "Bearer nonsense"}):
        assert server.http.get(place, headers=headers).json()["code"] == "bad_token"


# 8: bodies that can't be stored or answered


@pytest.mark.parametrize(
    "body",
    [
        rb'{"game": "gomoku", "settings": {"rule": "\ud800"}}',
        rb'{"game": "gomoku", "name": "\udfff"}',
        b'{"game": "gomoku", "settings": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        b'{"game": "gomoku", "settings": ' + b'{"a":' * 40 + b"1" + b"}" * 40 + b"}",
        b'{"game": "gomoku", "think": NaN}',
        b'{"game": "gomoku", "think": 1e999}',
        b'\xff\xfe{"game": "gomoku"}',
    ],
)
def test_bodies_that_are_no_strict_json_are_refused(server: Running, body: bytes) -> None:
    for path in ("/api/rooms", "/api/games/gomoku/check", "/api/games/navigation/maps/check"):
        headers = {"Content-Type": "application/json"}
        answer = server.http.post(path, content=body, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["code"] in ("bad_json", "bad_message")


def test_nesting_up_to_the_limit_is_read(server: Running) -> None:
    def answer(depth: int) -> dict[str, Any]:
        body = b'{"settings": {"size": ' + b"[" * (depth - 2) + b"]" * (depth - 2) + b"}}"
        headers = {"Content-Type": "application/json"}
        found = server.http.post("/api/games/gomoku/check", content=body, headers=headers)
        return found.json()  # type: ignore[no-any-return]

    assert answer(MAX_DEPTH)["ok"] is False
    assert answer(MAX_DEPTH + 1)["code"] == "bad_json"


@pytest.mark.parametrize("game", ["%00", "a%00b", "gomoku';--", "%f0%9f%98%80"])
def test_names_in_queries_are_words(server: Running, game: str) -> None:
    for place in ("recent", "rooms", "ratings"):
        answer = server.http.get(f"/api/{place}?game={game}")
        assert answer.status_code == 400, answer.text


def test_a_message_with_a_lone_surrogate_is_refused(server: Running) -> None:
    player = server.player(server.create("gomoku"))
    player.socket.send(r'{"type": "ping", "id": "\ud800"}')
    assert player.answer(None)["code"] == "bad_json"
    assert player.ask("ping")["type"] == "pong"


# 9: help that is off is off everywhere


FIVE_MOVES = ["e5", "e6", "d5", "f6", "c4"]


def running_game(server: Running) -> tuple[Player, Player]:
    first, second = server.two_players("gomoku", settings={"size": 9})
    for number, move in enumerate(FIVE_MOVES):
        players = first, second
        players[number % 2].act(number % 2, move)
        players[1 - number % 2].catch_up_with(players[number % 2])
    return first, second


def record_of(moves: list[str], size: int = 9) -> str:
    game = make_game("gomoku", size=size)
    writer = RecordWriter()
    writer.begin(game, ["a", "b"], 1)
    for number, move in enumerate(moves):
        writer.move({number % 2: move}, {})
    return "".join(line + "\n" for line in writer.lines)


def analysed(server: Running, record: str, moves: int) -> str:
    body = {"record": record, "move": moves, "seat": moves % 2, "kind": "hint", "agent": "random"}
    answer = server.http.post("/api/analysis", json=body).json()
    return str(answer.get("code") or answer["agent"])


@pytest.mark.parametrize(
    ("moves", "size", "result"),
    [
        (FIVE_MOVES, 9, "hints_off"),
        (["d5", "e6", "c4", "f6", "e5"], 9, "hints_off"),
        (["e5", "f5", "e4", "f6", "d3"], 9, "hints_off"),
        (["h9", "h10", "g9", "i10", "f8"], 15, "hints_off"),
        ([*FIVE_MOVES, "a1", "i9"], 9, "hints_off"),
        (["e5", "a1", "d5", "e6", "c4", "f6"], 9, "hints_off"),
        (["e5", "e6", "d5", "f6", "c3"], 9, "random"),
        (FIVE_MOVES[:4], 9, "random"),
    ],
    ids=[
        "same",
        "other order",
        "mirrored",
        "shifted",
        "played on",
        "a stone more",
        "another",
        "early",
    ],
)
def test_a_running_games_position_is_not_analysed(
    server: Running, moves: list[str], size: int, result: str
) -> None:
    first, _ = running_game(server)
    assert analysed(server, record_of(moves, size), len(moves)) == result
    first.ask("resign", seat=0)


def test_another_room_gives_no_hint_for_a_running_games_position(server: Running) -> None:
    first, _ = running_game(server)
    seats = [{"kind": "me"}, {"kind": "me"}]
    helper = server.player(server.create("gomoku", settings={"size": 9}, seats=seats))
    for number, move in enumerate(FIVE_MOVES[:4]):
        helper.act(number % 2, move)
    assert helper.ask("hint", seat=0, agent="random", seconds=0.1)["type"] == "hint"
    helper.act(0, FIVE_MOVES[4])
    assert helper.ask("hint", seat=1, agent="random", seconds=0.1)["code"] == "hints_off"
    assert helper.ask("insight", seat=1, seconds=0.1)["code"] == "hints_off"
    first.ask("resign", seat=0)
    assert helper.ask("hint", seat=1, agent="random", seconds=0.1)["type"] == "hint"


def test_a_finished_room_gives_no_help_for_a_running_games_position(server: Running) -> None:
    """Else a player could play it again alone, resign, and ask."""
    first, _ = running_game(server)
    seats = [{"kind": "me"}, {"kind": "me"}]
    helper = server.player(server.create("gomoku", settings={"size": 9}, seats=seats))
    for number, move in enumerate(FIVE_MOVES):
        helper.act(number % 2, move)
    helper.ask("resign", seat=1)
    analysis = {"room": helper.room, "move": 5, "seat": 1, "kind": "hint", "agent": "random"}
    again = {"game": "gomoku", "again": {"room": helper.room, "move": 4, "seat": 0}}
    asked = [
        ("analysis", analysis),
        ("reviews", {"room": helper.room, "seat": 1}),
        ("rooms", again),
    ]
    for path, body in asked:
        assert server.http.post(f"/api/{path}", json=body).json()["code"] == "hints_off", path
    first.ask("resign", seat=0)
    for path, body in asked:
        answer = server.http.post(f"/api/{path}", json=body)
        assert answer.status_code < 300, answer.text


# Issue 20: between two people, help needs both


def test_help_between_people_needs_both(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9}, hints=True)
    assert first.position["offers"] == [{"kind": "hints", "seat": 0}]
    assert first.ask("hint", seat=0, agent="random")["code"] == "hints_off"
    assert first.ask("allow_hints", seat=0)["type"] == "ack"
    assert first.ask("hint", seat=0, agent="random")["code"] == "hints_off"
    assert second.ask("answer", seat=1, kind="hints", accept=True)["type"] == "ack"
    first.until(lambda p: not p.position["offers"])
    assert first.ask("hint", seat=0, agent="random", seconds=0.1)["type"] == "hint"
    assert server.http.get(f"/api/rooms/{first.room}").json()["hints"] is True
    assert {"kind": "hints_allowed", "seat": 1} in second.events


def test_help_that_is_declined_stays_off(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    assert first.position["offers"] == []
    first.ask("allow_hints", seat=0)
    second.until(lambda p: bool(p.position["offers"]))
    second.ask("answer", seat=1, kind="hints", accept=False)
    first.until(lambda p: not p.position["offers"])
    assert first.ask("hint", seat=0, agent="random")["code"] == "hints_off"
    assert server.http.get(f"/api/rooms/{first.room}").json()["hints"] is False
    second.ask("resign", seat=1)
    assert first.ask("allow_hints", seat=0)["code"] == "game_over"


def test_an_agreement_holds_in_the_rematch(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9}, hints=True)
    second.ask("allow_hints", seat=1)
    second.ask("resign", seat=1)
    first.ask("rematch", seat=0)
    second.ask("rematch", seat=1)
    room = next(e for e in reversed(second.events) if e["kind"] == "rematched")["room"]
    assert server.http.get(f"/api/rooms/{room}").json()["hints"] is True


# 10: a full disk


@pytest.fixture
def full(serve: Callable[..., Running], tmp_path: Path) -> Iterator[tuple[Running, Any]]:
    """A server, and a switch that makes its disk full."""
    server = serve("full")
    store = server.lobby.store

    async def fill(is_full: bool) -> None:
        def execute(connection: Any) -> None:
            pages = connection.execute(sql("PRAGMA page_count")).scalar_one()
            most = pages if is_full else 10**9
            connection.execute(sql(f"PRAGMA max_page_count = {most}"))

        await store._submit(execute)

    def switch(is_full: bool) -> None:
        asyncio.run_coroutine_threadsafe(fill(is_full), server.lobby._loop).result(30)

    yield server, switch
    switch(False)


def test_a_full_disk_makes_the_server_read_only_and_players_know(
    full: tuple[Running, Callable[[bool], None]],
) -> None:
    server, switch = full
    first, second = server.two_players("gomoku")
    switch(True)
    points = iter(f"{column}{row}" for column in "abcdefghijklmno" for row in range(1, 16))
    answer: dict[str, Any] = {"type": "ack"}
    while answer["type"] == "ack":  # until the last page is full
        answer = play_one(first, second, points)
    assert answer["code"] == "read_only"
    assert answer["retry_after"] == 10
    second.until(lambda p: {"type": "status", "read_only": True} in p.messages)
    late = Player(server.address, first.room, None)
    late.until(lambda p: {"type": "status", "read_only": True} in p.messages)
    moves = first.position["moves"]
    refused = server.http.post("/api/rooms", json={"game": "gomoku", "name": "x" * 40})
    if refused.status_code != 201:  # a small row may still fit
        assert (refused.status_code, refused.json()["code"]) == (503, "read_only")
    assert "trireme_read_only 1.0" in server.http.get("/metrics").text
    switch(False)
    assert server.http.get("/healthz").json()["read_only"] is False
    second.until(lambda p: {"type": "status", "read_only": False} in p.messages)
    assert play_one(first, second, points)["type"] == "ack"
    assert first.position["moves"] == moves + 1


def play_one(first: Player, second: Player, points: Iterator[str]) -> dict[str, Any]:
    """The answer to one more move of whoever is to move."""
    seat = first.position["to_move"][0]
    mover, other = (first, second) if seat == 0 else (second, first)
    answer = mover.ask("act", seat=seat, action=next(points), moves=mover.position["moves"])
    if answer["type"] == "ack":
        mover.until(lambda p: p.position["version"] >= answer["version"])
        other.catch_up_with(mover)
    return answer


def test_health_fails_when_nothing_can_be_written(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve("sick", workers=0)

    async def failing(_: str) -> None:
        raise OperationalError("INSERT", {}, Exception("database or disk is full"))

    monkeypatch.setattr(server.lobby.store, "ping", failing)
    sick = server.http.get("/healthz")
    assert (sick.status_code, sick.json()["ok"], sick.json()["read_only"]) == (503, False, True)
    monkeypatch.undo()
    well = server.http.get("/healthz")
    assert (well.status_code, well.json()["ok"], well.json()["read_only"]) == (200, True, False)


def test_other_failures_of_the_database_are_no_full_disk() -> None:
    assert not is_read_only(OperationalError("INSERT", {}, Exception("connection refused")))
    assert not is_read_only(ValueError("database or disk is full"))


# 11: pages of other sites


def test_every_response_forbids_frames_and_foreign_scripts(server: Running) -> None:
    for place in ("/", "/docs", "/api/games", "/healthz", "/nothing", "/openapi.json"):
        headers = server.http.get(place).headers
        policy = headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "http:" not in policy
        assert "https:" not in policy
        assert headers["x-frame-options"] == "DENY"
        assert headers["x-content-type-options"] == "nosniff"


def test_scripts_in_a_page_are_named_by_their_hashes() -> None:
    policy = page_policy(b"<script>alert(1)</script><script src='x'></script>")
    assert "script-src 'self' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='" in policy
    assert "unsafe-inline" not in policy.partition("style-src")[0]
    assert "script-src 'self';" in page_policy(b"<p>no scripts</p>")


def test_the_api_page_needs_no_script(server: Running) -> None:
    page = server.http.get("/docs").text
    assert "<script" not in page
    assert "//" not in page.replace("https://github.com", "")
    for path in server.http.get("/openapi.json").json()["paths"]:
        assert path in page


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost:8000", True),
        ("play.localhost", True),
        ("127.0.0.1:8000", True),
        ("[::1]:8000", True),
        ("192.0.2.7", True),
        ("Mine.example:8000", True),
        ("evil.example", False),
        ("evil.example:8000", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_the_server_answers_to_addresses_and_its_own_names(host: str, allowed: bool) -> None:
    assert host_allowed(host, {"localhost", "mine.example"}) is allowed
    assert host_allowed(host, {"*"})


@pytest.mark.parametrize(
    "host",
    ["[::1", "::1]", "[::1]x", "127.0.0.1:65536", "127.0.0.1:999999", "127.0.0.1:", "a:b", "a/b",
     "localhost:8000:8000", "me@localhost", "localhost:٣"],
)  # fmt: skip
def test_what_is_no_host_is_never_allowed(server: Running, host: str) -> None:
    assert not host_allowed(host, {"*", "localhost"})
    room = server.create("gomoku")["room"]
    answer = server.http.get(f"/api/rooms/{room}/invite", headers={"Host": host.encode()})
    assert answer.status_code in (400, 403)


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://me.example:8000", True),
        ("http://ME.example:8000", True),
        ("http://me.example", False),
        ("http://me.example:9000", False),
        ("http://evil.example", False),
        ("null", False),
        ("", False),
        ("file://me.example:8000", False),
        ("http://[::1", False),
        ("http://me.example:port", False),
    ],
)
def test_only_its_own_pages_use_the_server(origin: str | None, allowed: bool) -> None:
    assert origin_allowed(origin, "me.example:8000") is allowed


def test_standard_ports_may_be_left_out() -> None:
    assert origin_allowed("https://me.example", "me.example:443")
    assert origin_allowed("http://me.example:80", "me.example")


def test_sockets_and_requests_of_other_sites_are_refused(server: Running) -> None:
    held = server.create("gomoku")
    url = f"ws://{server.address}/ws/{held['room']}"
    with pytest.raises(InvalidStatus) as refused:
        connect(url, origin="http://evil.example", proxy=None)  # type: ignore[arg-type]
    assert refused.value.response.status_code == 403
    with connect(url, origin=f"http://{server.address}", proxy=None):  # type: ignore[arg-type]
        pass
    foreign = {"Origin": "http://evil.example"}
    answer = server.http.post("/api/rooms", json={"game": "gomoku"}, headers=foreign)
    assert (answer.status_code, answer.json()["code"]) == (403, "bad_origin")
    assert server.http.get("/api/games", headers=foreign).status_code == 200
    rebound = {"Host": "evil.example"}
    assert server.http.get("/api/games", headers=rebound).status_code == 403
    assert server.http.get("/healthz", headers=rebound).status_code == 200


# Signed records


def test_a_downloaded_record_is_verified_and_a_changed_one_is_not(server: Running) -> None:
    first, second = server.two_players("gomoku", settings={"size": 9})
    running = server.http.get(f"/api/rooms/{first.room}/record").text
    assert split_signature(running)[1] is None
    play_out(first, second)
    text = server.http.get(f"/api/rooms/{first.room}/record").text
    assert verified(server, text) is True
    assert verified(server, rewritten(text)) is False
    assert verified(server, record_of(["e5"])) is None
    assert server.http.get(f"/api/rooms/{first.room}/replay").json()["verified"] is True
    assert server.http.get(f"/api/rooms/{first.room}/record").text == text
    assert parse_record(text).end is not None


def verified(server: Running, text: str) -> Any:
    replayed = server.http.post("/api/replay", json={"record": text}).json()["verified"]
    checked = server.http.post("/api/records/verify", json={"record": text}).json()["verified"]
    assert replayed == checked
    return checked


def rewritten(text: str) -> str:
    """The record with another player's name, its checksums made to fit again."""
    writer = RecordWriter()
    for line in text.splitlines():
        plain = json.loads(line)
        del plain["sum"]
        if "seats" in plain:
            plain["seats"] = ["Champion", "Bob"]
        writer._write(plain)
    return "".join(line + "\n" for line in writer.lines)


def test_the_key_is_kept_and_each_database_has_its_own(tmp_path: Path) -> None:
    one, other = (open_store(f"sqlite:///{tmp_path / name}") for name in ("a.db", "b.db"))
    first, again, foreign = RecordSigner(one), RecordSigner(one), RecordSigner(other)
    assert first.sign("x") == again.sign("x") != foreign.sign("x")
    one.dispose()
    other.dispose()


# Quotas


def test_a_bucket_says_how_long_to_wait() -> None:
    bucket = TokenBucket(rate=2, burst=4, now=0)
    assert bucket.take(0, 3)
    assert bucket.wait(0, 3) == 1
    assert not bucket.take(0.5, 3)
    assert bucket.take(1, 3)
    bucket.spend(1, 10)
    assert bucket.wait(1, 0) == 5
    assert bucket.wait(1, 1) == 5.5
    assert bucket.wait(1, 100) == 7, "more than a full bucket counts as a full one"


def test_each_address_and_resource_has_a_quota_of_its_own() -> None:
    charged: list[tuple[str, float]] = []
    refused: list[str] = []
    limits = ServerLimits(room_rate=0.5, room_burst=1, cpu_rate=0.5, cpu_burst=2)
    quotas = Quotas(limits, lambda: 0.0, lambda *cost: charged.append(cost), refused.append)
    quotas.charge("rooms", "a")
    with pytest.raises(Refusal, match=r"too many new rooms.*try again in 2 s") as refusal:
        quotas.charge("rooms", "a")
    assert (refusal.value.code, refusal.value.retry_after) == ("too_fast", 2)
    quotas.charge("rooms", "b")
    quotas.charge("bytes", "a", 100)
    quotas.require("cpu", "a")
    quotas.spend("cpu", "a", 5)
    with pytest.raises(Refusal) as refusal:
        quotas.require("cpu", "a")
    assert refusal.value.retry_after == 6
    for _ in range(5):
        quotas.charge("rooms", "")
        quotas.require("cpu", "")
    assert charged == [("rooms", 1), ("rooms", 1), ("bytes", 100), ("cpu", 5)]
    assert refused == ["rooms", "cpu"]


@pytest.mark.slow
def test_hints_and_checks_are_paid_by_the_cpu_quota(serve: Callable[..., Running]) -> None:
    server = serve(cpu_rate=1e-12, cpu_burst=1e-12)
    player = server.player(server.create("gomoku"))
    record = record_of(["e5"])
    assert server.http.post("/api/replay", json={"record": record}).status_code == 200
    refused = server.http.post("/api/replay", json={"record": record})
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "3600"
    assert player.ask("hint", seat=0, agent="random")["code"] == "too_fast"
    page = server.http.get("/metrics").text
    assert 'trireme_quota_refused_total{resource="cpu"} 2.0' in page
    assert 'trireme_quota_used_total{resource="rooms"} 1.0' in page


@pytest.mark.slow
def test_bytes_are_counted(serve: Callable[..., Running]) -> None:
    server = serve(byte_rate=1e-6, byte_burst=1000)
    body = {"record": "x" * 700}
    assert server.http.post("/api/replay", json=body).json()["code"] == "bad_record"
    assert server.http.post("/api/replay", json=body).json()["code"] == "too_fast"
    parts = iter([b'{"record": "', b"x" * 700, b'"}'])
    assert server.http.post("/api/replay", content=parts).json()["code"] == "too_fast"
