"""A seat in a room of a running Trireme server, over its REST interface and WebSocket.

No call outlasts its time limits and no answer grows beyond `MOST_BYTES`, whatever the server does;
an answer of another shape is told as an error.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

import httpx
import msgspec
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from trireme.core.errors import TriremeError
from trireme.core.prose import view_text
from trireme.core.registry import make_game, view_type
from trireme.core.request_deadline import RequestDeadline
from trireme.server.protocol.shapes import PROTOCOL

from .position import LISTABLE, HeldGame, ShownPosition, outcome

PATIENCE = 20.0
"""Seconds that `act` waits for the others to move before it shows the position as it is."""
ANSWER_SECONDS = 30.0
"""Seconds that the server may take for one answer."""
MOST_BYTES = 4 << 20
"""Bytes of an answer, after which no more is read."""
MOST_DETAIL = 300
"""Characters of the server's own words in an error."""


class RoomRefused(TriremeError):
    """The server refuses a request, or can't be reached."""


_MALFORMED = (
    *(LookupError, TypeError, ValueError, AttributeError, RecursionError),
    msgspec.MsgspecError,
)
"""What an answer of another shape raises where it is read."""


@contextmanager
def _well_formed() -> Iterator[None]:
    """Tell an answer of another shape than Trireme's as a refusal."""
    try:
        yield
    except TriremeError:
        raise
    except _MALFORMED as error:
        why = f"{type(error).__name__}: {error}"[:MOST_DETAIL]
        raise RoomRefused(f"the server's answer is not one of Trireme's ({why})") from None


class TriremeServer:
    """The REST interface of a running server."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise RoomRefused(f"expected a server such as http://localhost:8000, not {url!r}")
        self.url = url.rstrip("/")

    def get(self, path: str, token: str | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._request("GET", path, None, headers)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        with _well_formed():
            return json.loads(self._request("POST", path, body, {}))

    def socket_url(self, room: str) -> str:
        return f"ws{self.url.removeprefix('http')}/ws/{room}"

    def rooms(self) -> list[dict[str, Any]]:
        """Public rooms with an open seat. Names of players are left out: a name is somebody
        else's text, and could be written to instruct a model."""
        with _well_formed():
            found = json.loads(self.get("/api/rooms"))
            shown = ("room", "game", "settings", "status")
            return [{key: r[key] for key in shown} for r in found if r["status"] == "waiting"]

    def _request(self, method: str, path: str, body: Any, headers: dict[str, str]) -> bytes:
        """The body of a good answer; raises what the server refuses."""
        end, deadline = time.monotonic() + ANSWER_SECONDS, RequestDeadline()
        try:
            with (
                deadline.within(ANSWER_SECONDS),
                httpx.Client(verify=self.url.startswith("https://")) as client,
                client.stream(
                    method,
                    self.url + path,
                    json=body,
                    headers=headers,
                    timeout=ANSWER_SECONDS,
                    extensions={"trace": deadline.trace},
                ) as answer,
            ):
                content = _bounded(answer, end)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RoomRefused(f"the server at {self.url} can't be reached: {error}") from None
        if answer.is_success:
            return content
        try:
            why = str(json.loads(content)["message"])[:MOST_DETAIL]
        except _MALFORMED:
            why = f"status {answer.status_code}"
        raise RoomRefused(f"the server refuses: {why}")


def _bounded(answer: httpx.Response, end: float) -> bytes:
    """The body, up to `MOST_BYTES` and until `end` of the monotonic clock: a server that sends a
    byte now and then would never meet a timeout between two reads."""
    content = bytearray()
    for piece in answer.iter_bytes():
        content += piece
        if len(content) > MOST_BYTES:
            raise RoomRefused(f"the server's answer is longer than {MOST_BYTES} bytes")
        if time.monotonic() > end:
            raise RoomRefused("the server's answer did not end in time")
    return bytes(content)


