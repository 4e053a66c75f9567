"""Several servers on one PostgreSQL: each room has one owner, any server takes any client."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from trireme.server.forwarding import relay
from trireme.server.keys import new_room_id, new_token, token_hash
from trireme.server.rooms.events import RoomSetup, SeatHolder, SeatTakenEvent
from trireme.server.storage.event_store import EventStore
from trireme.server.storage.leases import LeaseLost, OwnedElsewhere, RoomLeases, check_lease
from trireme.server.storage.retention import Retention
from trireme.server.storage.sole_server import sole_server
from trireme.store import StoreError, open_store

from .live import Player, Running, play_out


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    made = open_store(postgres_url)
    yield made
    made.dispose()


@pytest.fixture
def registered(engine: Engine) -> Iterator[Callable[[str], RoomLeases]]:
    """Leases of servers at an address each."""
    opened: list[RoomLeases] = []

    def register(address: str) -> RoomLeases:
        leases = RoomLeases(engine, address)
        leases.open()
        opened.append(leases)
        return leases

    yield register
    for leases in opened:
        leases.close()


def die(engine: Engine, leases: RoomLeases) -> None:
    """What PostgreSQL sees of a killed process: its session ends. Returns when it has ended."""
    assert leases._session is not None
    pid = leases._session.execute(text("SELECT pg_backend_pid()")).scalar_one()
    with engine.begin() as connection:
        ended = text("SELECT pg_terminate_backend(:pid, 30000)")
        assert connection.execute(ended, {"pid": pid}).scalar_one()


def stored_room(engine: Engine) -> str:
    """A room that waits for its players."""
    room = new_room_id()
    open_seats = (SeatHolder("open"), SeatHolder("open"))
    setup = RoomSetup(
        room, "gomoku", None, {}, open_seats, 7, None, 1, 0, True, True, "2026-01-01T00:00:00+00:00"
    )

    async def create() -> None:
        store = EventStore(engine)
        await store.create(setup, [], setup.created)
        store.close()

    asyncio.run(create())
    return room


# Leases


def test_a_room_has_one_owner_who_is_named_to_others(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second, room = registered("a:1"), registered("b:2"), stored_room(engine)
    assert first.claim(room) == first.id
    assert first.claim(room) == first.id
    with pytest.raises(OwnedElsewhere) as elsewhere:
        second.claim(room)
    assert (elsewhere.value.room, elsewhere.value.address) == (room, "a:1")


def test_who_asks_next_takes_over_from_a_dead_owner(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second, room = registered("a:1"), registered("b:2"), stored_room(engine)
    first.claim(room)
    die(engine, first)
    assert second.claim(room) == second.id
    with pytest.raises(LeaseLost):
        first.claim(room)
    with pytest.raises(LeaseLost):
        first.renew("[]")


def test_an_owner_who_stops_gives_its_rooms_up(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second, room = registered("a:1"), registered("b:2"), stored_room(engine)
    first.claim(room)
    first.close()
    assert second.claim(room) == second.id


def test_a_lease_outlives_a_broken_connection(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second, room = registered("a:1"), registered("b:2"), stored_room(engine)
    lease = first.claim(room)
    die(engine, first)
    first.renew("[]")
    assert first.claim(room) == lease
    with pytest.raises(OwnedElsewhere):
        second.claim(room)


def test_postgresql_ends_the_session_of_a_server_that_hangs(
    registered: Callable[[str], RoomLeases],
) -> None:
    session = registered("a:1")._session
    assert session is not None
    assert session.execute(text("SHOW idle_session_timeout")).scalar_one() == "15s"


def test_renewing_removes_the_dead_and_reads_what_the_living_publish(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second, third = (registered(address) for address in ("a:1", "b:2", "c:3"))
    first.renew('["one"]')
    second.renew('["two"]')
    die(engine, second)
    assert third.renew("[]") == ['["one"]']
    assert third.peers == 1
    assert registered_ids(engine) == {first.id, third.id}


def advisory_locks(engine: Engine) -> int:
    with engine.begin() as connection:
        held = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        return int(connection.execute(held).scalar_one())


def registered_ids(engine: Engine) -> set[int]:
    with engine.begin() as connection:
        return set(connection.execute(text("SELECT server_id FROM servers")).scalars())


def test_a_server_that_registers_again_or_stops_leaves_neither_lock_nor_row(engine: Engine) -> None:
    leases = RoomLeases(engine, "a:1")
    assert (leases.id, leases.peers) == (0, 0)
    leases.open()
    first = leases._session
    assert first is not None
    leases.open()
    assert first.closed
    assert leases.id < 1 << 62  # the ids of advisory locks are signed
    leases.close()
    assert leases.id not in registered_ids(engine)
    assert advisory_locks(engine) == 0


def test_a_room_that_is_not_stored_yet_belongs_to_whoever_asks(
    registered: Callable[[str], RoomLeases],
) -> None:
    leases = registered("a:1")
    assert leases.claim(new_room_id()) == leases.id


def test_a_lock_that_somebody_else_has_taken_is_a_lost_lease(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    leases = registered("a:1")
    die(engine, leases)
    with engine.begin() as other:
        other.execute(text("SELECT pg_advisory_xact_lock(:id)"), {"id": leases.id})
        with pytest.raises(LeaseLost, match="another server is taking the rooms over"):
            leases.renew("[]")
    assert leases.renew("[]") == []


def test_renewing_waits_for_no_transaction_for_long(
    engine: Engine, registered: Callable[[str], RoomLeases], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trireme.server.storage.leases.WAIT_SECONDS", 0.05)
    first, second = registered("a:1"), registered("b:2")
    die(engine, first)
    with engine.begin() as writing:
        check_lease(writing, first.id)
        with pytest.raises(Exception, match="lock timeout"):
            second.renew("[]")


def test_a_stale_owner_can_not_write(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second, room = registered("a:1"), registered("b:2"), stored_room(engine)
    stale = first.claim(room)
    die(engine, first)
    lease = second.claim(room)
    sat = SeatTakenEvent(0, "Ann", token_hash(new_token()))

    async def story() -> None:
        store = EventStore(engine)
        with pytest.raises(LeaseLost):
            await store.append(room, 0, [sat], "t", lease=stale)
        with pytest.raises(LeaseLost):
            await store.draft(room, 0, 0, "h8", lease=stale)
        # One transaction for both: the owner's write stands though the stale one fails.
        both = await asyncio.gather(
            store.append(room, 0, [sat], "t", lease=lease),
            store.append(room, 1, [sat], "t", lease=stale),
            return_exceptions=True,
        )
        stored = await store.load(room)
        store.close()
        assert both[0] is None
        assert isinstance(both[1], LeaseLost)
        assert stored is not None
        assert [event for event, _ in stored.events] == [sat]
        assert stored.drafts == {}

    asyncio.run(story())


def test_a_takeover_waits_for_the_transactions_of_the_last_owner(
    engine: Engine, registered: Callable[[str], RoomLeases], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would read the room before the last move is committed."""
    monkeypatch.setattr("trireme.server.storage.leases.WAIT_SECONDS", 0.05)
    first, second, room = registered("a:1"), registered("b:2"), stored_room(engine)
    first.claim(room)
    die(engine, first)
    with engine.begin() as writing:
        check_lease(writing, first.id)
        with pytest.raises(Exception, match="lock timeout"):
            second.claim(room)
    assert second.claim(room) == second.id


