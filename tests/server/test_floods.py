"""Floods: headers, trailers, pipelined requests, frames, connections, requests for pages."""

from __future__ import annotations

import asyncio
import gzip
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from uvicorn import Config as UvicornConfig
from uvicorn.server import ServerState

from trireme.server import pages
from trireme.server.connections import MAX_PIPELINED, ConnectionGuard, guarded_by
from trireme.server.limits import ServerLimits

from .live import Running

MOST = 8 * 1024 * 1024
"""Bytes after which a flood was not stopped."""


def place(server: Running) -> tuple[str, int]:
    host, _, port = server.address.partition(":")
    return host, int(port)


def sent_until_closed(connection: socket.socket, part: bytes) -> int:
    """How many bytes of the flood the server took."""
    connection.settimeout(20)
    sent = 0
    try:
        while sent < MOST:
            connection.sendall(part)
            sent += len(part)
        while connection.recv(65536):
            pass
    except ConnectionError:
        pass
    return sent


def closed_by(server: Running, reason: str) -> float:
    page = server.http.get("/metrics").text
    name = f'trireme_connections_closed_total{{reason="{reason}"}} '
    return sum(float(line.removeprefix(name)) for line in page.split("\n") if line.startswith(name))


@pytest.mark.parametrize(
    ("start", "part"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X-Header: " + b"a" * 1000 + b"\r\n"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Header: ", b"a" * 4000),
        (b"GET /", b"a" * 4000),
        (b"", b"\r\n" * 2000),
        (
            b"POST /api/rooms HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n",
            b"X-Trailer: " + b"a" * 4000 + b"\r\n",
        ),
    ],
    ids=["headers", "one header", "address", "empty lines", "trailers"],
)
def test_a_request_without_end_is_cut_off(server: Running, start: bytes, part: bytes) -> None:
    before = closed_by(server, "headers")
    with socket.create_connection(place(server)) as connection:
        connection.sendall(start)
        assert sent_until_closed(connection, part) < MOST
    assert closed_by(server, "headers") > before


def test_headers_up_to_the_limit_are_read(server: Running) -> None:
    assert server.http.get("/healthz", headers={"X-Long": "a" * 60_000}).status_code == 200


def answers_to(server: Running, requests: bytes) -> bytes:
    """All that the server sends until it closes the connection."""
    answers = b""
    with socket.create_connection(place(server)) as connection:
        connection.settimeout(20)
        connection.sendall(requests)
        while part := connection.recv(65536):
            answers += part
    return answers


GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LAST = GET[:-2] + b"Connection: close\r\n\r\n"


def test_a_few_requests_may_be_sent_before_their_answers(server: Running) -> None:
    answers = answers_to(server, GET * (MAX_PIPELINED - 1) + LAST)
    assert answers.count(b"HTTP/1.1 200 OK") == MAX_PIPELINED


def test_pipelined_requests_beyond_the_limit_end_the_connection(server: Running) -> None:
    """A packet holds thousands, and each takes memory until it is answered."""
    answers = answers_to(server, GET * (MAX_PIPELINED + 2))
    assert answers.count(b"HTTP/1.1 400 Bad Request") == 1
    assert answers.count(b"HTTP/1.1 200 OK") <= 1


