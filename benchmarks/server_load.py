"""Load test of the web server: the latency of moves with many rooms on one machine.

Starts servers in processes of their own (one on SQLite, or several on one PostgreSQL; every move is
stored before it is sent) and plays Gomoku in many rooms at once, two clients to a room, each room
at a steady pace. In one room of ten an agent (`random`) plays a client while the other is a
spectator. The latency of a move is from the moment its client sends it until the other client of
the room has received it, over real sockets, clients and servers on the same machine. Every move
must arrive, in order, at both clients.

With several servers, `--connect owner` lets both clients of a room use the server that owns it, as
a proxy does that hashes the room's id; `--connect any` lets the second client use another one,
which forwards everything to the owner and back.

Measuring starts when every client is connected and welcomed; the first moves are spread over the
pace. Beside the moves it shows what else takes time: the lag of the clients' own event loop (they
share one process, and a move passes it twice), a bare echo between two processes at the same time,
the lag of the servers' event loops and the duration of their transactions (both from /metrics, as
the upper bound of the bucket that the quantile falls in). Garbage collection is off in the clients'
process while it measures.

    python benchmarks/server_load.py --rooms 500 --pace 2 --seconds 60
    python benchmarks/server_load.py --rooms 2000 --servers 2
    python benchmarks/server_load.py --rooms 4000 --servers 2 --cores 0,1
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx
import msgspec
from postgres_server import postgres_server
from uvloop import new_event_loop

SERVER = """
import sys, socket
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.run import server_for
from trireme.store import open_store
many = 10**6
limits = ServerLimits(request_rate=many, request_burst=many, room_rate=many, room_burst=many,
                connections_per_address=many, connections=many, rooms=many,
                address_message_rate=many, address_message_burst=many, byte_rate=many,
                byte_burst=many)
listener = socket.socket(fileno=int(sys.argv[1]))
address = "127.0.0.1:%d" % listener.getsockname()[1]
config = Config(limits, workers=1, warm=False, peer_address=address)
server_for(open_store(sys.argv[2]), config, tuned=True).run([listener])
"""
ECHO = """
import socket, sys
connection, _ = socket.socket(fileno=int(sys.argv[1])).accept()
while data := connection.recv(64):
    connection.sendall(data)
"""
COLUMNS = "abcdefghijklmno"
CONNECTING = 20
"""Rooms that are created, and clients that connect, at a time."""
REST_SECONDS = 2
"""How long moves may be under way after the last one was sent."""


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
    closed: int = 0


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
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # servers inherit it, too
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database, postgres = f"sqlite:///{folder / 'store.db'}", None
        everywhere = os.sched_getaffinity(0)
        if options.servers > 1 or options.postgres:
            os.sched_setaffinity(0, options.database_cores or options.cores or everywhere)
            postgres = stack.enter_context(postgres_server(folder))
            database = postgres.url
        os.sched_setaffinity(0, options.cores or everywhere)  # child processes inherit it
        servers = [listening(SERVER, database) for _ in range(options.servers)]
        taken = options.cores | options.database_cores
        os.sched_setaffinity(0, everywhere - taken or everywhere)
        echo, echo_port = listening(ECHO)
        beside = Beside()
        looking = asyncio.gather(measure_echo(echo_port, beside.echo), measure_late(beside.late))
        pids = {"servers": [process.pid for process, _ in servers]}
        if postgres is not None:
            pids["PostgreSQL"] = [postgres.pid]
        try:
            await measure(options, [port for _, port in servers], pids, beside)
        finally:
            looking.cancel()
            with suppress(asyncio.CancelledError):
                await looking
            for process in (*(process for process, _ in servers), echo):
                process.terminate()
            for process in (*(process for process, _ in servers), echo):
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


async def measure(
    options: argparse.Namespace, ports: list[int], pids: dict[str, list[int]], beside: Beside
) -> None:
    tally = Tally()
    few = asyncio.Semaphore(CONNECTING)
    # A room is owned by the server that is asked for it first.
    began = time.perf_counter()
    async with web_client() as http:
        made = await asyncio.gather(
            *(
                make_room(number, ports[number % len(ports)], few, http)
                for number in range(options.rooms)
            )
        )
    setup = time.perf_counter() - began
    clients = [
        Client(room, which, ports[(room.number + away) % len(ports)], options, tally)
        for which in (0, 1)
        for room in made
        for away in [which if options.connect == "any" else 0]
    ]
    await asyncio.gather(*(client.connect(few) for client in clients))
    gc.freeze()
    gc.disable()
    beside.clear()
    cpu, own, before = cpu_seconds(pids), time.process_time(), await histograms(ports)
    began = time.perf_counter()
    for client in clients:
        client.begin(began + options.seconds)
    await asyncio.sleep(options.seconds + REST_SECONDS)
    took = time.perf_counter() - began
    after = await histograms(ports)
    used = {name: (seconds - cpu[name]) / took for name, seconds in cpu_seconds(pids).items()}
    used["clients"] = (time.process_time() - own) / took
    for client in clients:
        client.close()
    print(f"rooms {len(made)} · clients {len(clients)} · servers {len(ports)}", end="")
    print(f" (second client at {options.connect}) · {took:.0f} s · ", end="")
    print(f"{len(made) / setup:.0f} rooms created a second")
    print(f"moves relayed {tally.moves} ({tally.moves / took:.0f}/s) · gaps {tally.gaps}", end="")
    print(f" · errors {tally.errors} · closed {tally.closed}", end="")
    print(f" · sent but not relayed {lost(made)}")
    print(f"{'ms':>8} {'move':>8} {'clients':>8} {'echo':>8} {'server':>8} {'commit':>8}")
    for share in (0.5, 0.9, 0.99, 0.999, 1.0):
        lists = (tally.latencies, beside.late, beside.echo)
        cells = [f"{1000 * quantile(of, share):8.1f}" for of in lists]
        bounds = (bound(before[name], after[name], share) for name in ("late", "commit"))
        cells += [f"{'≤ ' + most:>8}" for most in bounds]
        print(f"{f'p{100 * share:g}':>8} {' '.join(cells)}")
    print("CPU of a core: " + ", ".join(f"{who} {part:.0%}" for who, part in used.items()), end="")
    print(f" · load of the machine {os.getloadavg()[0]:.1f}")
    each = {who: 1000 * part * took / max(1, tally.moves) for who, part in used.items()}
    print("CPU ms per move: " + ", ".join(f"{who} {part:.2f}" for who, part in each.items()))
    commits = after["commit"]["+Inf"] - before["commit"]["+Inf"]
    print(f"moves per transaction: {tally.moves / max(1, commits):.1f}", flush=True)


Buckets = Counter[str]
"""By upper bound in seconds: how many durations were at most so long (cumulative histogram)."""


async def histograms(ports: list[int]) -> dict[str, Buckets]:
    """The servers' histograms, from their /metrics, added up."""
    found: dict[str, Buckets] = {"late": Counter(), "commit": Counter()}
    async with web_client() as http:
        texts = [(await http.get(f"http://127.0.0.1:{port}/metrics")).text for port in ports]
    pattern = r'trireme_(\w+)_seconds_bucket{le="(.+)"} (\d+)'
    for name, limit, count in re.findall(pattern, "\n".join(texts)):
        if name in found:
            found[name][limit] += int(count)
    return found


