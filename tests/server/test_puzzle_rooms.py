"""Puzzles over the wire: their rooms, their results, and no solution before the end."""

from __future__ import annotations

import json
from datetime import date

import pytest

from trireme.core.puzzles import Puzzle, daily_puzzle, puzzles_of

from .live import Player, Running

GAMES = ("battleship", "gomoku", "navigation")


def puzzle_of(game: str, kind: str | None = None) -> Puzzle:
    return next(p for p in puzzles_of(game).values() if kind is None or p.kind == kind)


def opened(server: Running, game: str, puzzle: Puzzle) -> Player:
    return server.player(server.create(game, puzzle=puzzle.id, public=True, clock=30, hints=True))


@pytest.mark.parametrize("game", GAMES)
def test_the_list_has_every_puzzle_and_no_solution(server: Running, game: str) -> None:
    answer = server.http.get(f"/api/puzzles/{game}").json()
    assert {entry["id"] for entry in answer["puzzles"]} == set(puzzles_of(game))
    assert set(answer["puzzles"][0]) == {"id", "kind", "title", "rating"}
    assert answer["daily"] == daily_puzzle(game, date.fromisoformat(answer["day"])).id
    listed = {info["name"]: info["puzzles"] for info in server.http.get("/api/games").json()}
    assert listed[game] == len(answer["puzzles"])


def test_unknown_games_and_puzzles_are_refused(server: Running) -> None:
    assert server.http.get("/api/puzzles/chess").json()["code"] == "no_such_game"
    for id in ("nothing", "", "\0", "../x", "a" * 40):
        answer = server.http.post("/api/rooms", json={"game": "gomoku", "puzzle": id})
        assert answer.json()["code"] == "bad_settings"
    wrong = puzzle_of("navigation").id
    answer = server.http.post("/api/rooms", json={"game": "gomoku", "puzzle": wrong})
    assert answer.json()["code"] == "bad_settings"
    for body in ({"puzzle": "a" * 41}, {"puzzle": 7}, {"puzzle": ["x"]}):
        answer = server.http.post("/api/rooms", json={"game": "gomoku", **body})
        assert answer.status_code == 400


def test_a_puzzle_sets_its_room_up(server: Running) -> None:
    puzzle = puzzle_of("gomoku")
    player = opened(server, "gomoku", puzzle)
    info = player.messages[0]["room"]
    assert (info["clock"], info["public"], info["hints"]) == (None, False, False)
    assert info["settings"]["position"] == puzzle.settings["position"]
    assert info["puzzle"]["id"] == puzzle.id
    assert "solution" not in info["puzzle"]
    assert player.position["puzzle"] == {"state": "open", "note": "", "solution": [], "share": ""}
    assert player.ask("hint", seat=0)["type"] == "error"


def test_an_endgame_is_solved_without_a_look_at_the_fleet(server: Running) -> None:
    puzzle = puzzle_of("battleship")
    player = opened(server, "battleship", puzzle)
    fleet = puzzle.opening[0]
    assert len(player.state(0)["view"]["seas"][0]["shots"]) == len(puzzle.opening) - 1
    assert player.state(0)["view"]["seas"][0]["fleet"] is None
    assert fleet not in "".join(player.bytes)
    for shot in puzzle.solution:
        assert player.position["puzzle"]["state"] == "open"
        player.act(0, shot)
    attempt = player.position["puzzle"]
    assert attempt["state"] == "met"
    assert attempt["solution"] == list(puzzle.solution)
    assert "nothing was lost" in attempt["note"]
    assert "solved" in attempt["share"]


def test_a_lost_shot_misses_the_goal_at_the_end(server: Running) -> None:
    puzzle = puzzle_of("battleship")
    player = opened(server, "battleship", puzzle)
    wasted = next(c for c in player.state(0)["legal"] if c not in _near(puzzle))
    player.act(0, wasted)
    for shot in puzzle.solution:
        player.act(0, shot)
    assert player.position["puzzle"]["state"] == "missed"
    assert "lost" in player.position["puzzle"]["note"]


def _near(puzzle: Puzzle) -> set[str]:
    from trireme.battleship.board import write_cell
    from trireme.battleship.endgame import endgame
    from trireme.core.puzzles import puzzle_game, puzzle_start

    game = puzzle_game("battleship", puzzle)
    shots = puzzle_start(game, puzzle)[-1].after.seas[0].shots
    return set(map(write_cell, endgame(game.boards[0], shots).cells()))


@pytest.mark.parametrize("kind", ["safe", "outgun"])
def test_a_plan_is_judged_when_the_turn_is_over(server: Running, kind: str) -> None:
    puzzle = puzzle_of("navigation", kind)
    for plan, state in ((puzzle.solution[0], "met"), ("--------", "missed")):
        player = opened(server, "navigation", puzzle)
        assert puzzle.solution[0] not in json.dumps(player.messages)
        player.act(0, plan)
        player.until(lambda p: p.position["status"] == "over")
        assert player.position["puzzle"]["state"] == state


def test_nothing_is_taken_back_and_giving_up_misses(server: Running) -> None:
    player = opened(server, "gomoku", puzzle_of("gomoku"))
    player.act(0, player.state(0)["legal"][0])
    assert not player.state(0)["can_undo"]
    answer = player.ask("undo", seat=0)
    assert answer["code"] == "no_undo"
    assert "puzzle" in answer["message"]
    player.ask("resign", seat=0)
    player.until(lambda p: p.position["status"] == "over")
    assert player.position["puzzle"]["state"] == "missed"
    assert player.position["puzzle"]["solution"]


def test_a_rematch_is_a_game_like_any_other(server: Running) -> None:
    puzzle = puzzle_of("battleship")
    player = opened(server, "battleship", puzzle)
    for shot in puzzle.solution:
        player.act(0, shot)
    player.ask("rematch", seat=0)
    player.until(lambda p: any(e["kind"] == "rematched" for e in p.events))
    room = next(e["room"] for e in player.events if e["kind"] == "rematched")
    assert server.http.get(f"/api/rooms/{room}").json()["puzzle"] is None


def test_a_game_like_any_other_has_no_puzzle(server: Running) -> None:
    held = server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}])
    assert held["info"]["puzzle"] is None
    assert server.player(held).position["puzzle"] is None
