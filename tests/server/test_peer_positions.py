"""Several servers: no server helps with a position that a room of another one is playing."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator

import httpx
import pytest

from trireme.core.positions import MarkedBoard
from trireme.core.record import RecordWriter
from trireme.core.registry import make_game
from trireme.server.app import Config
from trireme.server.rooms import peer_positions
from trireme.server.rooms.peer_positions import PATH, decode_positions, encode_positions

from .live import GENEROUS, Player, Running

MOVES = ["e5", "e6", "d5", "f6", "c4"]
OTHERS = ["e5", "e6", "d5", "f6", "c3"]


@pytest.fixture(scope="module")
def servers(new_postgres: Callable[[], str]) -> Iterator[tuple[Running, Running]]:
    """Two servers of one database, for all tests that leave no game running there."""
    url, config = new_postgres(), Config(GENEROUS, workers=1, warm=False)
    made = Running(url, config), Running(url, config)
    yield made
    for server in made:
        server.stop()


@pytest.fixture
def pair(
    servers: tuple[Running, Running], monkeypatch: pytest.MonkeyPatch
) -> tuple[Running, Running]:
    monkeypatch.setattr(peer_positions, "KEEP_SECONDS", -1.0)
    return servers


def play(address: str, *, then: list[str]) -> Player:
    """Two people at a table of the server, after these moves; the second seat's player."""
    body = {"game": "gomoku", "settings": {"size": 9}, "seats": [{"kind": "me"}, {"kind": "open"}]}
    with httpx.Client(base_url=f"http://{address}", timeout=60, verify=False) as http:
        held = http.post("/api/rooms", json=body).json()
        first = Player(address, held["room"], held["token"])
        joined = http.post(f"/api/rooms/{held['room']}/join", json={}).json()
    players = first, Player(address, held["room"], joined["token"])
    first.until(lambda p: p.position["status"] == "playing")
    for number, move in enumerate(then):
        assert players[number % 2].act(number % 2, move)["type"] == "ack"
        players[1 - number % 2].catch_up_with(players[number % 2])
    return players[1]


def analysed(address: str, moves: list[str], record: str | None = None) -> str:
    """The agent that answers for the position, or the code of the refusal."""
    writer = RecordWriter()
    writer.begin(make_game("gomoku", size=9), ["a", "b"], 1)
    for number, move in enumerate(moves):
        writer.move({number % 2: move}, {})
    text = "".join(line + "\n" for line in writer.lines) if record is None else record
    body: dict[str, object] = {"record": text, "move": len(moves), "seat": len(moves) % 2}
    body |= {"kind": "hint", "agent": "random"}
    url = f"http://{address}/api/analysis"
    answer = httpx.post(url, json=body, timeout=60, verify=False).json()
    return str(answer.get("code") or answer["agent"])


def test_a_position_that_another_server_is_playing_is_not_analysed(
    pair: tuple[Running, Running],
) -> None:
    here, there = pair
    player = play(here.address, then=MOVES)
    assert [analysed(server.address, MOVES) for server in pair] == ["hints_off"] * 2
    assert analysed(there.address, OTHERS) == "random"
    helper = there.player(there.create("gomoku", settings={"size": 9}, seats=[{"kind": "me"}] * 2))
    assert player.room not in there.lobby.rooms
    for number, move in enumerate(MOVES):
        helper.act(number % 2, move)
    assert helper.ask("hint", seat=1, agent="random", seconds=0.1)["code"] == "hints_off"
    player.ask("resign", seat=1)
    assert analysed(there.address, MOVES) == "random"
    assert helper.ask("hint", seat=1, agent="random", seconds=0.1)["type"] == "hint"