class Wire(asyncio.Transport):
    """A connection to nobody."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return False

    def close(self) -> None: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


def test_requests_of_a_client_that_has_left_are_given_up() -> None:
    """Else each of them would log the traceback of a failed write."""
    seen: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((await receive())["type"])
        seen.append((await receive())["type"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def leave() -> bytes:
        config = UvicornConfig(app, log_level="critical")
        config.load()
        kind = guarded_by(ConnectionGuard(ServerLimits()))
        wire, connection = Wire(), kind(config=config, server_state=ServerState(), app_state={})
        connection.connection_made(wire)
        connection.data_received(GET * 3)
        for lost in (False, True):
            if lost:
                connection.connection_lost(None)
            for _ in range(5):
                await asyncio.sleep(0)
        for task in connection.tasks:
            task.cancel()
        return wire.written

    assert asyncio.run(leave()) == b""
    assert seen == ["http.request", "http.disconnect"]


def test_a_client_that_leaves_within_its_body_is_no_failure(serve: Callable[..., Running]) -> None:
    """Else its traceback would be logged."""
    server = serve(workers=0)
    request = b"POST /api/replay HTTP/1.1\r\nHost: localhost\r\n"
    for rest in (b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", b"Content-Length: 9\r\n\r\n{"):
        with socket.create_connection(place(server)) as connection:
            connection.sendall(request + rest)
            connection.shutdown(socket.SHUT_WR)
            assert connection.recv(1) == b""
        assert 'code="internal"' not in server.http.get("/metrics").text


def test_pages_have_a_quota_of_their_own(serve: Callable[..., Running]) -> None:
    server = serve(page_rate=0.001, page_burst=3, workers=0)
    for path in ("/nowhere.js", "/healthz", "/openapi.json"):
        assert server.http.get(path).status_code != 429, path
    for path in ("/nowhere.js", "/healthz", "/openapi.json", "/metrics", "/"):
        refused = server.http.get(path)
        assert refused.status_code == 429, path
        assert refused.json()["code"] == "too_fast"
        assert int(refused.headers["Retry-After"]) > 0
    assert server.http.get("/api/recent").status_code == 200


def test_every_request_to_the_api_is_charged_found_or_not(serve: Callable[..., Running]) -> None:
    server = serve(request_rate=0.001, request_burst=2, workers=0)
    assert server.http.get("/api/nothing").status_code == 404
    assert server.http.get("/api/recent").status_code == 200
    assert server.http.get("/api/nothing").status_code == 429
    assert server.http.get("/healthz").status_code == 200


def test_a_file_is_compressed_once_for_each_version(
    serve: Callable[..., Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compressed: list[bytes] = []

    original = gzip.compress

    def compress(data: bytes) -> bytes:
        compressed.append(data)
        return original(data)

    monkeypatch.setattr(pages.gzip, "compress", compress)
    file = tmp_path / "static" / "assets" / "app-1.js"
    file.parent.mkdir(parents=True)
    file.write_text("old " * 1000)
    browser = serve(static=tmp_path / "static", workers=0).http
    for _ in range(3):
        answer = browser.get("/assets/app-1.js")
        assert answer.text == "old " * 1000
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Content-Type"].startswith("text/javascript")
    assert len(compressed) == 1
    file.write_text("new " * 1000)
    os.utime(file, ns=(1, 1))
    assert browser.get("/assets/app-1.js").text == "new " * 1000
    plain = browser.get("/assets/app-1.js", headers={"Accept-Encoding": "identity"})
    assert plain.text == "new " * 1000
    assert "Content-Encoding" not in plain.headers
    part = browser.get("/assets/app-1.js", headers={"Range": "bytes=0-2"})
    assert (part.status_code, part.text) == (206, "new")


def upgraded(server: Running, room: str) -> socket.socket:
    connection = socket.create_connection(place(server))
    connection.sendall(
        f"GET /ws/{room} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
    )
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(1)
    assert answer.startswith(b"HTTP/1.1 101")
    return connection


PING, PONG, TEXT, MORE = (bytes([opcode, 0x80, 0, 0, 0, 0]) for opcode in (0x89, 0x8A, 0x01, 0x00))


@pytest.mark.parametrize(
    ("start", "frame"),
    [(b"", PING), (b"", PONG), (TEXT, MORE), (b"", bytes([0x81]) + TEXT[1:])],
    ids=["pings", "pongs", "fragments", "empty messages"],
)
def test_a_client_that_sends_too_many_frames_is_cut_off(
    serve: Callable[..., Running], start: bytes, frame: bytes
) -> None:
    server = serve(message_rate=1, message_burst=10, workers=0)
    with upgraded(server, "nosuchroom22") as connection:
        connection.sendall(start)
        assert sent_until_closed(connection, frame * 500) < MOST
    assert closed_by(server, "frames") == 1


def test_a_hundred_pings_in_one_go_are_answered(serve: Callable[..., Running]) -> None:
    server = serve(message_rate=1, message_burst=10, workers=0)
    with upgraded(server, "nosuchroom22") as connection:
        connection.sendall(PING * 100)
        answer = b""
        while len(answer) < 200:
            answer += connection.recv(4096)
    assert answer == bytes([0x8A, 0]) * 100
    assert closed_by(server, "frames") == 0


def test_sockets_use_the_quota_of_requests(serve: Callable[..., Running]) -> None:
    server = serve(request_rate=0.001, request_burst=4)
    held = server.create("gomoku")
    for _ in range(3):
        server.player(held).close()
    refused = server.player({**held, "room": held["room"]}, hello=False)
    message = refused.receive()
    assert message["code"] == "too_fast"
    assert message["retry_after"] > 0
    assert refused.closed() == 1013


@pytest.mark.parametrize("path", ["/", "/assets/", "/manual/", "/room/"])
def test_names_that_are_too_long_are_not_found(server: Running, path: str) -> None:
    for name in ("a" * 5000, "a" * 300 + ".js", "a/" * 3000, "%00.js", "..%2f..%2fetc%2fpasswd"):
        assert server.http.get(path + name).status_code in (200, 404), name
    assert server.http.get("/assets/" + "a" * 300 + ".js").status_code == 404
