"""What newcomers are offered over the wire: rules, opponents, lessons, clocks."""

from __future__ import annotations

from typing import Any

import pytest

from trireme.core.lessons import lessons_of
from trireme.core.opponents import opponents_of
from trireme.core.registry import BUILT_IN
from trireme.server.rooms import agents

from .live import Running


def test_the_rules_have_the_settings_of_the_room(server: Running) -> None:
    answer = server.http.post("/api/games/gomoku/rules", json={"settings": {"size": 9}})
    rules = answer.json()
    assert rules["title"] == "Gomoku"
    assert "9 by 9 lines" in rules["sections"][0]["text"][0]
    assert rules["sections"][1]["figures"][0]["rows"] == [".......", ".XXXXX.", "......."]


def test_rules_of_settings_that_are_not_valid_are_refused(server: Running) -> None:
    answer = server.http.post("/api/games/gomoku/rules", json={"settings": {"size": 3}})
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_settings")
    assert server.http.post("/api/games/none/rules", json={}).json()["code"] == "no_such_game"


def catalogue(server: Running) -> dict[str, Any]:
    return {game["name"]: game for game in server.http.get("/api/games").json()}


def test_every_game_lists_its_opponents_and_lessons(server: Running) -> None:
    games = catalogue(server)
    for name in BUILT_IN:
        listed = games[name]["opponents"]
        assert [o["spec"] for o in listed] == [o.spec for o in opponents_of(name)]
        assert all(o["unavailable"] is None for o in listed)
        assert [o["elo"] for o in listed] == [o.elo for o in opponents_of(name)]
        assert [x["id"] for x in games[name]["lessons"]] == [x.id for x in lessons_of(name)]


def test_a_named_opponent_may_sit_down_though_its_options_are_not_a_players_to_set(
    server: Running,
) -> None:
    spec = opponents_of("battleship")[0].spec
    seats = [{"kind": "me"}, {"kind": "agent", "agent": spec}]
    held = server.create("battleship", variant="duel", seats=seats)
    assert held["info"]["seats"][1]["name"] == spec
    other = [{"kind": "me"}, {"kind": "agent", "agent": "careless:agent=random"}]
    body = {"game": "battleship", "variant": "duel", "seats": other}
    refused = server.http.post("/api/rooms", json=body)
    assert refused.json()["code"] == "bad_agent"


def test_an_agent_that_can_not_start_here_is_refused_with_the_reason(server: Running) -> None:
    seats = [{"kind": "me"}, {"kind": "agent", "agent": "search:evaluation=network"}]
    settings = {"rule": "freestyle"}  # the network that ships learnt another rule
    asked = {"game": "gomoku", "seats": seats, "settings": settings}
    answer = server.http.post("/api/rooms", json=asked)
    assert answer.json()["code"] == "bad_agent"
    assert "network" in answer.json()["message"]


def test_a_lesson_sets_the_room_up_and_says_when_its_goal_is_met(server: Running) -> None:
    held = server.create("gomoku", lesson="five", public=True, clock=30)
    info = held["info"]
    assert (info["lesson"], info["clock"], info["public"]) == ("five", None, False)
    assert info["settings"]["size"] == 9
    player = server.player(held)
    assert player.position["lesson"] == "open"
    player.act(0, "a5")
    assert player.position["lesson"] == "met"
    assert player.position["result"]["winners"] == [0]


def test_the_opponent_of_a_lesson_moves_itself_even_if_it_must_be_compiled_first(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents, "answer_soon", None)
    player = server.player(server.create("gomoku", lesson="block"))
    player.act(0, "a1")
    player.until(lambda p: p.position["moves"] == 2)
    assert player.position["result"] is None or not player.position["result"]["forfeits"]


def test_giving_a_lesson_up_misses_its_goal(server: Running) -> None:
    player = server.player(server.create("gomoku", lesson="block"))
    player.ask("resign", seat=0)
    player.until(lambda p: p.position["status"] == "over")
    assert player.position["lesson"] == "missed"


def test_a_game_like_any_other_has_no_lesson(server: Running) -> None:
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}])
    assert held["info"]["lesson"] is None
    assert server.player(held).position["lesson"] is None


def test_a_lesson_that_does_not_exist_is_refused(server: Running) -> None:
    answer = server.http.post("/api/rooms", json={"game": "gomoku", "lesson": "nothing"})
    assert answer.json() == {
        "code": "bad_settings",
        "message": "gomoku has no lesson 'nothing'",
    }


def test_a_clock_for_the_whole_game_needs_seconds(server: Running) -> None:
    body = {"game": "gomoku", "seats": [{"kind": "me"}, {"kind": "me"}], "increment": 2}
    answer = server.http.post("/api/rooms", json=body)
    assert answer.json()["code"] == "bad_settings"
    held = server.create(**{**body, "clock": 180})
    assert (held["info"]["clock"], held["info"]["increment"]) == (180, 2)
    clock = server.player(held).position["clock"]
    assert clock["running"]
    assert set(clock["seats"]) == {"0", "1"}


@pytest.mark.parametrize(("game", "moves"), [("gomoku", 0)])
def test_a_claim_and_a_word_that_a_move_was_shown_are_answered(
    server: Running, game: str, moves: int
) -> None:
    first, _ = server.two_players(game)
    assert first.ask("shown", seat=0, moves=moves)["type"] == "ack"
    assert first.ask("claim", seat=0)["code"] == "not_absent"
