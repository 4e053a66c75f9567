"""kill -9 of servers under play: no acknowledged move is lost or doubled, no room or seat orphaned.

Starts servers in processes of their own and lets scripted clients play all games in several rooms.
After a random number of acknowledged moves a random server is killed, and started again a moment
later; with several servers, every sixth is stopped by SIGTERM instead, as in a rolling restart.
Clients reconnect to any server and send again what was not acknowledged. When all kills are done,
the games are played to their ends, and the database is compared with what the clients were told:

  lost       acknowledged moves that the database does not hold
  doubled    requests that were carried out more than once
  broken     rooms whose event log has gaps, or whose record does not verify
  orphaned   rooms that were not finished, or seats whose token is refused at the end

One server runs on SQLite, several share a PostgreSQL: the one that --database names, or one that is
started for the run. Exits with status 1 unless all four are 0.

    python benchmarks/server_kills.py --kills 200 --servers 3
    python benchmarks/server_kills.py --kills 1000
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec
from numpy.random import default_rng
from postgres_server import postgres_server
from rich.console import Console
from rich.progress import Progress
from sqlalchemy import create_engine, text
from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from trireme.core.errors import TriremeError
from trireme.core.game import AnyGame
from trireme.core.record import parse_record
from trireme.core.registry import make_game, view_type

SERVER = """
import os, signal, socket, sys
from trireme.core.registry import GAMES, make_game
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.rooms.views import terminal
from trireme.server.run import server_for
from trireme.server.storage.sole_server import sole_server
from trireme.store import open_store

for name in GAMES:
    make_game(name)
    terminal(name)
many = 10**6
limits = ServerLimits(message_rate=many, message_burst=many, request_rate=many, request_burst=many,
                      room_rate=many, room_burst=many, connections_per_address=many,
                      address_message_rate=many, address_message_burst=many)
address = f"127.0.0.1:{sys.argv[1]}"
config = Config(limits, workers=1, warm=False, peer_address=address)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        listener = socket.create_server(("127.0.0.1", int(sys.argv[1])), backlog=512)
        engine = open_store(sys.argv[2])
        with sole_server(engine):
            server_for(engine, config).run([listener])
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("ended", flush=True)
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
RETRY = 503
"""The status of "try again": the server stops, or another takes its rooms over."""