class RoomGame(HeldGame):
    """One seat of a room. Every call opens a connection, so that nothing is missed or kept."""

    def __init__(self, server: TriremeServer, grant: dict[str, Any]) -> None:
        with _well_formed():
            self._server, self.room, self._token = server, str(grant["room"]), grant["token"]
            if not grant["seats"]:
                raise RoomRefused("this room gives no seat")
            self.seat = int(grant["seats"][0])
            info = grant["info"]
            self.game = make_game(info["game"], **info["settings"])
            self.game_id = str(self._token)

    def position(self) -> ShownPosition:
        with self._connected() as talk:
            return self._shown(talk.position)

    def act(self, action: str) -> ShownPosition:
        with self._connected() as talk:
            talk.ask(type="act", seat=self.seat, action=action, moves=talk.position["moves"])
            talk.wait_for_turn(self.seat)
            return self._shown(talk.position)

    def hint(self, agent: str | None, seconds: float) -> tuple[str, str]:
        with self._connected() as talk:
            told = talk.ask(type="hint", seat=self.seat, agent=agent, seconds=seconds)
            return told["agent"], told["action"]

    def undo(self) -> ShownPosition:
        with self._connected() as talk:
            talk.ask(type="undo", seat=self.seat)
            talk.wait_for_turn(self.seat)
            return self._shown(talk.position)

    def record(self) -> str:
        if self.position().status != "over":
            raise RoomRefused("the record can be read when the game is over")
        with _well_formed():
            return self._server.get(f"/api/rooms/{self.room}/record", self._token).decode()

    def close(self) -> None:
        """Nothing is held between calls; the seat stays taken."""

    @contextmanager
    def _connected(self) -> Iterator[_Conversation]:
        url = self._server.socket_url(self.room)
        try:
            with _well_formed(), connect(url, open_timeout=ANSWER_SECONDS) as connection:
                try:
                    yield _Conversation(connection, self._token)
                finally:
                    _hang_up(connection)
        except (WebSocketException, OSError) as error:
            raise RoomRefused(f"the connection to the room failed: {error}") from None

    def _shown(self, position: dict[str, Any]) -> ShownPosition:
        mine = position["seats"][str(self.seat)]
        view = msgspec.convert(mine["view"], view_type(self.game.name), strict=False)
        over = position["status"] == "over"
        turn = "your turn" if mine["to_move"] else "their turn"
        status = "over" if over else "waiting" if position["status"] == "waiting" else turn
        legal = mine["legal"]
        result = position["result"]
        ended = None
        if result is not None:
            faults = [f"Seat {f['seat']} forfeited ({f['reason']})." for f in result["forfeits"]]
            ended = outcome(tuple(result["returns"]), self.seat, faults)
        return ShownPosition(
            self.game_id,
            self.game.name,
            self.seat,
            status,
            view_text(self.game, view),
            legal if legal is not None and len(legal) <= LISTABLE else None,
            position["moves"],
            ended,
        )


def _hang_up(connection: ClientConnection) -> None:
    """End a connection without the closing handshake, to which a server that floods never comes.

    What has arrived is read: a full queue would keep the connection's thread from its end.
    """
    with suppress(OSError):
        connection.socket.shutdown(socket.SHUT_RDWR)
    with suppress(WebSocketException, TimeoutError):
        while True:
            connection.recv(timeout=1)


class _Conversation:
    """One connection: greets, asks, and follows the position."""

    def __init__(self, connection: ClientConnection, token: str) -> None:
        self._connection = connection
        self.position: dict[str, Any] = {}
        connection.send(json.dumps({"type": "hello", "protocol": PROTOCOL, "token": token}))
        end = time.monotonic() + ANSWER_SECONDS
        while not self.position:
            self._receive(end)

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message and give its answer; raises what the server refuses."""
        key = uuid4().hex
        self._connection.send(json.dumps({"id": key, **message}))
        end = time.monotonic() + ANSWER_SECONDS
        while True:
            answer = self._receive(end)
            if answer.get("id") == key:
                return answer

    def wait_for_turn(self, seat: int) -> None:
        """Follow the game until the seat is to move, the game is over, or patience ends."""
        end = time.monotonic() + PATIENCE
        while self.position["status"] == "playing" and not self._awaited(seat):
            try:
                self._receive(end)
            except TimeoutError:
                return

    def _awaited(self, seat: int) -> bool:
        mine = self.position["seats"][str(seat)]
        return bool(mine["to_move"]) and mine["locked"] is None

    def _receive(self, end: float) -> dict[str, Any]:
        left = end - time.monotonic()
        if left <= 0:  # a flood of messages never lets `recv` wait
            raise TimeoutError("no answer in time")
        message: dict[str, Any] = json.loads(self._connection.recv(timeout=left))
        if message["type"] in ("welcome", "update"):
            self.position = message["position"]
        if message["type"] == "error":
            raise RoomRefused(f"the server refuses: {str(message['message'])[:MOST_DETAIL]}")
        return message
