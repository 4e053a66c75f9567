"""Attacks from one address within the limits: each is stopped at its cause."""

from __future__ import annotations

import asyncio
import gzip
import importlib
import json
import pkgutil
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import trireme.battleship
from trireme.core.errors import BadSettings
from trireme.core.play import play
from trireme.core.registry import make_game
from trireme.navigation.maps import MOST_PARTS
from trireme.server.limits import ServerLimits, quota_key
from trireme.server.protocol.codes import Refusal
from trireme.server.workers.checks import CheckMap, MakeGame
from trireme.server.workers.fair_queue import PLAYER_MOVE, QUERY, SPECTACLE, FairQueue
from trireme.server.workers.pool import WorkerPool
from trireme.server.workers.tasks import TaskFailure

from .live import Player, Running

# 1: sizes are capped before any work, and caches are bounded


def test_a_huge_fleet_is_refused_by_its_length() -> None:
    with pytest.raises(BadSettings, match="at most 144 ships, a cell each, not 60000"):
        make_game("battleship", fleet=[1] * 60_000)
    with pytest.raises(BadSettings, match="does not fit"):
        make_game("battleship", fleet=[1] * 144)


def test_a_crowded_map_is_refused_by_its_counts() -> None:
    sea = {"id": "x", "name": "x", "width": 9, "height": 9, "spawns": []}
    rocks = [{"x": 0, "y": 0, "size": "small"}] * (MOST_PARTS + 1)
    problems = CheckMap("navigation", {**sea, "rocks": rocks}).run(None)  # type: ignore[arg-type]
    assert problems == [f"a map has at most {MOST_PARTS} rocks, not {MOST_PARTS + 1}"]
    few = CheckMap("navigation", {**sea, "rocks": rocks[:300]}).run(None)  # type: ignore[arg-type]
    assert len(few) == 101
    assert few[-1].startswith("and 20")


def test_every_cache_whose_key_comes_from_settings_is_bounded() -> None:
    """`functools.cache` may remember what has no arguments, or names of files and games."""
    trusted = {"_standard", "opening_book", "_analyst", "_agent"}
    for module in pkgutil.walk_packages(trireme.battleship.__path__, "trireme.battleship."):
        if "agents" in module.name or module.name.endswith("kernels"):
            continue
        for name, found in vars(importlib.import_module(module.name)).items():
            if hasattr(found, "cache_parameters") and name not in trusted:
                assert found.cache_parameters()["maxsize"] is not None, (module.name, name)


@pytest.mark.slow
def test_settings_have_a_smaller_body_than_records(serve: Callable[..., Running]) -> None:
    server = serve(settings_bytes=1000, body_bytes=5000, workers=0)
    long = {"settings": {"fleet": [1] * 600}}
    answer = server.http.post("/api/games/battleship/check", json=long)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    answer = server.http.post("/api/replay", json={"record": "x" * 2000})
    assert answer.json()["code"] == "bad_record"


# 2 and 5: checks run in a worker, with a limit of processor time and a fair share


@dataclass(frozen=True)
class Spins:
    """A check that never ends by itself."""

    def prepare(self, cache: Any) -> None: ...

    def run(self, cache: Any) -> None:
        while True:
            pass


@pytest.mark.slow
def test_a_check_is_interrupted_after_its_processor_time_and_its_process_goes_on() -> None:
    used: list[tuple[float, str]] = []
    pool = WorkerPool(1, ServerLimits(), lambda _, cpu, payer: used.append((cpu, payer)))
    pool.start()
    try:
        with pytest.raises(TaskFailure) as failure:
            asyncio.run(pool.run_check(Spins(), 0.05, "192.0.2.1"))
        assert failure.value.reason == "time"
        process = pool._workers[0]._process
        game = asyncio.run(pool.run_check(MakeGame("gomoku", None, {"size": 9}), 60, "192.0.2.1"))
        assert game == make_game("gomoku", size=9)
        assert pool._workers[0]._process is process
    finally:
        pool.stop()
    assert [payer for _, payer in used] == ["192.0.2.1"] * 2
    assert used[0][0] > 0


def test_checks_of_one_address_that_wait_are_counted() -> None:
    idle = WorkerPool(0, ServerLimits(checks=2), lambda *_: None)

    async def story() -> None:
        waiting = [asyncio.create_task(idle.run_check(Spins(), 1, "a")) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal) as refusal:
            await idle.run_check(Spins(), 1, "a")
        assert refusal.value.code == "busy"
        other = asyncio.create_task(idle.run_check(Spins(), 1, "b"))
        await asyncio.sleep(0)
        assert idle.waiting == 3
        for one in (*waiting, other):
            one.cancel()

    asyncio.run(story())