class Killable:
    """A server in a process of its own, always on the same port and database."""

    def __init__(self, database: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        command = [sys.executable, "-c", SERVER, str(self.port), database]
        self._forker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._child = 0

    def start(self) -> None:
        assert self._forker.stdin is not None
        self._forker.stdin.write("start\n")
        self._forker.stdin.flush()
        self._child = int(self._line())

    def end(self, how: signal.Signals) -> None:
        """Send the signal and return when the process has ended."""
        if self._child:
            os.kill(self._child, how)
            self._child = 0
            assert self._line() == "ended"

    def close(self) -> None:
        self.end(signal.SIGKILL)
        self._forker.communicate("")

    def _line(self) -> str:
        assert self._forker.stdout is not None
        return self._forker.stdout.readline().strip()


class SeatGone(Exception):
    """A join was carried out, but its answer was lost with the server."""


@dataclass
class Tally:
    """What all players together were told."""

    acknowledged: list[tuple[str, int, str, str]] = field(default_factory=list)
    """Room, seat, id, action."""
    players: list[Player] = field(default_factory=list)
    reconnected: list[float] = field(default_factory=list)
    """Seconds from losing a connection to being welcomed again."""
    resent: int = 0
    lost_joins: int = 0
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


class Player:
    """A client that comes back after every kill and sends again what was not acknowledged."""

    def __init__(self, ports: list[int], held: dict[str, Any], tally: Tally) -> None:
        self.ports, self.tally = ports, tally
        self.room, self.token, self.seat = held["room"], held["token"], held["seats"][0]
        self.game: AnyGame = make_game(held["info"]["game"], **held["info"]["settings"])
        self.version = 0
        self.position: dict[str, Any] = {}
        self.over = False
        self.gone_at: float | None = None
        self.open: dict[str, Any] | None = None
        """The message that is neither acknowledged nor refused."""

    async def play(self) -> None:
        while not self.over:
            try:
                url = f"ws://127.0.0.1:{random.choice(self.ports)}/ws/{self.room}"
                async with connect(url, proxy=None, compression=None) as ws:
                    await self.converse(ws)
            except GONE:
                self.gone_at = self.gone_at or time.monotonic()
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
                    assert position["version"] >= self.version, "a position that was sent is lost"
                    self.version, self.position = position["version"], position
                    if first:
                        await self.welcomed(ws)
                    first = False
                    await self.consider(ws)
                case "ack":
                    assert self.open is not None
                    assert message["id"] == self.open["id"]
                    self.tally.note((self.room, self.seat, message["id"], self.open["action"]))
                    self.open = None
                    # The position came before its acknowledgement, and may ask for more already.
                    await self.consider(ws)
                case "error":
                    assert message["code"] == "shutting_down", message

    async def welcomed(self, ws: Any) -> None:
        if self.gone_at is not None:
            self.tally.reconnected.append(time.monotonic() - self.gone_at)
            self.gone_at = None
        if self.open is not None:
            self.tally.resent += 1
            await ws.send(json.dumps(self.open))

    async def consider(self, ws: Any) -> None:
        """Move if it is this seat's turn; leave when the game is over and all is acknowledged."""
        position = self.position
        if self.open is not None:
            return
        if position["status"] == "over":
            self.over = True
        elif (mine := position["seats"][str(self.seat)])["to_move"]:
            self.open = {
                "type": "act",
                "id": f"{self.seat}-{position['version']}-{random.getrandbits(32)}",
                "seat": self.seat,
                "action": choose(self.game, mine["view"], self.seat, position["version"]),
                "moves": position["moves"],
            }
            await ws.send(json.dumps(self.open))


def choose(game: AnyGame, view: Any, seat: int, seed: int) -> str:
    """A random legal action of the seat, found from the JSON of its view alone."""
    rng = default_rng(seed)
    state = game.determinize(msgspec.convert(view, view_type(game.name)), rng)
    return game.write(game.legal(state, seat).sample(rng))


async def post(ports: list[int], path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Ask until a living server answers."""
    sent = 0
    async with httpx.AsyncClient(timeout=120) as http:
        while True:
            try:
                url = f"http://127.0.0.1:{random.choice(ports)}{path}"
                answer = await http.post(url, json=body)
            except GONE:
                answer = None
            if answer is not None and answer.status_code == 201:
                held: dict[str, Any] = answer.json()
                return held
            if answer is not None and answer.status_code == 409 and sent:
                raise SeatGone
            assert answer is None or answer.status_code == RETRY, answer.text
            sent += 1
            await asyncio.sleep(0.02)


async def keep_playing(
    ports: list[int], body: dict[str, Any], tally: Tally, enough: asyncio.Event
) -> None:
    """One room after another until the killing is over; the last one is played to its end."""
    while not enough.is_set():
        held = await post(ports, "/api/rooms", body)
        players = [Player(ports, held, tally)]
        try:
            if OPEN in body["seats"]:
                joined = await post(ports, f"/api/rooms/{held['room']}/join", {})
                players.append(Player(ports, joined, tally))
        except SeatGone:
            tally.lost_joins += 1
            continue
        tally.players += players
        await asyncio.gather(*(player.play() for player in players))


@dataclass
class Summary:
    """What was done, and what the database says of it."""

    servers: int
    kills: int = 0
    stops: int = 0
    seconds: float = 0.0
    rooms: int = 0
    acknowledged: int = 0
    reconnected: int = 0
    resent: int = 0
    lost_joins: int = 0
    slowest_return: float = 0.0
    median_return: float = 0.0
    lost: int = 0
    doubled: int = 0
    broken: int = 0
    orphaned: int = 0

    @property
    def whole(self) -> bool:
        return not (self.lost or self.doubled or self.broken or self.orphaned)


async def kill_again_and_again(
    servers: list[Killable], options: argparse.Namespace, tally: Tally, summary: Summary
) -> None:
    rng = random.Random(options.seed)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("Kills", total=options.kills)
        while summary.kills < options.kills:
            await tally.more(rng.randint(1, 25))
            victim = rng.choice(servers)
            stop = len(servers) > 1 and (summary.kills + summary.stops) % 6 == 5
            await asyncio.to_thread(victim.end, signal.SIGTERM if stop else signal.SIGKILL)
            if stop:
                summary.stops += 1
            else:
                summary.kills += 1
                progress.advance(task)
            if len(servers) > 1:  # while one is dead, the others take its rooms over
                await asyncio.sleep(rng.uniform(0, 0.5))
            await asyncio.to_thread(victim.start)


async def play_and_kill(
    servers: list[Killable], options: argparse.Namespace, summary: Summary
) -> Tally:
    tally, enough = Tally(), asyncio.Event()
    ports = [server.port for server in servers]

    async def kill() -> None:
        try:
            await kill_again_and_again(servers, options, tally, summary)
        finally:
            enough.set()

    bodies = [ROOMS[n % len(ROOMS)] for n in range(options.rooms)]
    await asyncio.gather(kill(), *(keep_playing(ports, body, tally, enough) for body in bodies))
    return tally


def compare(database: str, ports: list[int], tally: Tally, summary: Summary) -> None:
    """Compare the database and the servers' records with what the clients were told."""
    engine = create_engine(database.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as connection:
        rows = connection.execute(
            text("SELECT room_id, version, event FROM room_events ORDER BY room_id, version")
        ).all()
        over = set(
            connection.execute(text("SELECT room_id FROM rooms WHERE status = 'over'")).scalars()
        )
    engine.dispose()
    stored: Counter[tuple[str, int, str]] = Counter()
    acted: set[tuple[str, int, str, str]] = set()
    versions: dict[str, list[int]] = {}
    for room, version, event_text in rows:
        versions.setdefault(room, []).append(version)
        event = json.loads(event_text)
        if event["kind"] == "acted" and "id" in event:
            stored[room, event["seat"], event["id"]] += 1
            acted.add((room, event["seat"], event["id"], event["action"]))
    summary.lost = sum(told not in acted for told in tally.acknowledged)
    summary.doubled = sum(count - 1 for count in stored.values())
    summary.broken = sum(found != list(range(1, len(found) + 1)) for found in versions.values())
    for number, player in enumerate(tally.players):
        path = f"http://127.0.0.1:{ports[number % len(ports)]}/api/rooms/{player.room}/record"
        answer = httpx.get(path, headers={"Authorization": f"Bearer {player.token}"}, timeout=120)
        summary.orphaned += answer.status_code != 200 or not player.over or player.room not in over
        if answer.status_code == 200:
            try:
                parse_record(answer.text).verify()
            except TriremeError:
                summary.broken += 1


def measure(options: argparse.Namespace, database: str) -> Summary:
    summary = Summary(options.servers)
    servers: list[Killable] = []
    began = time.monotonic()
    try:
        for _ in range(options.servers):
            servers.append(Killable(database))
            servers[-1].start()
        tally = asyncio.run(play_and_kill(servers, options, summary))
        compare(database, [server.port for server in servers], tally, summary)
    finally:
        for server in servers:
            server.close()
    returns = sorted(tally.reconnected)
    summary.seconds = round(time.monotonic() - began, 1)
    summary.rooms = len({player.room for player in tally.players})
    summary.acknowledged = len(tally.acknowledged)
    summary.reconnected, summary.resent = len(returns), tally.resent
    summary.lost_joins = tally.lost_joins
    if returns:
        summary.median_return = round(returns[len(returns) // 2], 2)
        summary.slowest_return = round(returns[-1], 2)
    return summary


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--servers", type=int, default=1, help="servers that share the rooms")
    parser.add_argument("--rooms", type=int, default=4, help="rooms that are played at a time")
    parser.add_argument("--seed", type=int, default=7, help="of the moments and the victims")
    parser.add_argument("--database", help="an empty database; several servers need PostgreSQL")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = options.database
        if database is None and options.servers == 1:
            database = f"sqlite:///{folder / 'store.db'}"
        elif database is None:
            database = stack.enter_context(postgres_server(folder)).url
        summary = measure(options, database)
    if options.json:
        print(json.dumps(asdict(summary)))
    else:
        for name, value in asdict(summary).items():
            print(f"{name.replace('_', ' '):>16}  {value}")
    return 0 if summary.whole else 1


if __name__ == "__main__":
    sys.exit(main())
