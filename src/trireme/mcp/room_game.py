"""A seat in a room of a running Trireme server, over its REST interface and WebSocket."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

import httpx
import msgspec
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from trireme.core.errors import TriremeError
from trireme.core.prose import view_text
from trireme.core.registry import make_game, view_type
from trireme.server.protocol.shapes import PROTOCOL

from .position import LISTABLE, HeldGame, ShownPosition, outcome

PATIENCE = 20.0
"""Seconds that `act` waits for the others to move before it shows the position as it is."""
ANSWER_SECONDS = 30.0
"""Seconds that the server may take for one answer."""


class RoomRefused(TriremeError):
    """The server refuses a request, or can't be reached."""


class TriremeServer:
    """The REST interface of a running server."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise RoomRefused(f"expected a server such as http://localhost:8000, not {url!r}")
        self.url = url.rstrip("/")

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return self._checked("GET", path, None, headers)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return self._checked("POST", path, body, {}).json()

    def socket_url(self, room: str) -> str:
        return f"ws{self.url.removeprefix('http')}/ws/{room}"

    def rooms(self) -> list[dict[str, Any]]:
        """Public rooms with an open seat. Names of players are left out: a name is somebody
        else's text, and could be written to instruct a model."""
        found = self.get("/api/rooms").json()
        return [
            {"room": r["room"], "game": r["game"], "settings": r["settings"], "status": r["status"]}
            for r in found
            if r["status"] == "waiting"
        ]

    def _checked(
        self, method: str, path: str, body: Any, headers: dict[str, str]
    ) -> httpx.Response:
        try:
            answer = httpx.request(
                method, self.url + path, json=body, headers=headers, timeout=ANSWER_SECONDS
            )
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise RoomRefused(f"the server at {self.url} can't be reached: {error}") from None
        if answer.is_success:
            return answer
        try:
            why = answer.json()["message"]
        except (ValueError, KeyError, TypeError):
            why = f"status {answer.status_code}"
        raise RoomRefused(f"the server refuses: {why}")


class RoomGame(HeldGame):
    """One seat of a room. Every call opens a connection, so that nothing is missed or kept."""

    def __init__(self, server: TriremeServer, grant: dict[str, Any]) -> None:
        self._server, self.room, self._token = server, grant["room"], grant["token"]
        if not grant["seats"]:
            raise RoomRefused("this room gives no seat")
        self.seat = grant["seats"][0]
        info = grant["info"]
        self.game = make_game(info["game"], **info["settings"])
        self.game_id = self._token

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
        return self._server.get(f"/api/rooms/{self.room}/record", self._token).text

    def close(self) -> None:
        """Nothing is held between calls; the seat stays taken."""

    @contextmanager
    def _connected(self) -> Iterator[_Conversation]:
        url = self._server.socket_url(self.room)
        try:
            with connect(url, open_timeout=ANSWER_SECONDS) as socket:
                yield _Conversation(socket, self._token)
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


class _Conversation:
    """One connection: greets, asks, and follows the position."""

    def __init__(self, socket: ClientConnection, token: str) -> None:
        self._socket = socket
        self.position: dict[str, Any] = {}
        socket.send(json.dumps({"type": "hello", "protocol": PROTOCOL, "token": token}))
        while not self.position:
            self._receive(time.monotonic() + ANSWER_SECONDS)

    def ask(self, **message: Any) -> dict[str, Any]:
        """Send a message and give its answer; raises what the server refuses."""
        key = uuid4().hex
        self._socket.send(json.dumps({"id": key, **message}))
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
        text = self._socket.recv(timeout=max(0.0, end - time.monotonic()))
        message: dict[str, Any] = json.loads(text)
        if message["type"] in ("welcome", "update"):
            self.position = message["position"]
        if message["type"] == "error":
            raise RoomRefused(f"the server refuses: {message['message']}")
        return message