def bound(before: Buckets, after: Buckets, share: float) -> str:
    """The upper bound, in milliseconds, of the quantile `share` of the durations since `before`."""
    counts = {limit: count - before[limit] for limit, count in after.items()}
    limit = next(limit for limit, count in counts.items() if count >= share * counts["+Inf"])
    return "∞" if limit == "+Inf" else f"{1000 * float(limit):g}"


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def web_client() -> httpx.AsyncClient:
    """Without a TLS context, which takes 30 ms of processor time to make."""
    return httpx.AsyncClient(timeout=60, verify=False, trust_env=False)


async def make_room(
    number: int, port: int, few: asyncio.Semaphore, http: httpx.AsyncClient
) -> Room:
    me, agent = {"kind": "me"}, {"kind": "agent", "agent": "random"}
    watched = number % 10 == 0
    seats = [me, agent] if watched else [me, {"kind": "open"}]
    async with few:
        body = {"game": "gomoku", "seats": seats, "public": False}
        rooms = f"http://127.0.0.1:{port}/api/rooms"
        held = (await http.post(rooms, json=body)).json()
        tokens = [held["token"], None]
        if not watched:
            joined = await http.post(f"{rooms}/{held['room']}/join", json={})
            tokens[1] = joined.json()["token"]
    points = [f"{c}{r}" for c in COLUMNS for r in range(1, 16)]
    random.Random(number).shuffle(points)
    return Room(number, held["room"], tokens, open=points)


