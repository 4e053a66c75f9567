"""Fuzzing of the web server: mutated messages and bodies must never lead to an internal error.

Starts a server in a process of its own, without limits on rates, and sends it random mutations of
valid messages (over WebSockets of several games), bodies (REST) and headers, from a seed. It fails
on any status of 500 and on any `internal` error, and prints the input that caused it.

    python benchmarks/server_fuzz.py --messages 50000
    python benchmarks/server_fuzz.py --messages 1000000 --seed 1
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
from rich.progress import Progress
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

SERVER = """
import sys, socket
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.run import server_for
from trireme.store import open_store
many = 10**9
limits = ServerLimits(request_rate=many, request_burst=many, room_rate=many, room_burst=many,
    message_rate=many, message_burst=many, cpu_rate=many, cpu_burst=many, byte_rate=many,
    byte_burst=many, page_rate=many, page_burst=many, checks=many, queries_per_address=many,
    address_message_rate=many, address_message_burst=many)
listener = socket.socket(fileno=int(sys.argv[1]))
server_for(open_store(sys.argv[2]), Config(limits, workers=1, warm=False)).run([listener])
"""
ACTIONS = ["h8", "a1", "B7", "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2", "FpL-Rs1-h", "black", "more", ""]
MESSAGES: list[dict[str, Any]] = [
    {"type": "act", "id": "x", "seat": 0, "action": "h8", "moves": 0},
    {"type": "draft", "id": "x", "seat": 0, "action": "h8"},
    {"type": "undo", "id": "x", "seat": 0},
    {"type": "rematch", "id": "x", "seat": 0},
    {"type": "claim", "id": "x", "seat": 0},
    {"type": "shown", "id": "x", "seat": 0, "moves": 0},
    {"type": "allow_hints", "id": "x", "seat": 0},
    {"type": "answer", "id": "x", "seat": 0, "kind": "undo", "accept": True},
    {"type": "preview", "id": "x", "seat": 0, "action": "h8", "others": {"1": "h8"}},
    {"type": "hint", "id": "x", "seat": 0, "agent": "random", "seconds": 0.05},
    {"type": "sync", "id": "x", "since": 0},
    {"type": "ping", "id": "x"},
    {"type": "hello", "protocol": 1, "token": "x", "since": 0},
]
ROOMS = [("gomoku", None), ("gomoku", "swap2"), ("battleship", "duel"), ("navigation", None)]
SEA = {"id": "x", "name": "x", "width": 9, "height": 9, "spawns": [{"x": 1, "y": 1, "facing": "N"}]}
BODIES: list[tuple[str, Any]] = [
    ("/api/rooms", {"game": "gomoku", "settings": {"size": 9}, "seats": [{"kind": "me"}] * 2}),
    ("/api/rooms", {"game": "battleship", "variant": "duel", "clock": 30, "increment": 1}),
    ("/api/games/battleship/check", {"settings": {"fleet": [3, 2, 2], "mines": 1}}),
    ("/api/games/navigation/check", {"settings": {"map": SEA, "ships": ["cutter", "cutter"]}}),
    ("/api/games/navigation/maps/check", {**SEA, "rocks": [{"x": 2, "y": 2, "size": "small"}]}),
    ("/api/games/gomoku/rules", {"variant": "swap2"}),
    ("/api/replay", {"record": '{"trireme":1,"game":"gomoku"}\n'}),
    ("/api/records/verify", {"record": '{"end":"over","signature":"ab","sum":"cd"}'}),
    ("/api/analysis", {"record": "{}", "move": 0, "seat": 0, "kind": "hint"}),
    ("/api/rooms/nosuchroom22/join", {"name": "x", "seat": 0, "key": "x" * 30}),
]
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 15, 16, 2**31, 2**63, 10**30, -0.0, 0.5, 1e308, "", "x", "h8",
    "\0", "\u202e", "x" * 3000, [], {}, [[]], [0] * 50, {"a": {}}, {"kind": "me"}, "gomoku",
]  # fmt: skip
PATHS = [
    "/api/rooms/ROOM/invite", "/api/rooms/ROOM/record", "/api/rooms/ROOM/device", "/api/recent",
    "/api/rooms?game=gomoku", "/api/reviews/x", "/room/ROOM", "/openapi.json", "/manual/", "/docs",
]  # fmt: skip
ODD = [b"", b"[", b"]", b":99999", b"%", b"%00", b"%ff", b"\xff", b"\x80\x01", b",", b"..", b"//"]
RAW = [b"", b"{", b"\xff\xfe", b"[" * 5000, rb'"\ud800"', b"NaN", b"1e999", b"\0", b'{"a":1,"a":2}']


def mutated(rng: random.Random, value: Any) -> Any:
    """The value with one or more parts replaced, dropped, doubled or moved."""
    if isinstance(value, dict) and value and rng.random() < 0.8:
        key = rng.choice(list(value))
        kind = rng.random()
        if kind < 0.1:
            return {k: v for k, v in value.items() if k != key}
        if kind < 0.2:
            return {**value, str(rng.choice(VALUES))[:20]: rng.choice(VALUES)}
        return {**value, key: mutated(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.8:
        at = rng.randrange(len(value))
        return [*value[:at], mutated(rng, value[at]), *value[at + rng.randrange(2) :]]
    if isinstance(value, str) and rng.random() < 0.5:
        at = rng.randrange(len(value) + 1)
        return value[:at] + rng.choice("\0é\u2028x1-{\"'\\ ") + value[at + rng.randrange(2) :]
    return rng.choice([*VALUES, *ACTIONS])


def encoded(rng: random.Random, value: Any) -> bytes:
    """The value as JSON, now and then with a byte changed."""
    if rng.random() < 0.03:
        return rng.choice(RAW)
    text = bytearray(json.dumps(value, ensure_ascii=rng.random() < 0.5).encode())
    if rng.random() < 0.15 and text:
        text[rng.randrange(len(text))] = rng.randrange(256)
    return bytes(text)


async def fuzz_socket(port: int, rng: random.Random, count: int, tally: Counter[str]) -> None:
    """Messages in rooms of all games, a new room after each that is closed."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=300) as http:
        while tally["sent"] < count:
            game, variant = rng.choice(ROOMS)
            body = {"game": game, "variant": variant, "seats": [{"kind": "me"}] * 2}
            held = (await http.post("/api/rooms", json=body)).json()
            with suppress(ConnectionClosed):
                await fuzz_room(port, rng, held, min(count, tally["sent"] + 300), tally)


