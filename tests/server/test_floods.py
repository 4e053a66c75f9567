"""Floods below the level of requests and messages: headers, trailers, frames, connections."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

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
