"""Reviews on the server: of finished games and records; while a game runs, of own moves only."""

from collections.abc import Callable
from typing import Any

import pytest

import trireme
from trireme.core.registry import make_game
from trireme.server import review_routes

from .live import Player, Running

SMALL = {"rows": 5, "cols": 5, "fleet": [2], "duel": True}
FLEETS = "A1-A2", "E4-E5"


def reviewed(running: Running, body: dict[str, Any], token: str | None = None) -> dict[str, Any]:
    """The finished review."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = running.http.post("/api/reviews", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    progress: dict[str, Any] = answer.json()
    while progress["review"] is None:
        assert progress["problem"] is None
        assert progress["done"] <= max(progress["total"], progress["done"])
        progress = running.http.get(f"/api/reviews/{progress['id']}").json()
    review: dict[str, Any] = progress["review"]
    return review


def refused(running: Running, body: dict[str, Any], token: str | None = None) -> str:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    code: str = running.http.post("/api/reviews", json=body, headers=headers).json()["code"]
    return code


def duel(server: Running, hints: bool = True) -> tuple[Player, Player]:
    """Two people in a duel on 5×5, both fleets placed, each after one shot."""
    first, second = server.two_players("battleship", settings=SMALL)
    if hints:  # which both have to allow
        first.ask("allow_hints", seat=0)
        second.ask("allow_hints", seat=1)
    make_moves(first, second, [(0, FLEETS[0]), (1, FLEETS[1]), (0, "C3"), (1, "C3")])
    return first, second


def make_moves(first: Player, second: Player, moves: list[tuple[int, str]]) -> None:
    """Moves of both, one after the other, each made when it is the player's turn."""
    for seat, action in moves:
        player = (first, second)[seat]
        player.until(lambda p: p.state(p.seats[0])["to_move"])
        assert player.act(seat, action)["type"] == "ack"


def record_of_game() -> str:
    game = make_game("battleship", duel=True, rows=5, cols=5, fleet=(2,))
    opening: list[Any] = [dict(enumerate(FLEETS)), "C3", "C3", "E4", "A1", "E5"]
    return trireme.Session(game, ["hunt", "nobody"], seed=1, opening=opening).record.text


def test_a_record_is_reviewed_as_in_python(server: Running) -> None:
    text = record_of_game()
    found = reviewed(server, {"record": text})
    expected = trireme.review(trireme.parse_record(text))
    assert [move["cost"] for move in found["moves"]] == [move.cost for move in expected.moves]
    assert [seat["accuracy"] for seat in found["seats"]] == [s.accuracy for s in expected.seats]
    assert found["unit"] == "shots"
    assert found["finished"]
    only = reviewed(server, {"record": text, "seat": 1})
    assert {move["seat"] for move in only["moves"]} == {1}


def test_the_same_review_is_computed_once(server: Running) -> None:
    body = {"record": record_of_game()}
    first = server.http.post("/api/reviews", json=body).json()
    reviewed(server, body)
    assert server.http.post("/api/reviews", json=body).json()["id"] == first["id"]


def test_while_a_game_runs_only_own_moves_are_reviewed(server: Running) -> None:
    first, second = duel(server)
    body = {"room": first.room}
    assert refused(server, body) == "game_running"
    assert refused(server, {**body, "seat": 1}, first.token) == "game_running"
    assert refused(server, body, "wrong") == "bad_token"
    found = reviewed(server, body, first.token)
    assert {move["seat"] for move in found["moves"]} == {0}
    assert not found["finished"]
    assert [seat["seat"] for seat in found["seats"]] == [0]
    assert "E4" not in str(found["moves"])
    second.close()


def test_a_running_game_without_hints_is_not_reviewed(server: Running) -> None:
    first, _ = duel(server, hints=False)
    assert refused(server, {"room": first.room}, first.token) == "hints_off"


