"""Seats, reconnecting, taking back, giving up, playing again."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trireme.core.record import parse_record

from .live import Player, Running, play_out

SMALL = {"settings": {"size": 9}}


def test_a_dropped_client_comes_back_and_has_missed_nothing(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    first.act(0, "a1")
    second.catch_up_with(first)
    second.act(1, "b1")
    seen = first.position["version"]
    first.close()
    second.until(lambda p: p.messages[-1]["type"] == "room")
    assert second.messages[-1]["room"]["seats"][0]["online"] is False
    back = Player(server.address, first.room, first.token, since=seen)
    moved = [h for h in back.messages[0]["events"] if h["kind"] == "moved"]
    assert [d["action"] for m in moved for d in m["actions"]] == ["b1"]
    assert back.position["version"] == second.position["version"]
    assert back.act(0, "c1")["type"] == "ack"


def test_a_new_client_gets_all_events(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    first.act(0, "a1")
    second.catch_up_with(first)
    second.act(1, "b1")
    watcher = Player(server.address, first.room, None)
    kinds = [h["kind"] for h in watcher.messages[0]["events"]]
    assert kinds == ["sat", "started", "moved", "moved"]


def test_a_gap_is_found_by_its_version_and_filled_by_sync(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    lost = second.position["version"]
    first.act(0, "a1")
    second.catch_up_with(first)
    second.act(1, "b1")
    second.send(type="sync", id="s", since=lost)
    second.until(lambda p: p.messages[-1]["type"] == "welcome")
    answer = second.messages[-1]
    assert [h["kind"] for h in answer["events"]] == ["moved", "moved"]
    assert answer["position"]["version"] == lost + 2
    second.send(type="sync", id="s2", since=10**6)
    second.until(lambda p: p.messages[-1]["type"] == "welcome" and p.messages[-1] != answer)
    assert second.messages[-1]["events"] == []


def test_an_action_sent_again_is_acknowledged_and_not_played_twice(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    once = first.ask("act", id="mine", seat=0, action="a1")
    again = first.ask("act", id="mine", seat=0, action="a1")
    assert again == once
    back = Player(server.address, first.room, first.token)
    assert back.ask("act", id="mine", seat=0, action="a1") == once
    assert back.position["moves"] == 1
    # ids are a seat's own: the other's may be the same
    second.catch_up_with(first)
    assert second.ask("act", id="mine", seat=1, action="b1")["version"] == once["version"] + 1


def test_the_same_holds_where_nature_and_others_moved_on(server: Running) -> None:
    first, second = server.two_players("navigation", clock="none")
    once = first.ask("act", id="mine", seat=0, action="F-F-F-F-")
    second.act(1, "F-F-F-F-")
    first.catch_up_with(second)
    assert first.ask("act", id="mine", seat=0, action="F-F-F-F-", moves=0) == once
    assert first.position["moves"] == 1


def test_taking_back_against_an_agent_goes_back_to_ones_own_decision(server: Running) -> None:
    chairs = [{"kind": "me"}, {"kind": "agent", "agent": "random"}]
    player = server.player(server.create("gomoku", seats=chairs, **SMALL))
    assert player.state(0)["can_undo"] is False
    player.act(0, "e5")
    player.until(lambda p: p.state(0)["to_move"])
    assert player.position["moves"] == 2
    assert player.ask("undo", seat=0)["type"] == "ack"
    player.until(lambda p: p.position["moves"] == 0)
    assert player.state(0)["view"]["stones"] == []
    assert player.ask("undo", seat=0)["code"] == "no_undo"
    assert player.act(0, "d4")["type"] == "ack"
    play_out(player)
    record = parse_record(server.http.get(f"/api/rooms/{player.room}/record").text)
    assert record.moves[0] == {0: "d4"}
    record.verify()


def test_between_two_people_taking_back_needs_both(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    first.act(0, "a1")
    second.catch_up_with(first)
    first.ask("undo", seat=0)
    second.until(lambda p: bool(p.position["offers"]))
    assert second.position["offers"] == [{"kind": "undo", "seat": 0}]
    assert second.ask("answer", seat=1, kind="undo", accept=False)["type"] == "ack"
    first.catch_up_with(second)
    assert first.position["moves"] == 1
    assert first.position["offers"] == []
    first.ask("undo", seat=0)
    accepted = second.ask("answer", id="yes", seat=1, kind="undo", accept=True)
    assert second.ask("answer", id="yes", seat=1, kind="undo", accept=True) == accepted
    first.until(lambda p: p.position["moves"] == 0)
    assert first.state(0)["to_move"]


def test_a_move_makes_an_offer_to_take_back_pointless(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    first.act(0, "a1")
    second.catch_up_with(first)
    first.ask("undo", seat=0)
    second.until(lambda p: bool(p.position["offers"]))
    second.act(1, "b1")
    assert second.position["offers"] == []
    assert second.ask("answer", seat=1, kind="undo", accept=True)["code"] == "no_offer"


def test_what_was_seen_is_not_unseen(server: Running) -> None:
    player = server.player(server.create("battleship", settings={"rows": 6, "cols": 6}))
    player.act(0, "A1")
    assert player.ask("undo", seat=0)["code"] == "no_undo"


def test_resigning_ends_the_game_for_the_other(server: Running) -> None:
    first, second = server.two_players("navigation", clock="none")
    assert first.ask("resign", seat=0)["type"] == "ack"
    second.until(lambda p: p.position["status"] == "over")
    result = second.position["result"]
    assert result["winners"] == [1]
    assert result["forfeits"][0]["reason"] == "resigned"
    record = parse_record(server.http.get(f"/api/rooms/{first.room}/record").text)
    assert record.returns == (-1.0, 1.0)


def test_a_rematch_swaps_sides_and_keeps_the_tokens(server: Running) -> None:
    first, second = server.two_players("gomoku", **SMALL)
    first.ask("resign", seat=0)
    second.until(lambda p: p.position["status"] == "over")
    first.ask("rematch", seat=0)
    second.until(lambda p: bool(p.position["offers"]))
    assert second.ask("rematch", seat=1)["type"] == "ack"
    first.until(lambda p: p.events[-1]["kind"] == "rematched")
    room = first.events[-1]["room"]
    again = Player(server.address, room, first.token)
    other = Player(server.address, room, second.token)
    assert (again.seats, other.seats) == ([1], [0])
    assert other.act(0, "a1")["type"] == "ack"
    assert first.ask("rematch", seat=0)["type"] == "ack"


def test_a_rematch_against_an_agent_needs_nobodys_consent(server: Running) -> None:
    chairs = [{"kind": "me"}, {"kind": "agent", "agent": "random"}]
    player = server.player(server.create("gomoku", seats=chairs, **SMALL))
    player.ask("resign", seat=0)
    player.ask("rematch", seat=0)
    player.until(lambda p: p.events[-1]["kind"] == "rematched")
    again = Player(server.address, player.events[-1]["room"], player.token)
    assert again.seats == [1]
    again.until(lambda p: p.position["moves"] == 1)


def test_seats_are_taken_once(server: Running) -> None:
    held = server.create("gomoku", seats=[{"kind": "open"}, {"kind": "open"}])
    assert held["token"] is None
    one = server.join(held["room"], seat=1, name="Bob")
    assert one["seats"] == [1]
    taken = server.http.post(f"/api/rooms/{held['room']}/join", json={"seat": 1})
    assert (taken.status_code, taken.json()["code"]) == (409, "seat_taken")
    two = server.join(held["room"])
    assert two["seats"] == [0]
    assert two["info"]["status"] == "playing"
    full = server.http.post(f"/api/rooms/{held['room']}/join", json={})
    assert (full.status_code, full.json()["code"]) == (409, "room_full")
    assert one["token"] != two["token"]


def test_names_are_cleaned(server: Running) -> None:
    held = server.create("gomoku", name="  Ann\n\u202eevil\x00 ")
    assert held["info"]["seats"][0]["name"] == "Ann evil"


@pytest.mark.slow
def test_rooms_are_evicted_and_loaded_again(serve: Callable[..., Running]) -> None:
    server = serve(idle_seconds=0)
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}], **SMALL)
    player = server.player(held)
    player.act(0, "a1")
    player.close()
    while server.lobby.rooms[held["room"]].clients:
        server.http.get("/healthz")
    server.lobby.sweep()
    assert held["room"] not in server.lobby.rooms
    back = server.player(held)
    assert back.position["moves"] == 1
    assert back.act(1, "b1")["type"] == "ack"


@pytest.mark.slow
def test_when_the_database_fails_nothing_is_sent_and_the_room_is_loaded_again(
    serve: Callable[..., Running], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve()
    first, second = server.two_players("gomoku", **SMALL)
    watcher = Player(server.address, first.room, None)
    first.act(0, "a1")
    second.catch_up_with(first)

    async def broken(*arguments: object, **options: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(server.lobby.store, "append", broken)
    second.send(type="act", id="lost", seat=1, action="b1")
    for player in (first, second, watcher):
        assert player.closed() == 1013
        assert player.position["moves"] <= 1
    monkeypatch.undo()
    back = Player(server.address, second.room, second.token)
    assert back.position["moves"] == 1
    assert back.ask("act", id="lost", seat=1, action="b1")["type"] == "ack"


@pytest.mark.slow
def test_a_stopped_server_goes_on_where_it_was(serve: Callable[..., Running]) -> None:
    server = serve("one")
    first, second = server.two_players("battleship", settings={"duel": True})
    first.act(0, "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2")
    position = first.position
    for player in (first, second):
        player.close()
    server.stop()
    again = serve("one")
    first = Player(again.address, first.room, first.token)
    second = Player(again.address, second.room, second.token)
    assert first.position["ready"] == [0]
    assert first.position["version"] == position["version"]
    assert first.state(0)["locked"] == "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2"
    second.act(1, "A1-A5 C1-C4 E1-E3 G1-G3 I1-I2")
    play_out(first, second)
    assert first.position["status"] == "over"


@pytest.mark.slow
def test_a_whole_game_on_either_database(serve: Callable[..., Running], store_url: str) -> None:
    server = serve(url=store_url)
    first, second = server.two_players("battleship", settings={"duel": True, "rows": 6, "cols": 6})
    play_out(first, second)
    for player in (first, second):
        player.close()
    record = server.http.get(f"/api/rooms/{first.room}/record").text
    server.stop()
    again = serve(url=store_url)
    assert again.http.get(f"/api/rooms/{first.room}/record").text == record
    assert again.http.get("/api/recent").json()[0]["room"] == first.room
    parse_record(record).verify()


def test_lists_show_public_rooms_with_somebody_in_them(server: Running) -> None:
    shown = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}], name="Ann")
    hidden = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}], public=False)
    empty = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "open"}])
    for held in (shown, hidden):
        server.player(held)
    rooms = {room["room"] for room in server.http.get("/api/rooms?game=gomoku").json()}
    assert shown["room"] in rooms
    assert not rooms & {hidden["room"], empty["room"]}
    assert server.http.get("/api/rooms?game=navigation").json() == []


@pytest.mark.parametrize("public", [True, False])
def test_finished_public_games_are_remembered(server: Running, public: bool) -> None:
    first, second = server.two_players("gomoku", name="Ann", public=public, **SMALL)
    first.act(0, "a1")
    second.ask("resign", seat=1)
    recent = {game["room"]: game for game in server.http.get("/api/recent").json()}
    assert (first.room in recent) is public
    if public:
        game = recent[first.room]
        assert game["seats"] == ["Ann", "Bob"]
        assert game["returns"] == [1.0, -1.0]
        assert game["moves"] == 1