def test_expired_rooms_of_other_servers_are_kept(
    engine: Engine, registered: Callable[[str], RoomLeases]
) -> None:
    first, second = registered("a:1"), registered("b:2")
    rooms = [stored_room(engine) for _ in range(3)]
    first.claim(rooms[0])
    second.claim(rooms[1])

    async def story() -> list[str]:
        store = EventStore(engine)
        now = "2030-01-01T00:00:00+00:00"
        await store.delete_expired(Retention(), now, (), lease=first.id)
        left = [room for room in rooms if await store.load(room) is not None]
        store.close()
        return left

    assert asyncio.run(story()) == [rooms[1]]


# Servers


@pytest.fixture
def pair(serve: Callable[..., Running], postgres_url: str) -> tuple[Running, Running]:
    """Two servers; rooms are created at the first, which alone has a worker for it."""
    return serve(url=postgres_url), serve(url=postgres_url, workers=0)


@pytest.mark.slow
def test_players_on_two_servers_play_one_game(pair: tuple[Running, Running]) -> None:
    here, there = pair
    held = here.create("gomoku", settings={"size": 9}, seats=[{"kind": "me"}, {"kind": "open"}])
    first = here.player(held)
    joined = there.join(held["room"], name="Bob")
    second = there.player(joined)
    assert list(here.lobby.rooms) == [held["room"]]
    assert there.lobby.rooms == {}
    play_out(first, second)
    assert first.position == {**second.position, "seats": first.position["seats"]}
    path = f"/api/rooms/{held['room']}"
    for part in ("", "/record", "/replay", "/invite"):
        answers = [server.http.get(path + part) for server in pair]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert part in ("", "/invite") or answers[0].text == answers[1].text
    disposition = [s.http.get(f"{path}/record").headers["content-disposition"] for s in pair]
    assert disposition[0] == disposition[1]