def test_a_finished_game_of_a_room_is_reviewed_for_everybody(server: Running) -> None:
    first, second = duel(server, hints=False)
    make_moves(first, second, [(0, "E4"), (1, "D1"), (0, "E5")])
    first.until(lambda p: p.position["status"] == "over")
    found = reviewed(server, {"room": first.room})
    assert len(found["seats"]) == 2
    assert found["finished"]
    assert [move["played"] for move in found["moves"]] == ["C3", "C3", "E4", "D1", "E5"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "bad_message"),
        ({"room": "x", "record": "y"}, "bad_message"),
        ({"record": "nonsense"}, "bad_record"),
        ({"record": ""}, "bad_record"),
        ({"room": "no room"}, "no_such_room"),
        ({"record": "x", "seat": -1}, "bad_message"),
        ({"record": "x", "wrong": 1}, "bad_message"),
        ({"record": 7}, "bad_message"),
    ],
)
def test_nonsense_is_refused(server: Running, body: dict[str, Any], code: str) -> None:
    assert refused(server, body) == code


def test_a_seat_that_the_game_has_not_and_an_unknown_review_are_refused(server: Running) -> None:
    assert refused(server, {"record": record_of_game(), "seat": 9}) == "not_your_seat"
    assert server.http.get("/api/reviews/nothing").json()["code"] == "not_found"


@pytest.mark.slow
def test_reviews_are_limited(serve: Callable[..., Running]) -> None:
    slow = serve(workers=0, reviews=2, reviews_per_address=9)
    text = record_of_game()
    bodies = [{"record": text, "seat": 0}, {"record": text, "seat": 1}, {"record": text}]
    assert [slow.http.post("/api/reviews", json=b).json().get("code") for b in bodies] == [
        None,
        None,
        "busy",
    ]


def test_one_address_does_not_take_all_reviews(serve: Callable[..., Running]) -> None:
    server = serve(workers=0, reviews=3, reviews_per_address=1)
    text, codes = record_of_game(), []
    for address, seat in (("192.0.2.1", 0), ("192.0.2.1", 1), ("192.0.2.2", 1)):
        headers = {"X-Forwarded-For": address}
        body = {"record": text, "seat": seat}
        codes.append(
            server.http.post("/api/reviews", json=body, headers=headers).json().get("code")
        )
    assert codes == [None, "busy", None]


def test_a_finished_review_is_translated_once(
    server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"record": record_of_game(), "seat": 0}
    first = reviewed(server, body)
    monkeypatch.setattr(review_routes, "_shape", None)
    assert reviewed(server, body) == first


@pytest.mark.slow
def test_reviews_use_an_address_s_processor_time(serve: Callable[..., Running]) -> None:
    server = serve(cpu_rate=1e-6, cpu_burst=1e-6)
    body = {"record": record_of_game()}
    server.http.post("/api/reviews", json=body)
    assert refused(server, {**body, "seat": 0}) == "too_fast"


def again(**change: Any) -> dict[str, Any]:
    body = {"record": record_of_game(), "move": 3, "seat": 0, **change}
    return {"game": "battleship", "again": body}


def test_a_position_is_played_again_against_the_same_agent(server: Running) -> None:
    made = server.create(**again(move=2, seat=1))
    assert made["seats"] == [1]
    assert not made["info"]["public"]
    assert next(seat["name"] for seat in made["info"]["seats"]) == "hunt"
    player = server.player(made)
    player.until(lambda p: p.position["moves"] == 2)
    assert player.position["to_move"] == [1]
    replay = server.http.get(f"/api/rooms/{made['room']}/replay").json()
    assert FLEETS[0] not in str(replay)
    assert FLEETS[1] not in str(replay)


def test_an_agent_that_a_room_may_not_seat_is_replaced(server: Running) -> None:
    made = server.create(**again())
    assert [seat["name"] for seat in made["info"]["seats"]][1] == "posterior"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"move": 6}, "no_such_move"),
        ({"move": 3, "seat": 1}, "not_your_turn"),
        ({"seat": 15}, "not_your_turn"),
        ({"room": "x"}, "bad_message"),
        ({"record": "nonsense"}, "bad_record"),
        ({"record": None, "room": "abc"}, "no_such_room"),
    ],
)
def test_a_position_that_is_not_there_is_refused(
    server: Running, change: dict[str, Any], code: str
) -> None:
    assert server.http.post("/api/rooms", json=again(**change)).json()["code"] == code


def test_a_running_game_can_not_be_played_again(server: Running) -> None:
    first, _ = duel(server)
    body = {"game": "battleship", "again": {"room": first.room, "move": 1, "seat": 0}}
    assert server.http.post("/api/rooms", json=body).json()["code"] == "game_running"
    other = {**again(), "game": "gomoku"}
    assert server.http.post("/api/rooms", json=other).json()["code"] == "bad_settings"
