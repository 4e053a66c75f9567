"""Over the wire: no byte that a client gets holds what its seat may not know yet."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from trireme.core.game import CHANCE
from trireme.core.registry import make_game

from .live import Player, Running, choose, play_out

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"settings": {"size": 9}}),
    ("battleship", {"settings": {"duel": True, "rows": 6, "cols": 6}}),
    ("battleship", {"settings": {"duel": True, "mines": 4, "rows": 6, "cols": 6}}),
    ("battleship", {"settings": {"duel": True, "simultaneous": True, "rows": 5, "cols": 5}}),
    ("navigation", {"settings": {"turn_limit": 6}, "clock": "none"}),
]
REST = ("", "/record", "/replay")


def all_of_rest(server: Running, room: str, token: str | None) -> list[str]:
    """Everything that REST tells about the room to whoever has this token."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    pages = [server.http.get(f"/api/rooms/{room}{page}", headers=headers) for page in REST]
    lists = [server.http.get(f"/api/{page}") for page in ("rooms", "recent")]
    return [answer.text for answer in [*pages, *lists]]


@pytest.mark.parametrize(("game", "body"), GAMES)
def test_nothing_hidden_is_sent_before_the_rules_show_it(
    server: Running, game: str, body: dict[str, Any]
) -> None:
    """A whole game; then every byte of it is searched for every secret of it."""
    first, second = server.two_players(game, name="Ann", **body)
    watcher = Player(server.address, first.room, None)
    table = server.lobby.rooms[first.room].table
    viewers: dict[int | None, Player] = {0: first, 1: second, None: watcher}
    asked: dict[int | None, list[str]] = {seat: [] for seat in viewers}
    acts = 0
    while table.status == "playing":
        seat = table.waiting_for[0]
        player = viewers[seat]
        player.until(lambda p: p.state(p.seats[0])["to_move"])
        acts += 1
        action = choose(table.game, player.state(seat)["view"], seat, acts)
        assert player.act(seat, action)["type"] == "ack"
        for eyes, viewer in viewers.items():
            viewer.catch_up_with(player)
            if table.status == "playing" and (table.pending or acts % 24 == 0):
                texts = all_of_rest(server, first.room, viewer.token)
                asked[eyes] += texts
                if seat in table.pending and eyes != seat and len(action) > 4:
                    assert f'"{action}"' not in "".join([viewer.bytes[-1], *texts])
    assert acts > 5
    for eyes, viewer in viewers.items():
        texts = [*while_it_ran(viewer), *asked[eyes]]
        assert len(texts) > acts
        everything = "\n".join(texts)
        for secret in secrets_of(table, eyes, [first, second]):
            assert secret not in everything, f"seat {eyes} was sent {secret!r}"
        for text in texts:
            for fleet in fleets_in(text):
                assert fleet in known_fleets(table, eyes)


def while_it_ran(viewer: Player) -> list[str]:
    """All that came over the socket before the game was over."""
    texts = []
    for text, message in zip(viewer.bytes, viewer.messages, strict=True):
        if message.get("position", {}).get("status") == "over":
            return texts
        texts.append(text)
    raise AssertionError("the game did not end")


def secrets_of(table: Any, seat: int | None, players: list[Player]) -> Iterator[str]:
    """The texts that `seat` must not be sent while the game runs."""
    yield str(table.setup.seed)
    for holder in table.holders:
        yield holder.token
    for player in players:
        yield str(player.token)
    for move in table.moves:
        for actor, action in move.actions.items():
            if table.game.hides(actor, action, seat):
                yield table.game.write(action)