def test_nothing_that_a_client_sends_is_replayed_or_checked_in_the_server(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """These would run here if they were called in the server's process."""
    record = play(make_game("gomoku", size=9), ["random", "random"], seed=1).record.text
    server.create("battleship")  # its variants come with the game, and are made here once

    def forbidden(*_: object, **__: object) -> Any:
        raise AssertionError("in the server's process")

    monkeypatch.setattr("trireme.core.record.parse_record", forbidden)
    monkeypatch.setattr("trireme.server.rooms.recording.replay_of_record", forbidden)
    monkeypatch.setattr("trireme.server.rooms.recording.replay_of_table", forbidden)
    monkeypatch.setattr("trireme.navigation.maps.read_map", forbidden)
    monkeypatch.setattr("trireme.battleship.rules.first_layout", forbidden)
    assert server.http.post("/api/replay", json={"record": record}).status_code == 200
    assert server.http.post("/api/games/navigation/maps/check", json={"id": 7}).json()["problems"]
    check = server.http.post(
        "/api/games/battleship/check", json={"settings": {"fleet": [3, 2, 2], "duel": True}}
    )
    assert check.json()["ok"] is True
    held = server.create("battleship", settings={"fleet": [3, 2, 1]})
    assert server.http.get(f"/api/rooms/{held['room']}/replay").status_code == 200


def test_a_replay_is_compressed_by_the_worker_for_those_who_can_read_it(server: Running) -> None:
    record = play(make_game("gomoku", size=9), ["random", "random"], seed=1).record.text
    plain = server.http.post(
        "/api/replay", json={"record": record}, headers={"Accept-Encoding": "identity"}
    )
    assert "content-encoding" not in plain.headers
    with server.http.stream("POST", "/api/replay", json={"record": record}) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        packed = b"".join(answer.iter_raw())
    assert json.loads(gzip.decompress(packed)) == plain.json()


# 3: a rematch is a room


@pytest.mark.slow
def test_a_rematch_counts_as_a_room(serve: Callable[..., Running]) -> None:
    server = serve(room_rate=0.001, room_burst=2)
    seats = [{"kind": "me"}, {"kind": "me"}]
    player = server.player(server.create("gomoku", settings={"size": 9}, seats=seats))
    player.ask("resign", seat=0)
    assert player.ask("rematch", seat=0)["type"] == "ack"
    event = next(e for e in reversed(player.events) if e["kind"] == "rematched")
    second = server.player({"room": event["room"], "token": player.token})
    second.ask("resign", seat=0)
    refused = second.ask("rematch", seat=0)
    assert (refused["code"], refused["retry_after"] > 1) == ("too_fast", True)
    answer = server.http.post("/api/rooms", json={"game": "gomoku"})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) == answer.json()["retry_after"] > 1
    assert "try again in" in answer.json()["message"]


def test_a_rematch_needs_room_in_memory(serve: Callable[..., Running]) -> None:
    server = serve(rooms=1)
    player = server.player(server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}]))
    player.ask("resign", seat=0)
    assert player.ask("rematch", seat=0)["code"] == "too_many_rooms"


# 4: a fair queue


@dataclass(eq=False)
class Queued:
    """A task of the queue."""

    priority: int
    address: str
    seconds: float = 1.0


def order(queue: FairQueue[Queued], count: int) -> list[Queued]:
    taken = []
    for _ in range(count):
        job = queue.get(timeout=0)
        assert job is not None
        queue.done(job)
        taken.append(job)
    return taken


def test_an_address_with_many_tasks_delays_only_its_own() -> None:
    queue: FairQueue[Queued] = FairQueue(2, 2)
    flood = [Queued(PLAYER_MOVE, "attacker") for _ in range(5)]
    for job in flood:
        queue.put(job)
    honest = Queued(PLAYER_MOVE, "honest")
    queue.put(honest)
    assert queue.place(flood[0]) == 2
    assert queue.place(honest) == 2
    assert queue.place(flood[4]) == 6
    taken = order(queue, 6)
    assert taken.index(honest) <= 1
    assert [job for job in taken if job is not honest] == flood
    assert queue.place(honest) == 0


def test_long_tasks_count_more_than_short_ones() -> None:
    queue: FairQueue[Queued] = FairQueue(2, 2)
    for _ in range(3):
        queue.put(Queued(PLAYER_MOVE, "slow", 2.0))
    for _ in range(6):
        queue.put(Queued(PLAYER_MOVE, "quick", 0.5))
    taken = [job.address for job in order(queue, 6)]
    assert taken.count("quick") == 4


def test_people_go_before_spectacles_and_queries_between_them() -> None:
    queue: FairQueue[Queued] = FairQueue(1, 2)
    for priority in (SPECTACLE, QUERY, PLAYER_MOVE):
        queue.put(Queued(priority, "a"))
    watched = Queued(SPECTACLE, "b")
    queue.put(watched)
    assert queue.place(watched) == 4
    assert [job.priority for job in order(queue, 4)] == [PLAYER_MOVE, QUERY, SPECTACLE, SPECTACLE]


