"""Attacks on the web server from one address, while honest players play from another.

Starts a server in a process of its own with its default limits (SQLite, loopback) and plays Gomoku
from 127.0.0.1 in some rooms at a steady pace, while each of the attacks comes from an address of
its own (127.0.1.N). For each attack it prints what the attacker got, and what honest players saw:
the latency of a move from one client to the other, beside the lag of the clients' own event loop;
the longest time to create a room with settings of its own; the longest wait for the move of a
program; and the memory of the server's process.

    python benchmarks/server_attack.py
    python benchmarks/server_attack.py --only 4 --seconds 20
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from trireme.core.record import RecordWriter
from trireme.core.registry import make_game

SERVER = """
import sys, socket
from trireme.server.run import run
run(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], 2, 0)
"""
HONEST = "127.0.0.1"
POINTS = [(row, col) for row in range(15) for col in range(15)]
BY_SEAT = [
    [f"{chr(97 + col)}{row + 1}" for row, col in POINTS if (col + row // 2) % 2 == seat]
    for seat in (0, 1)
]
"""Points for each seat that never make five in a line."""
AGENT = {"kind": "agent", "agent": "random"}


@dataclass
class Seen:
    """What honest players saw during one attack; seconds."""

    moves: list[float] = field(default_factory=list)
    creations: list[float] = field(default_factory=list)
    programs: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    """How late the players' own event loop was: they share it with the attacker."""
    errors: Counter[str] = field(default_factory=Counter)


