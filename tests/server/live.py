"""A real server on a real port, and players who talk to it over real sockets: for the tests."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx
import msgspec
from numpy.random import default_rng
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from trireme.core.game import AnyGame
from trireme.core.registry import make_game, view_type
from trireme.server.app import Config
from trireme.server.limits import ServerLimits
from trireme.server.run import server_for
from trireme.store import open_store

GENEROUS = ServerLimits(
    request_rate=1e6,
    request_burst=10**6,
    page_rate=1e6,
    page_burst=10**6,
    room_rate=1e6,
    room_burst=10**6,
    message_rate=1e6,
    message_burst=10**6,
    address_message_rate=1e6,
    address_message_burst=10**6,
    connections_per_address=2000,
    cpu_rate=1e6,
    cpu_burst=1e6,
    byte_rate=1e9,
    byte_burst=1e9,
    checks=1000,
    queries_per_address=64,
)


class Running:
    """A server in a thread of this process."""

    def __init__(self, database: str, config: Config) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{listener.getsockname()[1]}"
        self._engine = open_store(database)
        self.server = server_for(self._engine, replace(config, peer_address=self.address))
        self._thread = threading.Thread(target=self.server.run, args=([listener],), daemon=True)
        started, startup = threading.Event(), self.server.startup

        async def announced_startup(sockets: list[socket.socket] | None = None) -> None:
            await startup(sockets)
            started.set()

        self.server.startup = announced_startup  # type: ignore[method-assign]
        self._thread.start()
        assert started.wait(60)
        self.http = httpx.Client(base_url=f"http://{self.address}", timeout=60, verify=False)

    def stop(self) -> None:
        self.http.close()
        self.server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()
        self._engine.dispose()

    @property
    def lobby(self) -> Any:
        return self.server.config.app.state.lobby  # type: ignore[union-attr]

    def create(self, game: str = "gomoku", **body: Any) -> dict[str, Any]:
        answer = self.http.post("/api/rooms", json={"game": game, **body})
        assert answer.status_code == 201, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def join(self, room: str, **body: Any) -> dict[str, Any]:
        answer = self.http.post(f"/api/rooms/{room}/join", json=body)
        assert answer.status_code == 201, answer.text
        held: dict[str, Any] = answer.json()
        return held

    def player(self, held: dict[str, Any], **hello: Any) -> Player:
        return Player(self.address, held["room"], held["token"], **hello)

    def two_players(self, game: str = "gomoku", **body: Any) -> tuple[Player, Player]:
        """Two people at one table, each with a token of their own."""
        held = self.create(game, seats=[{"kind": "me"}, {"kind": "open"}], **body)
        first = self.player(held)
        second = self.player(self.join(held["room"], name="Bob"))
        first.until(lambda p: p.position["status"] == "playing")
        return first, second

    def setup_of(self, room: str) -> dict[str, Any]:
        """The room's setup with its secrets, which only the server has."""
        return msgspec.to_builtins(self.lobby.rooms[room].table.setup)  # type: ignore[no-any-return]


OPEN: list[Player] = []
"""Players to be closed when their test is over."""


@dataclass(eq=False)
class Player:
    """A client that keeps to the protocol and remembers every byte that it was sent."""

    address: str
    room: str
    token: str | None
    since: int | None = None
    bytes: list[str] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)
    position: dict[str, Any] = field(default_factory=dict)
    seats: list[int] = field(default_factory=list)
    gaps: int = 0
    _ids: int = 0
    hello: bool = True

    def __post_init__(self) -> None:
        # messages that nobody reads are kept, or closing waits ten seconds for them to be read
        address = f"ws://{self.address}/ws/{self.room}"
        self._open = connect(address, proxy=None, max_queue=None)
        self.socket: ClientConnection = self._open.__enter__()
        OPEN.append(self)
        if self.hello:
            self.send(type="hello", protocol=1, token=self.token, since=self.since)
            self.until(lambda p: bool(p.position))

    def close(self) -> None:
        if self in OPEN:
            OPEN.remove(self)
            self._open.__exit__(None, None, None)

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def receive(self, timeout: float = 30) -> dict[str, Any]:
        """The next message, whatever it is."""
        text = self.socket.recv(timeout)
        assert isinstance(text, str)
        self.bytes.append(text)
        message: dict[str, Any] = json.loads(text)
        self.messages.append(message)
        if message["type"] == "welcome":
            self.position, self.seats = message["position"], message["seats"]
        elif message["type"] == "update":
            self.gaps += message["since"] != self.position["version"]
            self.position = message["position"]
        return message

    def until(self, wanted: Callable[[Player], bool]) -> None:
        while not wanted(self):
            self.receive()

    def catch_up_with(self, other: Player) -> None:
        """Receive messages until this player has the version that `other` has."""
        self.until(lambda p: p.position["version"] >= other.position["version"])

    def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """Send a message and give the answer to it."""
        self._ids += 1
        id = fields.pop("id", f"{self.seats}-{self._ids}")
        self.send(type=type, id=id, **fields)
        return self.answer(id)

    def answer(self, id: str | None) -> dict[str, Any]:
        kinds = ("ack", "error", "hint", "insight", "pong")
        while True:
            message = self.receive()
            if message["type"] in kinds and message["id"] == id:
                return message

    def act(self, seat: int, action: str) -> dict[str, Any]:
        answer = self.ask("act", seat=seat, action=action, moves=self.position["moves"])
        version = answer.get("version", 0)
        self.until(lambda p: p.position["version"] >= version)
        return answer

    def state(self, seat: int) -> dict[str, Any]:
        found: dict[str, Any] = self.position["seats"][str(seat)]
        return found

    @property
    def events(self) -> list[dict[str, Any]]:
        sent = [m["events"] for m in self.messages if m["type"] in ("welcome", "update")]
        return [event for part in sent for event in part]

    def closed(self) -> int | None:
        """The close code, after everything that was still on its way."""
        try:
            while True:
                self.receive()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


def choose(game: AnyGame, view: Any, seat: int, seed: int) -> str:
    """A random legal action of the seat, found from the JSON of its view alone."""
    rng = default_rng(seed)
    state = game.determinize(msgspec.convert(view, view_type(game.name)), rng)
    return game.write(game.legal(state, seat).sample(rng))


def play_out(*players: Player, limit: int = 2000) -> None:
    """Let everybody make random moves until the game is over."""
    info = next(m for m in players[0].messages if m["type"] == "welcome")["room"]
    game = make_game(info["game"], **info["settings"])
    seed = 0
    while players[0].position["status"] != "over":
        for player in players:
            for seat in player.seats:
                if player.position["status"] == "playing" and player.state(seat)["to_move"]:
                    seed += 1
                    assert seed < limit
                    action = choose(game, player.state(seat)["view"], seat, seed)
                    answer = player.act(seat, action)
                    assert answer["type"] == "ack", answer
        catch_up(players)


def catch_up(players: Sequence[Player]) -> None:
    """Let all players receive the newest version, and agents among them move."""
    newest = max(p.position["version"] for p in players)
    for player in players:
        player.until(lambda p: p.position["version"] >= newest)
    if not any(p.state(s)["to_move"] for p in players for s in p.seats):
        players[0].until(lambda p: p.position["version"] > newest or not p.position["to_move"])