def test_one_worker_is_kept_from_long_tasks() -> None:
    queue: FairQueue[Queued] = FairQueue(3, 2)
    long = [Queued(PLAYER_MOVE, name, 10.0) for name in "abc"]
    for job in long:
        queue.put(job)
    first, second = queue.get(0), queue.get(0)
    assert {first, second} == {long[0], long[1]}
    assert queue.get(0) is None
    short = Queued(SPECTACLE, "d", 2.0)
    queue.put(short)
    assert queue.get(0) is short
    assert first is not None
    queue.done(first)
    assert queue.get(0) is long[2]


def test_a_waiting_task_is_told_its_place_and_then_that_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trireme.server.workers.pool.PLACE_SECONDS", 0)
    idle = WorkerPool(0, ServerLimits(), lambda *_: None)
    places: list[int] = []

    async def story() -> None:
        waiting = [
            asyncio.create_task(idle.run(Spins(), 1, name, on_place=places.append)) for name in "ab"
        ]
        while places != [2, 2]:
            await asyncio.sleep(0)
        for _ in waiting:
            assert idle._jobs.get(0) is not None
        while len(places) < 4:
            await asyncio.sleep(0)
        for one in waiting:
            one.cancel()

    asyncio.run(story())
    assert places == [2, 2, 0, 0]


def test_the_agents_of_a_room_use_their_players_share(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, bool]] = []
    run = server.lobby.workers.run

    async def noting(task: Any, seconds: float, address: str = "", **options: Any) -> Any:
        if "watched" in options:
            asked.append((address, options["watched"]))
        return await run(task, seconds, address, **options)

    monkeypatch.setattr(server.lobby.workers, "run", noting)
    agent = {"kind": "agent", "agent": "random"}
    player = server.player(
        server.create("gomoku", settings={"size": 5}, seats=[{"kind": "me"}, agent])
    )
    player.act(0, "a1")
    player.until(lambda p: p.position["moves"] == 2)
    assert asked == [("127.0.0.1", False)]
    watched = server.create("gomoku", settings={"size": 5}, seats=[agent, agent])
    spectator = Player(server.address, watched["room"], None)
    spectator.until(lambda p: p.position["status"] == "over")
    assert set(asked[1:]) == {("127.0.0.1", True)}


# 6: connections that say nothing


def test_a_silent_connection_is_closed(serve: Callable[..., Running]) -> None:
    server = serve(header_seconds=0.05, workers=0)
    host, port = server.address.split(":")
    for opening in (b"", b"GET / HTTP/1.1\r\nHost: x"):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(opening)
            assert closed_by_peer(connection)


def test_a_body_that_does_not_come_closes_the_connection(serve: Callable[..., Running]) -> None:
    server = serve(body_seconds=0.05, workers=0)
    host, port = server.address.split(":")
    request = (
        b"POST /api/replay HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(request)
        assert closed_by_peer(connection)


def closed_by_peer(connection: socket.socket) -> bool:
    connection.settimeout(30)
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_the_oldest_silent_connections_make_room_for_new_ones(
    serve: Callable[..., Running],
) -> None:
    server = serve(silent_connections=3, header_seconds=600, workers=0)
    host, port = server.address.split(":")
    silent = [socket.create_connection((host, int(port))) for _ in range(5)]
    try:
        assert server.http.get("/healthz").json()["ok"] is True
        assert closed_by_peer(silent[0])
        assert closed_by_peer(silent[1])
        page = server.http.get("/metrics").text
        assert 'trireme_connections_closed_total{reason="silent"}' in page
    finally:
        for connection in silent:
            connection.close()


def test_connections_are_limited_by_address_except_of_proxies(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "192.0.2.1")
    server = serve(http_connections_per_address=1, header_seconds=600, workers=0)
    host, port = server.address.split(":")
    place = host, int(port)
    with socket.create_connection(place), socket.create_connection(place) as second:
        assert closed_by_peer(second)
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "127.0.0.0/24")
    behind = serve("behind", http_connections_per_address=1, header_seconds=600, workers=0)
    host, port = behind.address.split(":")
    with socket.create_connection((host, int(port))):
        assert behind.http.get("/healthz").json()["ok"] is True


def test_addresses_of_one_ipv6_network_share_a_quota() -> None:
    assert quota_key("2001:db8::1") == quota_key("2001:db8::ffff:1%eth0")
    assert quota_key("2001:db8::1") != quota_key("2001:db8:0:1::1")
    assert quota_key("::ffff:192.0.2.7") == "192.0.2.7" != quota_key("192.0.2.8")
    assert quota_key("?") == "?"