@dataclass
class Bench:
    """A server under test."""

    port: int
    process: subprocess.Popen[bytes]
    options: argparse.Namespace
    seen: Seen = field(default_factory=Seen)
    attacker: str = ""
    """The address of the present attack."""

    def http(self, address: str) -> httpx.AsyncClient:
        transport = httpx.AsyncHTTPTransport(
            local_address=address, limits=httpx.Limits(max_connections=60)
        )
        return httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{self.port}", transport=transport, timeout=60
        )

    def socket(self, room: str, address: str, **options: Any) -> connect:
        return connect(
            f"ws://127.0.0.1:{self.port}/ws/{room}",
            local_addr=(address, 0),
            proxy=None,
            compression=None,
            **options,
        )

    def memory(self) -> int:
        """Resident megabytes of the server's process."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize() >> 20


# Honest players


async def play_room(bench: Bench, http: httpx.AsyncClient) -> None:
    """Two clients of one room, a move every `pace` seconds; a full board begins another room."""
    while True:
        seats = [{"kind": "me"}, {"kind": "open"}]
        held = (await http.post("/api/rooms", json={"game": "gomoku", "seats": seats})).json()
        other = (await http.post(f"/api/rooms/{held['room']}/join", json={})).json()
        async with AsyncExitStack() as stack:
            sockets = []
            for token in (held["token"], other["token"]):
                ws = await stack.enter_async_context(bench.socket(held["room"], HONEST))
                await ws.send(json.dumps({"type": "hello", "protocol": 1, "token": token}))
                sockets.append(ws)
            number = 0
            while number < 200:
                await asyncio.sleep(bench.options.pace)
                number += await one_move(bench, sockets, number)


async def one_move(bench: Bench, sockets: list[Any], number: int) -> bool:
    """Whether the move was accepted."""
    seat, began = number % 2, time.perf_counter()
    id = f"{number}-{began}"
    action = BY_SEAT[seat][number // 2]
    message = {"type": "act", "id": id, "seat": seat, "action": action}
    await sockets[seat].send(json.dumps(message))
    while (answer := json.loads(await sockets[seat].recv())).get("id") != id:
        pass
    if answer["type"] == "error":
        bench.seen.errors[answer["code"]] += 1
        return False
    while True:
        answer = json.loads(await sockets[1 - seat].recv())
        if answer["type"] == "update" and answer["position"]["moves"] > number:
            bench.seen.moves.append(time.perf_counter() - began)
            return True


async def create_rooms(bench: Bench, http: httpx.AsyncClient) -> None:
    """A room with settings of its own every two seconds, and one move of a program in it."""
    number = 0
    while True:
        number += 1
        began = time.perf_counter()
        body = {
            "game": "gomoku",
            "settings": {"size": 9 + number % 12},
            "seats": [{"kind": "me"}, AGENT],
        }
        answer = await http.post("/api/rooms", json=body)
        bench.seen.creations.append(time.perf_counter() - began)
        if answer.status_code != 201:
            bench.seen.errors[answer.json()["code"]] += 1
        else:
            await program_answers(bench, answer.json())
        await asyncio.sleep(2)


async def program_answers(bench: Bench, held: dict[str, Any]) -> None:
    async with bench.socket(held["room"], HONEST) as ws:
        await ws.send(json.dumps({"type": "hello", "protocol": 1, "token": held["token"]}))
        began = time.perf_counter()
        await ws.send(json.dumps({"type": "act", "id": "1", "seat": 0, "action": "a1"}))
        while True:
            answer = json.loads(await ws.recv())
            if answer["type"] == "error":
                bench.seen.errors[answer["code"]] += 1
                return
            if answer["type"] == "update" and answer["position"]["moves"] >= 2:
                bench.seen.programs.append(time.perf_counter() - began)
                return


async def measure_late(bench: Bench) -> None:
    while True:
        due = time.perf_counter() + 0.02
        await asyncio.sleep(0.02)
        bench.seen.late.append(time.perf_counter() - due)


# Attacks: each returns what the attacker got, in words


async def posts(
    bench: Bench, path: str, bodies: list[Any], at_once: int = 50
) -> tuple[Counter[Any], float]:
    """The statuses of many requests, and the seconds that all of them took."""
    few, statuses = asyncio.Semaphore(at_once), Counter[Any]()
    began = time.perf_counter()

    async def post(http: httpx.AsyncClient, body: Any) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        async with few:
            try:
                async with http.stream("POST", path, content=raw, headers=headers) as answer:
                    async for _ in answer.aiter_raw():  # unpacking it would delay honest players
                        pass
                    statuses[answer.status_code] += 1
            except httpx.HTTPError as error:
                statuses[type(error).__name__] += 1

    async with bench.http(bench.attacker) as http:
        await asyncio.gather(*(post(http, body) for body in bodies))
    return statuses, time.perf_counter() - began


def said(statuses: Counter[Any]) -> str:
    return ", ".join(f"{count}×{status}" for status, count in sorted(statuses.items(), key=str))


async def huge_fleets(bench: Bench) -> str:
    body = {"settings": {"fleet": [1] * 60_000}}
    statuses, _ = await posts(bench, "/api/games/battleship/check", [body] * 20)
    room = {"game": "battleship", **body}
    more, _ = await posts(bench, "/api/rooms", [room] * 20)
    return said(statuses + more)


async def crowded_fleets(bench: Bench) -> str:
    bodies = [
        {"settings": {"fleet": [4, 3] * 9 + [1] * n, "rows": 12, "cols": 12}} for n in range(25)
    ]
    bodies += [{"settings": {"fleet": [7] * 20, "touching": True, "mines": n}} for n in range(25)]
    statuses, seconds = await posts(bench, "/api/games/battleship/check", bodies)
    return f"{said(statuses)} in {seconds:.1f} s"


async def rematches(bench: Bench) -> str:
    async with bench.http(bench.attacker) as http:
        seats = [{"kind": "me"}, {"kind": "me"}]
        held = (await http.post("/api/rooms", json={"game": "gomoku", "seats": seats})).json()
    rooms, room, end = 0, held["room"], time.perf_counter() + bench.options.seconds
    while time.perf_counter() < end:
        async with bench.socket(room, bench.attacker) as ws:
            await ws.send(json.dumps({"type": "hello", "protocol": 1, "token": held["token"]}))
            await ws.send(json.dumps({"type": "resign", "id": "r", "seat": 0}))
            await ws.send(json.dumps({"type": "rematch", "id": "m", "seat": 0}))
            while True:
                answer = json.loads(await ws.recv())
                if answer["type"] == "error" and answer["code"] == "too_fast":
                    return f"{rooms} rooms, then {answer['message']!r}"
                found = [e for e in answer.get("events", ()) if e["kind"] == "rematched"]
                if found:
                    rooms, room = rooms + 1, found[0]["room"]
                    break
    return f"{rooms} rooms"


async def spectacles(bench: Bench) -> str:
    """Thirty watched games of programs that think for ten seconds."""
    seat = {"kind": "agent", "agent": "search"}
    body = {"game": "gomoku", "seats": [seat, seat], "think": 10}
    async with bench.http(bench.attacker) as http, AsyncExitStack() as stack:
        answers = [await http.post("/api/rooms", json=body) for _ in range(30)]
        rooms = [answer.json()["room"] for answer in answers if answer.status_code == 201]
        for room in rooms:
            ws = await stack.enter_async_context(bench.socket(room, bench.attacker))
            await ws.send(json.dumps({"type": "hello", "protocol": 1}))
        await asyncio.sleep(max(bench.options.seconds, 15))
    return f"{len(rooms)} games watched"


async def maps_and_replays(bench: Bench) -> str:
    rock = {"x": 1, "y": 1, "size": "small"}
    sea = {"id": "x", "name": "x", "width": 26, "height": 26, "spawns": []}
    path = "/api/games/navigation/maps/check"
    statuses, _ = await posts(bench, path, [{**sea, "rocks": [rock] * 50_000}] * 5)
    more, _ = await posts(bench, path, [{**sea, "rocks": [rock] * 2_000}] * 20)
    replays, seconds = await posts(bench, "/api/replay", [{"record": large_record()}] * 10)
    return f"maps {said(statuses + more)}; replays {said(replays)} in {seconds:.1f} s"


def large_record() -> str:
    """A drawn game on the largest board: 676 moves."""
    game, writer = make_game("gomoku", size=26), RecordWriter()
    cells = [(row, col) for row in range(26) for col in range(26)]
    seats = [[cell for cell in cells if (cell[1] + cell[0] // 2) % 2 == seat] for seat in (0, 1)]
    writer.begin(game, ["a", "b"], 1)
    for number in range(len(cells)):
        writer.move({number % 2: game.write(seats[number % 2][number // 2])}, {})
    return "".join(line + "\n" for line in writer.lines)


async def silent_connections(bench: Bench) -> str:
    opened: list[socket.socket] = []
    refused = 0
    for _ in range(1_200):
        connection = socket.socket()
        connection.bind((bench.attacker, 0))
        connection.setblocking(False)
        opened.append(connection)
        try:
            await asyncio.wait_for(
                asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", bench.port)), 5
            )
        except (OSError, TimeoutError):
            refused += 1
    await asyncio.sleep(bench.options.seconds)
    files = len(os.listdir(f"/proc/{bench.process.pid}/fd"))
    for connection in opened:
        connection.close()
    return f"1200 opened, {refused} refused; the server has {files} files open"


async def lost_joins(bench: Bench) -> str:
    key, seats = "k" * 30, [{"kind": "me"}, {"kind": "open"}]
    async with bench.http(bench.attacker) as http:
        held = (await http.post("/api/rooms", json={"game": "gomoku", "seats": seats})).json()
        path = f"/api/rooms/{held['room']}/join"
        await http.post(path, json={"key": key})  # this answer is lost
        again = await http.post(path, json={"key": key})
    return f"{again.status_code}: seat {again.json()['seats']} again"


async def malformed(bench: Bench) -> str:
    bodies = [
        rb'{"game": "gomoku", "settings": {"rule": "\ud800"}}',
        b'{"game": "gomoku", "settings": ' + b"[" * 60_000 + b"]" * 60_000 + b"}",
        rb'{"game": "gomoku", "variant": "\u0000"}',
        b'{"game": "gomoku", "think": NaN}',
    ]
    statuses, _ = await posts(bench, "/api/rooms", bodies * 5)
    return said(statuses)


async def help_for_a_running_game(bench: Bench) -> str:
    async with bench.http(bench.attacker) as http:
        seats = [{"kind": "me"}, {"kind": "open"}]
        held = (await http.post("/api/rooms", json={"game": "gomoku", "seats": seats})).json()
        other = (await http.post(f"/api/rooms/{held['room']}/join", json={})).json()
        for number, action in enumerate(["h8", "h9", "g8", "i9", "f7", "j10"]):
            token = (held, other)[number % 2]["token"]
            async with bench.socket(held["room"], bench.attacker) as ws:
                await ws.send(json.dumps({"type": "hello", "protocol": 1, "token": token}))
                act = {"type": "act", "id": str(number), "seat": number % 2, "action": action}
                await ws.send(json.dumps(act))
                while json.loads(await ws.recv())["type"] != "ack":
                    pass
        record = (await http.get(f"/api/rooms/{held['room']}/record")).text
        body = {"record": record, "move": 6, "seat": 0, "kind": "hint"}
        answer = (await http.post("/api/analysis", json=body)).json()
    return str(answer.get("code") or f"an engine move: {answer['action']}")


async def full_disk(bench: Bench) -> str:
    """No file of the server may grow any more, for a while."""
    free = resource.prlimit(bench.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(bench.process.pid, resource.RLIMIT_FSIZE, (1, free[1]))
    await asyncio.sleep(bench.options.seconds)
    async with bench.http(bench.attacker) as http:
        sick = await http.get("/healthz")
        resource.prlimit(bench.process.pid, resource.RLIMIT_FSIZE, free)
        well = await http.get("/healthz")
    return f"health {sick.status_code}, then {well.status_code} when there is space again"


async def other_sites(bench: Bench) -> str:
    async with bench.http(bench.attacker) as http:
        held = (await http.post("/api/rooms", json={"game": "gomoku"})).json()
        found = [
            (await http.get("/api/games", headers={"Host": "evil.example"})).status_code,
            (
                await http.post("/api/rooms", json={}, headers={"Origin": "http://e.vil"})
            ).status_code,
        ]
        page = await http.get("/docs")
    try:
        async with bench.socket(held["room"], bench.attacker, origin="http://evil.example"):
            found.append(101)
    except InvalidStatus as refused:
        found.append(refused.response.status_code)
    foreign = "//" in page.headers["content-security-policy"] or "<script" in page.text
    return f"host, origin, socket: {found}; scripts from elsewhere: {foreign}"


async def pipelined_requests(bench: Bench) -> str:
    """Thousands of requests in each of many connections, before the first answer."""
    requests = b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5_000
    opened = 0
    end = time.perf_counter() + bench.options.seconds
    while time.perf_counter() < end:
        connections = []
        for _ in range(60):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", bench.port, local_addr=(bench.attacker, 0)
            )
            writer.write(requests)
            connections.append((reader, writer))
            opened += 1
        for reader, writer in connections:
            with suppress(OSError, TimeoutError):
                await asyncio.wait_for(reader.read(), 5)
            writer.transport.abort()
    return f"{opened} connections with {requests.count(b'GET')} requests each"


async def downloads(bench: Bench) -> str:
    """Large answers, many at a time, without end."""
    statuses, few = Counter[Any](), asyncio.Semaphore(50)
    end = time.perf_counter() + bench.options.seconds

    async def download(http: httpx.AsyncClient) -> None:
        while time.perf_counter() < end:
            async with few, http.stream("GET", "/openapi.json") as answer:
                async for _ in answer.aiter_raw():
                    pass
                statuses[answer.status_code] += 1

    async with bench.http(bench.attacker) as http:
        await asyncio.gather(*(download(http) for _ in range(50)))
    return said(statuses)


ATTACKS: list[tuple[str, Callable[[Bench], Awaitable[str]]]] = [
    ("huge fleets", huge_fleets),
    ("crowded fleets", crowded_fleets),
    ("rematches", rematches),
    ("watched programs", spectacles),
    ("large maps and replays", maps_and_replays),
    ("silent connections", silent_connections),
    ("lost joins", lost_joins),
    ("malformed bodies", malformed),
    ("help for a running game", help_for_a_running_game),
    ("a full disk", full_disk),
    ("pages of other sites", other_sites),
    ("pipelined requests", pipelined_requests),
    ("downloads", downloads),
]


async def main(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        options.folder = folder
        bench = start(options, folder)
        try:
            await wait_until_ready(bench)
            async with bench.http(HONEST) as http:
                await http.get("/api/games")
                honest = [play_room(bench, http) for _ in range(options.rooms)]
                honest += [create_rooms(bench, http), measure_late(bench)]
                players = [asyncio.create_task(player) for player in honest]
                try:
                    await attack_all(bench)
                finally:
                    for player in players:
                        player.cancel()
                    with suppress(ConnectionClosed):
                        await asyncio.gather(*players, return_exceptions=True)
        finally:
            bench.process.terminate()
            bench.process.wait()


def start(options: argparse.Namespace, folder: str) -> Bench:
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    with listener:
        command = [sys.executable, "-c", SERVER, str(listener.fileno())]
        process = subprocess.Popen(
            [*command, f"sqlite:///{Path(folder) / 'store.db'}"],
            pass_fds=[listener.fileno()],
            env={**os.environ, "FORWARDED_ALLOW_IPS": "192.0.2.1"},  # honest players are no proxy
            stderr=None if options.verbose else subprocess.DEVNULL,
        )
        return Bench(listener.getsockname()[1], process, options)


async def wait_until_ready(bench: Bench) -> None:
    async with bench.http(HONEST) as http:
        while True:
            with suppress(httpx.HTTPError):
                if (await http.get("/healthz")).json()["ok"]:
                    return
            await asyncio.sleep(0.2)


async def attack_all(bench: Bench) -> None:
    columns = f"{'p50 ms':>7} {'p99 ms':>7} {'own p99':>7} {'room s':>7} {'AI s':>6} {'MB':>5}"
    print(f"{'attack':26} {columns}  result")
    await during(bench, 0, "none", idle)
    for number, (name, attack) in enumerate(ATTACKS, 1):
        if bench.options.only in (None, number):
            await during(bench, number, name, attack)


async def idle(bench: Bench) -> str:
    return ""


async def during(
    bench: Bench, number: int, name: str, attack: Callable[[Bench], Awaitable[str]]
) -> None:
    """Attack for at least `seconds`, and print what honest players saw."""
    bench.seen = seen = Seen()
    bench.attacker = f"127.0.1.{number + 1}"
    result, _ = await asyncio.gather(attack(bench), asyncio.sleep(bench.options.seconds))
    cells = (
        f"{1000 * quantile(seen.moves, 0.5):7.1f} {1000 * quantile(seen.moves, 0.99):7.1f}",
        f"{1000 * quantile(seen.late, 0.99):7.1f}",
        f"{max(seen.creations, default=float('nan')):7.2f}",
        f"{max(seen.programs, default=float('nan')):6.2f}",
        f"{bench.memory():5d}",
    )
    errors = f" · honest players were refused: {dict(seen.errors)}" if seen.errors else ""
    print(f"{number:2} {name:23} {' '.join(cells)}  {result}{errors}", flush=True)


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rooms", type=int, default=10, help="rooms of honest players")
    parser.add_argument("--pace", type=float, default=0.5, help="seconds between a room's moves")
    parser.add_argument("--seconds", type=float, default=4, help="the least time of each attack")
    parser.add_argument("--only", type=int, help="the number of one attack; more than all: none")
    parser.add_argument("--verbose", action="store_true", help="show the server's log")
    asyncio.run(main(parser.parse_args()))
