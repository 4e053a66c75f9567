"""What clients may ask for again and again is cheap, or charged to their address."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from trireme.server import prepared
from trireme.server.prepared import MAX_PREPARED_ANSWERS, PreparedAnswers
from trireme.server.rooms import views
from trireme.server.rooms.client import Client
from trireme.server.rooms.events import SeatHolder
from trireme.server.rooms.views import EventTexts, visible_events

from .live import GENEROUS, Player, Running
from .tables import table_of


def test_the_messages_of_an_address_are_counted_over_its_connections(
    serve: Callable[..., Running],
) -> None:
    server = serve(address_message_rate=0.001, address_message_burst=4)
    room = server.create("gomoku")["room"]
    first, second = (Player(server.address, room, None) for _ in range(2))
    for _ in range(2):
        assert first.ask("ping")["type"] == "pong"
        assert second.ask("ping")["type"] == "pong"
    for player in (first, second):
        refused = player.ask("ping")
        assert refused["code"] == "too_fast"
        assert refused["retry_after"] > 0


def test_a_position_that_is_sent_again_costs_a_request(serve: Callable[..., Running]) -> None:
    server = serve(request_rate=0.001, request_burst=3)
    player = server.player(server.create("gomoku"))  # two requests
    for wanted in ("welcome", "error"):
        player.send(type="sync", id="s", since=0)
        while (answer := player.receive())["type"] not in ("welcome", "error"):
            pass
        assert answer["type"] == wanted
        assert player.ask("ping")["type"] == "pong"
    assert answer["code"] == "too_fast"


def test_previews_are_charged_by_their_processor_time(serve: Callable[..., Running]) -> None:
    server = serve(cpu_rate=0.0001, cpu_burst=1)
    player = server.player(server.create("battleship", variant="duel"))
    charged: list[tuple[str, float]] = []
    server.lobby.quotas._on_charge = lambda *cost: charged.append(cost)

    def preview() -> dict[str, Any]:
        player.send(type="preview", id="p", seat=0, action=None)
        while (answer := player.receive()).get("id") != "p":
            pass
        return answer

    assert preview()["type"] == "preview"
    assert [cost > 0 for resource, cost in charged if resource == "cpu"] == [True]
    server.lobby.quotas.spend("cpu", "127.0.0.1", 2)
    assert preview()["code"] == "too_fast"


def test_a_slow_reader_has_a_limit_of_characters() -> None:
    client = Client(replace(GENEROUS, outbox_bytes=10), 0)
    client.send_text("x" * 50)
    assert client.closing is None, "one message may be longer"
    client.queued = 4
    client.send_text("y" * 6)
    assert client.closing is None
    client.send_text("z")
    assert client.closing == (1013, "too slow: reconnect")
    assert client.outbox.get_nowait() is None, "what was queued is dropped"


def test_what_was_sent_counts_no_longer(serve: Callable[..., Running]) -> None:
    server = serve(outbox_bytes=20_000)
    player = server.player(server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}]))
    while sum(map(len, player.bytes)) < 40_000:
        row, column = divmod(player.position["moves"], 15)
        assert player.act(player.position["to_move"][0], f"{chr(97 + column)}{row + 1}")
        if player.position["status"] == "over":
            break
    assert player.ask("ping")["type"] == "pong"
    assert sum(map(len, player.bytes)) > 20_000


@pytest.mark.parametrize("seats", [(), (0,), (0, 1)])
def test_events_are_translated_once_for_each_kind_of_viewer(
    seats: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    holders = [SeatHolder("person", "a", "x"), SeatHolder("person", "b", "y")]
    table, calls = table_of("battleship", {"duel": True}, *holders), []
    for event in table.start():
        table.apply_event(event, "2026-01-01T00:00:00.000+00:00")
    texts = EventTexts(table)

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return visible_events(*arguments)

    monkeypatch.setattr(views, "visible_events", counted)
    for seat, action in (
        (0, "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"),
        (1, "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"),
    ):
        for event in table.act(seat, action, "person", f"id{seat}"):
            table.apply_event(event, "2026-01-01T00:00:00.000+00:00")
        for since in (0, 1, len(table.log)):
            told = json.loads(f"[{texts.since(since, seats)}]")
            wanted = [e for entry in table.log[since:] for e in visible_events(table, entry, seats)]
            assert told == [json.loads(event.model_dump_json()) for event in wanted]
    assert len(calls) == len(table.log)


def test_a_welcome_has_the_events_after_the_clients_version(server: Running) -> None:
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}])
    player = server.player(held)
    for seat, action in ((0, "h8"), (1, "h9")):
        player.act(seat, action)
    for since, moves in ((None, 2), (0, 2), (2, 1), (3, 0), (99, 0)):
        again = Player(server.address, held["room"], held["token"], since=since)
        welcome = again.messages[0]
        assert sum(event["kind"] == "moved" for event in welcome["events"]) == moves
        again.close()


def test_a_prepared_answer_is_made_once_and_again_after_a_failure() -> None:
    made: list[str] = []

    def make() -> str:
        made.append("x")
        if len(made) == 1:
            raise OSError("once")
        return "answer"

    async def ask() -> list[bytes]:
        answers = PreparedAnswers()
        with pytest.raises(OSError, match="once"):
            await answers.get("key", make)
        return list(await asyncio.gather(*(answers.get("key", make) for _ in range(3))))

    assert [gzip.decompress(answer) for answer in asyncio.run(ask())] == [b"answer"] * 3
    assert len(made) == 2


def test_prepared_answers_are_bounded() -> None:
    async def ask() -> int:
        answers = PreparedAnswers()
        for number in range(MAX_PREPARED_ANSWERS + 5):
            await answers.get(number, lambda: b"x")
        return len(answers._tasks)

    assert asyncio.run(ask()) == MAX_PREPARED_ANSWERS


@pytest.mark.parametrize("path", ["/openapi.json", "/docs", "/api/games", "/api/puzzles/gomoku"])
def test_what_is_the_same_for_everybody_is_compressed_once(
    server: Running, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = server.http.get(path)
    monkeypatch.setattr(prepared.gzip, "compress", None)
    again = server.http.get(path)
    plain = server.http.get(path, headers={"Accept-Encoding": "identity"})
    assert first.text == again.text == plain.text
    assert again.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in plain.headers
