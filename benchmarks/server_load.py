"""Load test of the web server: the latency of moves with many rooms on one machine.

Starts a server in a process of its own (SQLite, every move stored before it is sent) and plays
Gomoku in many rooms at once, two clients to a room, each room at a steady pace. In one room of ten
an agent (`random`) plays a client while the other is a spectator. The latency of a move is from the
moment its client sends it until the other client of the room has received it, over real sockets,
clients and server on the same machine. Every move must arrive, in order, at both clients.

Measuring starts when every client is connected and welcomed; the first moves are spread over the
pace. Beside the moves it shows what else takes time: the lag of the clients' own event loop (they
share one process, and a move passes it twice), a bare echo between two processes at the same time,
the lag of the server's event loop and the duration of its transactions (both from its /metrics, as
the upper bound of the bucket that the quantile falls in). Garbage collection is off in the clients'
process while it measures.

    python benchmarks/server_load.py --rooms 500 --pace 2 --seconds 60
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import msgspec
from websockets.asyncio.client import connect

SERVER = """
import sys, socket
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.run import server_for
from trireme.store import open_store
many = 10**6
limits = ServerLimits(request_rate=many, request_burst=many, room_rate=many, room_burst=many,
                connections_per_address=many, connections=many, rooms=many)
listener = socket.socket(fileno=int(sys.argv[1]))
config = Config(limits, workers=1, warm=False)
server_for(open_store(sys.argv[2]), config, tuned=True).run([listener])
"""
ECHO = """
import socket, sys
connection, _ = socket.socket(fileno=int(sys.argv[1])).accept()
while data := connection.recv(64):
    connection.sendall(data)
"""
COLUMNS = "abcdefghijklmno"


class SeatState(msgspec.Struct):
    to_move: bool


class Position(msgspec.Struct):
    version: int
    moves: int
    status: str
    seats: dict[str, SeatState]


class Message(msgspec.Struct):
    type: str
    position: Position | None = None
    since: int | None = None
    code: str | None = None


DECODER = msgspec.json.Decoder(Message)


@dataclass
class Tally:
    """What was measured."""

    latencies: list[float] = field(default_factory=list)
    moves: int = 0
    games: int = 0
    gaps: int = 0
    errors: int = 0


@dataclass
class Room:
    """One room and its two clients."""

    number: int
    name: str
    tokens: list[str | None]
    sent: dict[int, float] = field(default_factory=dict)
    """When the move with this number was sent."""
    open: list[str] = field(default_factory=list)
    seen: list[int] = field(default_factory=lambda: [0, 0])


@dataclass
class Beside:
    """What else takes time, measured beside the moves."""

    echo: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)

    def clear(self) -> None:
        self.echo.clear()
        self.late.clear()


async def main(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        server, port = listening(SERVER, f"sqlite:///{Path(folder) / 'store.db'}")
        echo, echo_port = listening(ECHO)
        beside = Beside()
        looking = asyncio.gather(measure_echo(echo_port, beside.echo), measure_late(beside.late))
        try:
            await measure(options, port, server.pid, beside)
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            for process in (server, echo):
                process.terminate()
                process.wait()


def listening(program: str, *arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """A process that serves on a port of its own."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    with listener:
        command = [sys.executable, "-c", program, str(listener.fileno()), *arguments]
        process = subprocess.Popen(command, pass_fds=[listener.fileno()])
        return process, listener.getsockname()[1]


