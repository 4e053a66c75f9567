"""kill -9 at random moments under play: no acknowledged move is lost, every room goes on."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from trireme.core.game import AnyGame
from trireme.core.record import parse_record
from trireme.core.registry import make_game

from .live import choose

KILLS = 50
SERVER = """
import os, socket, sys
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.run import server_for
from trireme.store import open_store

config = Config(ServerLimits(message_rate=1e6, message_burst=10**6), workers=1, warm=False)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
        server_for(open_store(sys.argv[2]), config).run([listener])
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("dead", flush=True)
"""
"""Forks a server for every line that it reads, so that only the first one waits for imports."""
ME, OPEN = {"kind": "me"}, {"kind": "open"}
ROOMS: list[dict[str, Any]] = [
    {"game": "gomoku", "settings": {"size": 9}, "seats": [ME, OPEN]},
    {"game": "battleship", "settings": {"duel": True}, "seats": [ME, OPEN]},
    {"game": "navigation", "seats": [ME, OPEN], "clock": "none"},
    {"game": "gomoku", "seats": [ME, {"kind": "agent", "agent": "random"}]},
]
GONE = (OSError, WebSocketException, httpx.HTTPError)
"""What a client sees of a server that was killed."""


class Killable:
    """A server in a process of its own, always on the same port and database."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.database = folder / "store.db"
        command = [sys.executable, "-c", SERVER, str(self.port), f"sqlite:///{self.database}"]
        self._forker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._child = 0

    def start(self) -> None:
        assert self._forker.stdin is not None
        self._forker.stdin.write("start\n")
        self._forker.stdin.flush()
        self._child = int(self._answer())

    def kill(self) -> None:
        os.kill(self._child, signal.SIGKILL)
        assert self._answer() == "dead"

    def close(self) -> None:
        self._forker.communicate("")

    def _answer(self) -> str:
        assert self._forker.stdout is not None
        return self._forker.stdout.readline().strip()

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask until a living server answers."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}") as http:
            while True:
                try:
                    answer = await http.post(path, json=body)
                except GONE:
                    await asyncio.sleep(0.02)
                    continue
                assert answer.status_code == 201, answer.text
                held: dict[str, Any] = answer.json()
                return held


@dataclass
class Tally:
    """What all players together were told."""

    acknowledged: list[tuple[str, int, str, str]] = field(default_factory=list)
    """Room, seat, id, action."""
    reconnected: int = 0
    resent: int = 0
    finished: set[str] = field(default_factory=set)
    awaited: int = 0
    reached: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, told: tuple[str, int, str, str]) -> None:
        self.acknowledged.append(told)
        if len(self.acknowledged) >= self.awaited:
            self.reached.set()

    async def more(self, count: int) -> None:
        """Return as soon as so many more actions are acknowledged."""
        self.awaited = len(self.acknowledged) + count
        self.reached.clear()
        await self.reached.wait()


class Stubborn:
    """A player who comes back after every kill and sends again what was not acknowledged."""

    def __init__(self, server: Killable, held: dict[str, Any], tally: Tally) -> None:
        self.server, self.tally = server, tally
        self.room, self.token, self.seat = held["room"], held["token"], held["seats"][0]
        self.game: AnyGame = make_game(held["info"]["game"], **held["info"]["settings"])
        self.version = 0
        self.position: dict[str, Any] = {}
        self.ended = self.over = False
        self.open: dict[str, Any] | None = None
        """The message that is neither acknowledged nor refused."""

    async def play(self) -> None:
        while not self.over:
            try:
                url = f"ws://127.0.0.1:{self.server.port}/ws/{self.room}"
                async with connect(url, proxy=None) as ws:
                    await self.converse(ws)
            except GONE:
                self.tally.reconnected += 1
                await asyncio.sleep(0.02)

    async def converse(self, ws: Any) -> None:
        hello = {"type": "hello", "protocol": 1, "token": self.token, "since": self.version}
        await ws.send(json.dumps(hello))
        first = True
        while not self.over:
            message = json.loads(await ws.recv())
            match message["type"]:
                case "welcome" | "update":
                    position = message["position"]
                    assert position["version"] >= self.version, "what was told is lost"
                    self.version, self.position = position["version"], position
                    if first and self.open is not None:
                        self.tally.resent += 1
                        await ws.send(json.dumps(self.open))
                    first = False
                    await self.consider(ws, position)
                case "ack":
                    assert self.open is not None
                    assert message["id"] == self.open["id"]
                    action = self.open["action"]
                    self.tally.note((self.room, self.seat, message["id"], action))
                    self.open = None
                    # The position came before its acknowledgement, and may ask for more already.
                    await self.consider(ws, self.position)
                case "error":
                    raise AssertionError(message)

    async def consider(self, ws: Any, position: dict[str, Any]) -> None:
        self.ended = position["status"] == "over"
        if self.ended:
            self.leave_if_over()
            return
        mine = position["seats"][str(self.seat)]
        if mine["to_move"] and self.open is None:
            self.open = {
                "type": "act",
                "id": f"{self.seat}-{position['version']}-{random.getrandbits(32)}",
                "seat": self.seat,
                "action": choose(self.game, mine["view"], self.seat, position["version"]),
                "moves": position["moves"],
            }
            await ws.send(json.dumps(self.open))

    def leave_if_over(self) -> None:
        """Leave when the game is over and nothing is left to be acknowledged."""
        if self.ended and self.open is None:
            self.over = True
            self.tally.finished.add(self.room)


async def keep_playing(
    server: Killable, body: dict[str, Any], tally: Tally, enough: asyncio.Event
) -> None:
    """One room after another until the killing is over; the last one is played to its end."""
    while not enough.is_set():
        held = await server.post("/api/rooms", body)
        players = [Stubborn(server, held, tally)]
        if OPEN in body["seats"]:
            joined = await server.post(f"/api/rooms/{held['room']}/join", {})
            players.append(Stubborn(server, joined, tally))
        await asyncio.gather(*(player.play() for player in players))


async def kill_again_and_again(
    server: Killable, tally: Tally, enough: asyncio.Event, rng: random.Random
) -> None:
    for _ in range(KILLS):
        await tally.more(rng.randint(1, 25))
        server.kill()
        server.start()
    enough.set()


@pytest.mark.slow
def test_fifty_kills_lose_nothing(tmp_path: Path) -> None:
    server = Killable(tmp_path)
    server.start()
    tally = Tally()

    async def story() -> None:
        enough = asyncio.Event()
        playing = [keep_playing(server, body, tally, enough) for body in ROOMS]
        killing = kill_again_and_again(server, tally, enough, random.Random(7))
        await asyncio.gather(killing, *playing)

    try:
        asyncio.run(story())
        records = {
            room: httpx.get(f"http://127.0.0.1:{server.port}/api/rooms/{room}/record").text
            for room in tally.finished
        }
    finally:
        server.kill()
        server.close()
    stored = stored_actions(server.database)
    lost = [told for told in tally.acknowledged if told not in stored]
    assert lost == []
    assert len(tally.acknowledged) >= KILLS
    assert tally.reconnected >= KILLS
    assert tally.resent > 0, "no kill fell between a message and its acknowledgement"
    assert len(tally.finished) >= len(ROOMS)
    for record in records.values():
        parse_record(record).verify()


def stored_actions(database: Path) -> set[tuple[str, int, str, str]]:
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT room_id, event FROM room_events").fetchall()
    connection.close()
    acted = [(room, json.loads(event)) for room, event in rows]
    return {
        (room, e["seat"], e["id"], e["action"])
        for room, e in acted
        if e["kind"] == "acted" and "id" in e
    }