def fleets_in(text: str) -> Iterator[Any]:
    """Every fleet that a JSON text holds, wherever it is."""

    def search(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            for key, part in value.items():
                if key == "fleet" and isinstance(part, dict):
                    yield part
                yield from search(part)
        elif isinstance(value, list):
            for part in value:
                yield from search(part)

    for line in text.splitlines():
        if line.startswith(("{", "[")):
            yield from search(json.loads(line))


def known_fleets(table: Any, seat: int | None) -> list[Any]:
    """The fleets that `seat` may see: its own."""
    if seat is None or table.setup.game != "battleship":
        return []
    return [json.loads(msgspec.json.encode(table.state.seas[seat].fleet))]


def test_natures_fleet_stays_hidden_from_a_lone_player(server: Running) -> None:
    player = server.player(server.create("battleship", settings={"rows": 6, "cols": 6}))
    table = server.lobby.rooms[player.room].table
    fleet = table.game.write(table.moves[0].actions[CHANCE])
    texts: list[str] = []
    while player.position["status"] == "playing":
        action = player.state(0)["legal"][0]
        before = list(player.bytes)
        player.act(0, action)
        if player.position["status"] == "playing":
            texts = [*before, *player.bytes, *all_of_rest(server, player.room, player.token)]
            assert fleet not in "".join(texts)
            assert not [f for text in texts for f in fleets_in(text)]
            assert str(table.setup.seed) not in "".join(texts)
    assert fleet in server.http.get(f"/api/rooms/{player.room}/record").text


def normalised(texts: list[str]) -> list[str]:
    """Texts without what differs from room to room."""
    made = []
    for text in texts:
        text = re.sub(r'"(room|created|ts|started|game_id|sum)":"[^"]*"', r'"\1":""', text)
        text = re.sub(r'"left":[0-9.]+', '"left":0', text)
        made.append(re.sub(r'"(\d+)":[0-9.]+', r'"\1":0', text))  # seconds by seat
    return made


@pytest.mark.parametrize("viewer", ["rival", "spectator"])
def test_rooms_that_differ_only_in_what_is_hidden_look_the_same(
    server: Running, viewer: str
) -> None:
    """The same visible play over two different fleets: every byte to the others is the same."""
    streams = []
    for fleet in ("A1-A3 F1-F2", "A1-A3 F4-F5"):
        settings = {"rows": 6, "cols": 6, "duel": True}
        first, second = server.two_players("battleship", settings=settings, name="Ann")
        watcher = Player(server.address, first.room, None)
        observer = second if viewer == "rival" else watcher
        asked: list[str] = []
        moves = [(first, 0, fleet), (second, 1, "B2-B4 F1-F2")]
        moves += [(first, 0, "A1"), (second, 1, "A1"), (first, 0, "C3"), (second, 1, "C6")]
        for player, seat, action in moves:
            player.until(lambda p: p.state(p.seats[0])["to_move"])
            assert player.act(seat, action)["type"] == "ack"
            observer.catch_up_with(player)
            asked += all_of_rest(server, first.room, observer.token)[:3]
        streams.append(normalised([*observer.bytes, *asked]))
        for one in (first, second, watcher):
            one.close()
    assert streams[0] == streams[1]


PLANS = ("navigation", {}, ("FpFsLgRh", "--------"))
FLEETS = (
    "battleship",
    {"duel": True, "rows": 6, "cols": 6},
    ("A1-A3 F1-F2", "C2-E2 A6-B6"),
)


@pytest.mark.parametrize(("game", "settings", "actions"), [PLANS, FLEETS])
@pytest.mark.parametrize("viewer", ["rival", "spectator"])
def test_a_locked_action_looks_the_same_whatever_it_is(
    server: Running, game: str, settings: dict[str, Any], actions: tuple[str, str], viewer: str
) -> None:
    streams = []
    for action in actions:
        first, second = server.two_players(game, settings=settings, clock=60, name="Ann")
        observer = second if viewer == "rival" else Player(server.address, first.room, None)
        assert first.ask("draft", seat=0, action=action)["type"] == "ack"
        assert first.act(0, action)["type"] == "ack"
        observer.catch_up_with(first)
        asked = all_of_rest(server, first.room, observer.token)[:3]
        streams.append(normalised([*observer.bytes, *asked]))
        assert first.state(0)["locked"] == action
        for player in {first, second, observer}:
            player.close()
    assert streams[0] == streams[1]


def test_simultaneous_shots_are_unknown_until_both_have_fired(server: Running) -> None:
    settings = {"duel": True, "simultaneous": True, "rows": 6, "cols": 6}
    streams = []
    for shot in ("A1", "E5"):
        first, second = server.two_players("battleship", settings=settings, name="Ann")
        assert first.act(0, "A1-A3 F1-F2")["type"] == "ack"
        assert second.act(1, "B2-B4 F1-F2")["type"] == "ack"
        first.catch_up_with(second)
        assert first.act(0, shot)["type"] == "ack"
        second.catch_up_with(first)
        streams.append(normalised(second.bytes))
        first.close()
        second.close()
    assert streams[0] == streams[1]


def test_after_the_end_the_record_is_complete(server: Running) -> None:
    first, second = server.two_players("battleship", settings={"duel": True, "rows": 6, "cols": 6})
    table = server.lobby.rooms[first.room].table
    play_out(first, second)
    record = server.http.get(f"/api/rooms/{first.room}/record").text
    for action in table.moves[0].actions.values():
        assert table.game.write(action) in record
    game = make_game("battleship", duel=True, rows=6, cols=6)
    replay = server.http.get(f"/api/rooms/{first.room}/replay").json()
    assert set(replay["frames"][5]["views"]) == {"0", "1", "spectator"}
    assert replay["frames"][1]["moved"]["actions"][0]["action"] == game.write(
        table.moves[0].actions[0]
    )