def test_a_forwarded_request_is_refused_as_its_owner_refuses_it(
    pair: tuple[Running, Running],
) -> None:
    here, there = pair
    held = here.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    here.player(held)
    bad = {"Authorization": "Bearer nonsense"}
    answer = there.http.get(f"/api/rooms/{held['room']}/record", headers=bad)
    assert (answer.status_code, answer.json()["code"]) == (403, "bad_token")
    there.join(held["room"])
    full = there.http.post(f"/api/rooms/{held['room']}/join", json={})
    assert (full.status_code, full.json()["code"]) == (409, "room_full")
    stranger = Player(there.address, held["room"], "nonsense", hello=False)
    stranger.send(type="hello", protocol=1, token="nonsense", since=None)
    assert stranger.receive()["code"] == "bad_token"
    assert stranger.closed() == 1008
    nonsense = Player(there.address, held["room"], None, hello=False)
    nonsense.socket.send("\x00 nonsense")
    assert nonsense.closed() == 1008


@pytest.mark.slow
def test_a_request_that_is_forwarded_too_often_comes_to_an_end(
    pair: tuple[Running, Running],
) -> None:
    here, there = pair
    held = here.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    here.player(held)
    for hops in ("3", "99", "nonsense", "-1", "²"):
        headers = [(b"trireme-hops", hops.encode())]
        answer = there.http.get(f"/api/rooms/{held['room']}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (503, "shutting_down")
    assert there.http.get(f"/api/rooms/{held['room']}").status_code == 200


@pytest.mark.slow
def test_a_server_that_stops_hands_its_rooms_over(pair: tuple[Running, Running]) -> None:
    here, there = pair
    held = here.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    first, second = here.player(held), there.player(there.join(held["room"]))
    answer = first.act(0, "h8")
    assert answer["type"] == "ack"
    here.server.should_exit = True
    assert first.closed() in (1001, 1012)
    assert second.closed() in (1001, 1012)
    again = there.player(held)
    assert again.position["version"] == answer["version"]
    assert list(there.lobby.rooms) == [held["room"]]


@pytest.mark.slow
def test_a_client_whose_owner_stops_meanwhile_is_served_by_the_next(
    pair: tuple[Running, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner still has the lease when it refuses the forwarded client."""
    here, there = pair
    held = here.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    here.player(held)
    here.lobby._stopping = here.lobby.rooms[held["room"]].broken = True
    results = []

    async def relay_and_release(*arguments: Any) -> bool:
        results.append(await relay(*arguments))
        await asyncio.to_thread(here.lobby.leases.close)
        return results[-1]

    monkeypatch.setattr("trireme.server.sockets.relay", relay_and_release)
    again = there.player(held)
    assert results == [False]
    assert again.seats == [0]
    assert list(there.lobby.rooms) == [held["room"]]


@pytest.mark.slow
def test_a_room_whose_owner_died_is_taken_over_by_the_next_request(
    engine: Engine,
    serve: Callable[..., Running],
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trireme.server.app.RENEW_SECONDS", 3600)  # it hangs, so to say
    here, there = serve(url=postgres_url), serve(url=postgres_url, workers=0)
    held = here.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    first = here.player(held)
    joined = there.join(held["room"])
    die(engine, here.lobby.leases)
    second = there.player(joined)
    assert list(there.lobby.rooms) == [held["room"]]
    first.send(type="act", id="stale", seat=0, action="h8")
    assert first.closed() == 1012
    assert "ack" not in [message["type"] for message in first.messages]
    again = here.player(held)
    assert again.act(0, "a1")["type"] == "ack"
    second.catch_up_with(again)
    assert second.position["moves"] == 1


@pytest.mark.slow
def test_all_servers_list_the_rooms_of_all(pair: tuple[Running, Running]) -> None:
    here, there = pair
    mine, other = here.create("gomoku"), here.create("battleship")
    players = [here.player(mine), there.player(other)]
    wanted = {mine["room"], other["room"]}
    while {room["room"] for room in here.http.get("/api/rooms").json()} != wanted:
        pass
    while {room["room"] for room in there.http.get("/api/rooms").json()} != wanted:
        pass
    listed = there.http.get("/api/rooms?game=gomoku").json()
    assert [room["room"] for room in listed] == [mine["room"]]
    for player in players:
        player.close()


# SQLite


@pytest.mark.slow
def test_a_second_server_on_one_sqlite_file_is_refused(tmp_path: Path) -> None:
    database = tmp_path / "store.db"
    engine = open_store(f"sqlite:///{database}")
    serve = [sys.executable, "-m", "trireme", "serve", "--workers", "1", "--port", "0"]
    with sole_server(engine):
        second = subprocess.run(
            [*serve, "--database", f"sqlite:///{database}"], capture_output=True, text=True
        )
        with pytest.raises(StoreError, match="another server runs on"), sole_server(engine):
            pass
    assert second.returncode == 2
    assert "another server runs on the database" in second.stderr
    assert "Traceback" not in second.stderr
    with sole_server(engine):
        pass
    engine.dispose()


def test_a_lock_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    (tmp_path / "store.db.lock").mkdir()
    with pytest.raises(StoreError, match="can't lock the database"), sole_server(engine):
        pass
    engine.dispose()