class WebSocketClient(asyncio.Protocol):
    """As much of RFC 6455 as this needs: thousands of clients must not cost more than the servers.

    Frames are not fragmented, which `trireme serve` never does.
    """

    transport: asyncio.Transport

    def __init__(self, path: str) -> None:
        self._path = path
        self._data = bytearray()
        self._upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(
            f"GET {self._path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        self._data += data
        if not self._upgraded:
            end = self._data.find(b"\r\n\r\n")
            if end < 0:
                return
            assert self._data.startswith(b"HTTP/1.1 101"), bytes(self._data[:200])
            del self._data[: end + 4]
            self._upgraded = True
            self.opened()
        while (size := self._frame_size()) and len(self._data) >= sum(size):
            opcode, payload = self._data[0] & 15, bytes(self._data[size[0] : sum(size)])
            del self._data[: sum(size)]
            if opcode == 9:
                self._send(10, payload)
            elif opcode in (1, 2):
                self.received(payload)

    def _frame_size(self) -> tuple[int, int] | None:
        """Bytes of the next frame's header and of its payload; None: they have not come yet."""
        if len(self._data) < 2:
            return None
        short = self._data[1] & 127
        extra = {126: 2, 127: 8}.get(short, 0)
        if len(self._data) < 2 + extra:
            return None
        return 2 + extra, int.from_bytes(self._data[2 : 2 + extra]) if extra else short

    def send(self, message: dict[str, Any]) -> None:
        self._send(1, json.dumps(message).encode())

    def _send(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        length = bytes([128 | size]) if size < 126 else bytes([254]) + size.to_bytes(2)
        # A mask of zeros leaves the payload as it is.
        self.transport.write(bytes([128 | opcode]) + length + bytes(4) + payload)

    def opened(self) -> None:
        raise NotImplementedError

    def received(self, payload: bytes) -> None:
        raise NotImplementedError


class Client(WebSocketClient):
    """One player, or one spectator of a game against an agent."""

    def __init__(
        self, room: Room, which: int, port: int, options: argparse.Namespace, tally: Tally
    ) -> None:
        super().__init__(f"/ws/{room.name}")
        self._room, self._which, self._port, self._tally = room, which, port, tally
        self._pace = options.pace
        self._rng = random.Random(1000 * room.number + which)
        self._loop = asyncio.get_running_loop()
        self._welcomed: asyncio.Future[None] = self._loop.create_future()
        self._version = 0
        self._end = 0.0
        self._turn: int | None = None
        self._closing = False

    async def connect(self, few: asyncio.Semaphore) -> None:
        """Return when the client has entered its room."""
        async with few:
            await self._loop.create_connection(lambda: self, "127.0.0.1", self._port)
            await self._welcomed

    def begin(self, end: float) -> None:
        """Play until `end`; the first player of each room moves first."""
        self._end = end
        if self._which == 0:
            self._loop.call_later(self._rng.uniform(0, 1) * self._pace, self._act, 0)

    def close(self) -> None:
        self._closing = True
        self.transport.close()

    def opened(self) -> None:
        self.send({"type": "hello", "protocol": 1, "token": self._room.tokens[self._which]})

    def connection_lost(self, error: Exception | None) -> None:
        self._tally.closed += not self._closing
        if not self._welcomed.done():
            self._welcomed.set_exception(ConnectionError("closed before the welcome"))

    def received(self, payload: bytes) -> None:
        message = DECODER.decode(payload)
        if message.type == "welcome" and not self._welcomed.done():
            assert message.position is not None
            self._version = message.position.version
            self._welcomed.set_result(None)
            return
        if message.code == "illegal_action" and self._turn is not None:
            self._act(self._turn)  # the agent was there first
            return
        self._tally.errors += message.type == "error"
        position = message.position
        if position is None:
            return
        self._tally.gaps += message.type == "update" and message.since != self._version
        self._version = position.version
        count_moves(self._room, self._which, position.moves, self._tally)
        if position.status == "over":
            self._tally.games += self._which == 0
            return
        state = position.seats.get(str(self._which))
        if state is not None and state.to_move:
            pause = self._rng.uniform(0.5, 1.5) * self._pace
            self._loop.call_later(pause, self._act, position.moves)

    def _act(self, moves: int) -> None:
        """Play a point that no client of the room has played."""
        now = time.perf_counter()
        if now >= self._end or self._closing:
            return
        self._turn = moves
        point = self._room.open.pop()
        self._room.sent[moves + 1] = now
        id = f"{self._which}-{moves}-{point}"
        self.send({"type": "act", "id": id, "seat": self._which, "action": point})


def count_moves(room: Room, which: int, moves: int, tally: Tally) -> None:
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


def cpu_seconds(pids: dict[str, list[int]]) -> dict[str, float]:
    """The CPU time that groups of processes have used so far; PostgreSQL's with its children's."""
    used = dict.fromkeys(pids, 0.0)
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = place.read_text().rpartition(")")[2].split()
            parent, pid = int(fields[1]), int(place.parent.name)
            for name, group in pids.items():
                if pid in group or (name == "PostgreSQL" and parent in group):
                    ticks = int(fields[11]) + int(fields[12])
                    used[name] += ticks / os.sysconf("SC_CLK_TCK")
    return used


def cores(text: str) -> set[int]:
    """The numbers of processor cores, as in `0,1`."""
    return set(map(int, text.split(",")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rooms", type=int, default=500)
    parser.add_argument("--pace", type=float, default=2.0, help="seconds between a room's moves")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--servers", type=int, default=1, help="more than one share a PostgreSQL")
    parser.add_argument("--postgres", action="store_true", help="use PostgreSQL for one server too")
    parser.add_argument(
        "--connect",
        choices=["owner", "any"],
        default="owner",
        help="where the second client of a room connects: at its owner, or at another server",
    )
    parser.add_argument(
        "--cores",
        type=cores,
        default=set(),
        help="the cores that servers and PostgreSQL use, such as 0,1; clients use the others",
    )
    parser.add_argument(
        "--database-cores", type=cores, default=set(), help="cores of PostgreSQL alone"
    )
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main(parser.parse_args()))
