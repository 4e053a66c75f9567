"""NUL, which PostgreSQL can't store, in every text that a client may send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

from .live import Running

NUL = "a\0b"


@pytest.mark.slow
def test_no_request_with_nul_fails(serve: Callable[..., Running], postgres_url: str) -> None:
    server = serve(url=postgres_url)
    held = server.create("gomoku", name=NUL, seats=[{"kind": "me"}, {"kind": "open"}])
    key = "k" * 29 + "\0"
    record = server.http.get(f"/api/rooms/{held['room']}/record").text
    room: dict[str, Any] = {"game": "gomoku"}
    posts: list[tuple[str, dict[str, Any]]] = [
        ("rooms", {"game": NUL}),
        ("rooms", {**room, "variant": NUL}),
        ("rooms", {**room, "settings": {NUL: NUL}}),
        ("rooms", {**room, "settings": {"rule": NUL}}),
        ("rooms", {**room, "lesson": NUL}),
        ("rooms", {**room, "puzzle": NUL}),
        ("rooms", {**room, "seats": [{"kind": "agent", "agent": NUL}, {"kind": "me"}]}),
        ("rooms", {**room, "again": {"room": NUL, "move": 0, "seat": 0}}),
        ("rooms", {**room, "again": {"record": NUL + record, "move": 0, "seat": 0}}),
        (f"rooms/{quote(NUL)}/join", {}),
        (f"rooms/{held['room']}/join", {"name": NUL, "key": key}),
        ("games/gomoku/check", {"variant": NUL}),
        ("replay", {"record": NUL + record}),
        ("replay", {"record": record.replace("gomoku", NUL)}),
        ("records/verify", {"record": NUL + record}),
        ("analysis", {"record": NUL + record, "move": 0, "seat": 0, "kind": "hint"}),
        ("analysis", {"room": NUL, "move": 0, "seat": 0, "kind": "hint"}),
        ("reviews", {"room": NUL}),
    ]
    for path, body in posts:
        answer = server.http.post(f"/api/{path}", json=body)
        assert answer.status_code < 500, (path, body, answer.text)
    for place in ("rooms/{}", "rooms/{}/record", "rooms/{}/replay", "recent?game={}", "reviews/{}"):
        answer = server.http.get("/api/" + place.format(quote(NUL)))
        assert answer.status_code in (400, 404), place


@pytest.mark.slow
def test_no_message_with_nul_fails(serve: Callable[..., Running], postgres_url: str) -> None:
    """An id with NUL is stored in the event, and found again."""
    server = serve(url=postgres_url)
    seats = [{"kind": "me"}, {"kind": "me"}]
    player = server.player(server.create("gomoku", name=NUL, seats=seats, clock=600))
    sent = [
        ("act", {"seat": 0, "action": "h8"}),
        ("act", {"seat": 1, "action": NUL}),
        ("draft", {"seat": 1, "action": NUL}),
        ("draft", {"seat": 1, "action": "h9"}),
        ("preview", {"seat": 1, "action": NUL}),
        ("hint", {"seat": 1, "agent": NUL}),
        ("undo", {"seat": 1}),
        ("resign", {"seat": 1}),
        ("rematch", {"seat": 1}),
    ]
    for number, (type, fields) in enumerate(sent):
        player.send(type=type, id=f"{NUL}{number}", **fields)
        mark = player.ask("ping")
        assert mark["type"] == "pong"
    codes = [message.get("code") for message in player.messages]
    assert "internal" not in codes
    server.lobby.rooms.clear()
    again = server.player({"room": player.room, "token": player.token})
    assert again.position["status"] == "over"
    assert again.ask("act", id=f"{NUL}0", seat=0, action="h8")["type"] == "ack"