async def measure_echo(port: int, echoes: list[float]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while True:
        await asyncio.sleep(0.02)
        began = time.perf_counter()
        writer.write(b"ping")
        await reader.readexactly(4)
        echoes.append(time.perf_counter() - began)


async def measure_late(late: list[float]) -> None:
    while True:
        due = time.perf_counter() + 0.02
        await asyncio.sleep(0.02)
        late.append(time.perf_counter() - due)


async def measure(options: argparse.Namespace, port: int, pid: int, beside: Beside) -> None:
    tally = Tally()
    rooms = await make_rooms(options.rooms, port)
    barrier, few = Barrier(2 * len(rooms)), asyncio.Semaphore(20)
    playing = asyncio.gather(
        *(
            client(Client(room, which, port, options), barrier, few, tally)
            for room in rooms
            for which in (0, 1)
        )
    )
    began = await barrier.wait()
    beside.clear()
    cpu, own, before = cpu_seconds(pid), time.process_time(), await histograms(port)
    await playing
    took = time.perf_counter() - began
    after = await histograms(port)
    print(f"rooms {len(rooms)} · clients {2 * len(rooms)} · {took:.0f} s")
    print(f"moves relayed {tally.moves} ({tally.moves / took:.0f}/s) · gaps {tally.gaps}", end="")
    print(f" · errors {tally.errors} · sent but not relayed {lost(rooms)}")
    print(f"{'ms':>8} {'move':>8} {'clients':>8} {'echo':>8} {'server':>8} {'commit':>8}")
    for share in (0.5, 0.9, 0.99, 0.999, 1.0):
        lists = (tally.latencies, beside.late, beside.echo)
        cells = [f"{1000 * quantile(of, share):8.1f}" for of in lists]
        bounds = (bound(before[name], after[name], share) for name in ("late", "commit"))
        cells += [f"{'≤ ' + most:>8}" for most in bounds]
        print(f"{f'p{100 * share:g}':>8} {' '.join(cells)}")
    used, client_used = (cpu_seconds(pid) - cpu) / took, (time.process_time() - own) / took
    print(f"CPU of a core: server {used:.0%}, clients {client_used:.0%}", end="")
    print(f" · load of the machine {os.getloadavg()[0]:.1f}")
    print(f"CPU time of the server per move: {1000 * used * took / max(1, tally.moves):.2f} ms")


Buckets = dict[str, int]
"""By upper bound in seconds: how many durations were at most so long (cumulative histogram)."""


async def histograms(port: int) -> dict[str, Buckets]:
    """The server's histograms, from its /metrics."""
    async with httpx.AsyncClient() as http:
        text = (await http.get(f"http://127.0.0.1:{port}/metrics")).text
    found: dict[str, Buckets] = {"late": {}, "commit": {}}
    for name, limit, count in re.findall(r'trireme_(\w+)_seconds_bucket{le="(.+)"} (\d+)', text):
        if name in found:
            found[name][limit] = int(count)
    return found


def bound(before: Buckets, after: Buckets, share: float) -> str:
    """The upper bound, in milliseconds, of the quantile `share` of the durations since `before`."""
    counts = {limit: count - before[limit] for limit, count in after.items()}
    limit = next(limit for limit, count in counts.items() if count >= share * counts["+Inf"])
    return "∞" if limit == "+Inf" else f"{1000 * float(limit):g}"


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def make_rooms(count: int, port: int) -> list[Room]:
    me, agent = {"kind": "me"}, {"kind": "agent", "agent": "random"}
    rooms = []
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        for number in range(count):
            watched = number % 10 == 0
            seats = [me, agent] if watched else [me, {"kind": "open"}]
            body = {"game": "gomoku", "seats": seats, "public": False}
            held = (await http.post("/api/rooms", json=body)).json()
            tokens = [held["token"], None]
            if not watched:
                joined = await http.post(f"/api/rooms/{held['room']}/join", json={})
                tokens[1] = joined.json()["token"]
            points = [f"{c}{r}" for c in COLUMNS for r in range(1, 16)]
            random.Random(number).shuffle(points)
            rooms.append(Room(number, held["room"], tokens, open=points))
    return rooms


class Barrier:
    """A barrier: no client plays before all are connected."""

    def __init__(self, count: int) -> None:
        self._missing = count
        self._go = asyncio.Event()
        self.began = 0.0

    async def wait(self) -> float:
        await self._go.wait()
        return self.began

    async def arrive(self) -> float:
        self._missing -= 1
        if not self._missing:
            gc.freeze()
            gc.disable()
            self.began = time.perf_counter()
            self._go.set()
        return await self.wait()


@dataclass
class Client:
    """One player, or one spectator of a game against an agent."""

    room: Room
    which: int
    port: int
    options: argparse.Namespace


async def client(me: Client, barrier: Barrier, few: asyncio.Semaphore, tally: Tally) -> None:
    room, which, pace = me.room, me.which, me.options.pace
    rng = random.Random(1000 * room.number + which)
    url = f"ws://127.0.0.1:{me.port}/ws/{room.name}"
    async with few:
        ws = await connect(url, proxy=None, compression=None, open_timeout=120).__aenter__()
        hello = {"type": "hello", "protocol": 1, "token": room.tokens[which]}
        await ws.send(json.dumps(hello))
        version = await welcomed(ws)
    end = await barrier.arrive() + me.options.seconds
    turn = None
    if which == 0:
        await asyncio.sleep(rng.uniform(0, 1) * pace)
        await act(ws, room, which, turn := 0)
    while (left := end + 2 - time.perf_counter()) > 0:
        try:
            message = DECODER.decode(await asyncio.wait_for(ws.recv(), left))
        except TimeoutError:
            break
        if message.code == "illegal_action" and turn is not None:
            await act(ws, room, which, turn)  # the agent was there first
            continue
        tally.errors += message.type == "error"
        position = message.position
        if position is None:
            continue
        tally.gaps += message.type == "update" and message.since != version
        version = position.version
        received(room, which, position.moves, tally)
        if position.status == "over":
            tally.games += which == 0
            break
        state = position.seats.get(str(which))
        if state is not None and state.to_move:
            await asyncio.sleep(rng.uniform(0.5, 1.5) * pace)
            turn = position.moves
            if time.perf_counter() < end:
                await act(ws, room, which, turn)
    await ws.close()


async def welcomed(ws: Any) -> int:
    """The version of the room that the client has entered."""
    while True:
        message = DECODER.decode(await ws.recv())
        if message.type == "welcome" and message.position is not None:
            return message.position.version


async def act(ws: Any, room: Room, seat: int, moves: int) -> None:
    """Play a point that no client of the room has played."""
    point = room.open.pop()
    room.sent[moves + 1] = time.perf_counter()
    message = {"type": "act", "id": f"{seat}-{moves}-{point}", "seat": seat, "action": point}
    await ws.send(json.dumps(message))


def received(room: Room, which: int, moves: int, tally: Tally) -> None:
    """Count a move that has arrived; its latency is measured at the client that did not send it."""
    for number in range(room.seen[which] + 1, moves + 1):
        tally.moves += which == 0
        by_agent = room.tokens[1] is None and number % 2 == 0
        sender = 0 if room.tokens[1] is None else (number - 1) % 2
        if not by_agent and which != sender and number in room.sent:
            tally.latencies.append(time.perf_counter() - room.sent[number])
    room.seen[which] = max(room.seen[which], moves)


def lost(rooms: list[Room]) -> int:
    return sum(number > min(room.seen) for room in rooms for number in room.sent)


def cpu_seconds(pid: int) -> float:
    """The CPU time that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rooms", type=int, default=500)
    parser.add_argument("--pace", type=float, default=2.0, help="seconds between a room's moves")
    parser.add_argument("--seconds", type=float, default=60)
    asyncio.run(main(parser.parse_args()))