async def fuzz_room(
    port: int, rng: random.Random, held: dict[str, Any], until: int, tally: Counter[str]
) -> None:
    url = f"ws://127.0.0.1:{port}/ws/{held['room']}"
    sent: list[bytes] = []
    async with connect(url, proxy=None, compression=None, max_size=None) as ws:
        await ws.send(json.dumps({"type": "hello", "protocol": 1, "token": held["token"]}))
        while tally["sent"] < until:
            for _ in range(20):
                message = dict(rng.choice(MESSAGES))
                message["id"], message["seat"] = str(rng.random()), rng.randrange(2)
                if "action" in message:
                    message["action"] = rng.choice(ACTIONS)
                data = encoded(rng, mutated(rng, message) if rng.random() < 0.6 else message)
                sent = [*sent[-40:], data]
                await ws.send(data if rng.random() < 0.1 else data.decode(errors="replace"))
                tally["sent"] += 1
            mark = f"mark-{tally['sent']}"
            await ws.send(json.dumps({"type": "ping", "id": mark}))
            while (answer := json.loads(await ws.recv())).get("id") != mark:
                tally[answer.get("code", answer["type"])] += 1
                if answer.get("code") == "internal":
                    raise SystemExit(f"an internal error, after one of {sent}")


async def fuzz_rest(port: int, rng: random.Random, count: int, tally: Counter[str]) -> None:
    headers = {"Content-Type": "application/json"}
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=300) as http:
        while tally["posted"] < count:
            path, body = rng.choice(BODIES)
            data = encoded(rng, mutated(rng, body))
            answer = await http.post(path, content=data, headers=headers)
            tally["posted"] += 1
            tally[str(answer.status_code)] += 1
            if answer.status_code == 500:
                raise SystemExit(f"status 500 for {path} with {data!r}")


def odd_request(rng: random.Random, room: str) -> bytes:
    """A request whose address and headers may be anything."""
    headers = {
        "Host": rng.choice(["localhost", "127.0.0.1:8000", "[::1]:8000"]),
        "Origin": "http://localhost",
        "Authorization": f"Bearer {'x' * rng.randrange(40)}",
        "X-Forwarded-For": "192.0.2.1",
        "X-Forwarded-Proto": "https",
        "Accept-Encoding": "gzip",
        "Range": "bytes=0-9",
        "Trireme-Hops": "1",
    }
    chosen = rng.sample(sorted(headers), rng.randrange(1, 5))
    lines = [f"{name}: {headers[name]}".encode() for name in {"Host", *chosen}]
    path = rng.choice(PATHS).replace("ROOM", room).encode()
    lines.insert(0, rng.choice([b"GET ", b"POST ", b"HEAD "]) + path + b" HTTP/1.1")
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(lines))
        line = bytearray(lines[at])
        place = rng.randrange(len(line) // 2, len(line))
        line[place : place + rng.randrange(4)] = rng.choice(ODD)
        lines[at] = bytes(line)
    return b"\r\n".join([*lines, b"Connection: close", b"", b""])


async def fuzz_headers(port: int, rng: random.Random, count: int, tally: Counter[str]) -> None:
    """Requests over sockets of their own, for what no HTTP library would send."""
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=300) as http:
        room = (await http.post("/api/rooms", json={"game": "gomoku"})).json()["room"]
    while tally["odd"] < count:
        request = odd_request(rng, room)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        with suppress(OSError):
            answer = await reader.read()
            if answer.startswith(b"HTTP/1.1 500"):
                raise SystemExit(f"status 500 for {request!r}")
        writer.close()
        tally["odd"] += 1


async def main(options: argparse.Namespace) -> None:
    posts = options.messages // 10
    tally: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
        with listener:
            command = [sys.executable, "-c", SERVER, str(listener.fileno())]
            server = subprocess.Popen(
                [*command, f"sqlite:///{Path(folder) / 'store.db'}"], pass_fds=[listener.fileno()]
            )
            port = listener.getsockname()[1]
        began = time.perf_counter()
        try:
            work = asyncio.gather(
                fuzz_socket(port, random.Random(options.seed), options.messages - posts, tally),
                fuzz_rest(port, random.Random(options.seed + 1), posts, tally),
                fuzz_headers(port, random.Random(options.seed + 2), posts // 2, tally),
            )
            with Progress() as progress:
                bar = progress.add_task("Fuzzing", total=options.messages)
                while not work.done():
                    await asyncio.wait([work], timeout=1)
                    progress.update(bar, completed=tally["sent"] + tally["posted"])
            await work
        finally:
            server.terminate()
            server.wait()
    took = time.perf_counter() - began
    print(f"{tally.pop('sent')} messages and {tally.pop('posted')} bodies", end="")
    print(f" and {tally.pop('odd', 0)} odd requests in {took:.0f} s")
    print(", ".join(f"{what} {count}" for what, count in tally.most_common()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=20_000, help="a tenth of them over REST")
    parser.add_argument("--seed", type=int, default=0)
    asyncio.run(main(parser.parse_args()))