def test_the_other_servers_are_asked_once_for_many_requests(
    pair: tuple[Running, Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = pair
    monkeypatch.setattr(peer_positions, "KEEP_SECONDS", 3600.0)
    assert analysed(there.address, MOVES) == "random"
    player = play(here.address, then=MOVES)
    assert analysed(there.address, MOVES) == "random"
    monkeypatch.setattr(peer_positions, "KEEP_SECONDS", -1.0)
    assert analysed(there.address, MOVES) == "hints_off"
    player.ask("resign", seat=1)


def test_there_is_no_help_while_another_server_does_not_answer(
    serve: Callable[..., Running], postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = serve(url=postgres_url, workers=0), serve(url=postgres_url)
    monkeypatch.setattr(peer_positions, "PAUSES", (0.0, 0.0))
    monkeypatch.setattr(peer_positions, "KEEP_SECONDS", 3600.0)  # a failure is not kept
    address = here.lobby.leases.address
    with socket.create_server(("127.0.0.1", 0)) as probe:
        nobody = f"127.0.0.1:{probe.getsockname()[1]}"
    with here.lobby.store.engine.begin() as connection:
        change = "UPDATE servers SET address = %s WHERE address = %s"
        connection.exec_driver_sql(change, (nobody, address))
    assert analysed(there.address, MOVES) == "shutting_down"
    for garbage in ("", "nonsense", "[::1", there.address + "/healthz?"):
        with here.lobby.store.engine.begin() as connection:
            connection.exec_driver_sql(
                "UPDATE servers SET address = %s WHERE server_id = %s",
                (garbage, here.lobby.leases.id),
            )
        assert analysed(there.address, MOVES) == "shutting_down", garbage
    here.lobby.leases.close()  # it is dead: nobody plays there
    assert analysed(there.address, MOVES) == "random"


def test_a_record_of_an_unknown_game_asks_nobody(pair: tuple[Running, Running]) -> None:
    there = pair[1]
    asked = dict(there.lobby.peers._asked)
    for game in ("chess", "", "x" * 100, "\\u0000"):
        record = f'{{"trireme":1,"game":"{game}"}}\n'
        assert analysed(there.address, [], record) == "bad_record"
    assert there.lobby.peers._asked == asked


def test_only_servers_of_the_same_database_are_told(
    pair: tuple[Running, Running], server: Running
) -> None:
    here = pair[0]
    player = play(here.address, then=MOVES)
    token = here.lobby.peers.token
    for header in (
        None,
        "",
        "Bearer",
        "Bearer nonsense",
        token,
        f"Bearer {token[:-1]}",
        "Bearer é",
    ):
        headers = {} if header is None else {"Authorization": header.encode()}
        answer = here.http.get(PATH, params={"game": "gomoku"}, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "bad_token"), header
    alone = server.http.get(
        PATH, params={"game": "gomoku"}, headers={"Authorization": f"Bearer {token}"}
    )
    assert alone.status_code == 403
    told = here.http.get(
        PATH,
        params={"game": "gomoku"},
        headers={"Authorization": f"Bearer {token}", "Host": "server-2:8000"},
    )
    assert len(decode_positions(told.content)) == 1
    player.ask("resign", seat=1)


def test_positions_are_read_as_they_were_written() -> None:
    board = MarkedBoard(((1, 2, 0), (3, 4, 1)), "place", fixed=True, colours=True)
    assert board.like(board)  # fills what the board keeps for itself
    loose = MarkedBoard(tuple((n, n, n % 2) for n in range(6)))
    assert loose.like(loose)
    assert decode_positions(encode_positions(((board, loose), ()))) == [(board, loose), ()]
    assert decode_positions(encode_positions(())) == []


@pytest.fixture
def processes(postgres_url: str) -> Iterator[list[str]]:
    """The addresses of two servers, each a process."""
    command = [sys.executable, "-m", "trireme", "serve", "--workers", "1", "--port", "0"]
    started = [
        subprocess.Popen([*command, "--database", postgres_url], stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        addresses = []
        for process in started:
            assert process.stderr is not None
            found = re.search(r"127\.0\.0\.1:\d+", process.stderr.readline())
            assert found
            addresses.append(found[0])
        yield addresses
    finally:
        for process in started:
            process.send_signal(signal.SIGINT)
        for process in started:
            process.communicate(timeout=60)


@pytest.mark.slow
def test_two_processes_know_each_others_positions(processes: list[str]) -> None:
    here, there = processes
    player = play(here, then=MOVES)
    assert analysed(there, MOVES) == "hints_off"
    assert analysed(there, OTHERS) == "random"
    player.close()
