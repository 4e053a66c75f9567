"""Whole games over real sockets: alone, together, on one screen, and agents among themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from trireme.cli import app
from trireme.core.record import parse_record

from .live import Running, play_out

KINDS: list[tuple[str, dict[str, Any]]] = [
    ("gomoku", {"settings": {"size": 9}}),
    ("battleship", {"settings": {"duel": True, "rows": 6, "cols": 6}}),
    ("battleship", {"settings": {"duel": True, "salvo": True, "rows": 6, "cols": 6}}),
    ("navigation", {"settings": {"turn_limit": 8}, "clock": "none"}),
]


@pytest.mark.parametrize(("game", "body"), KINDS)
def test_two_people_play_a_whole_game(server: Running, game: str, body: dict[str, Any]) -> None:
    first, second = server.two_players(game, **body)
    play_out(first, second)
    assert first.position["result"] == second.position["result"]
    assert first.gaps == second.gaps == 0
    record = parse_record(server.http.get(f"/api/rooms/{first.room}/record").text)
    record.verify()
    assert len(record.moves) == first.position["moves"]


@pytest.mark.parametrize(("game", "body"), KINDS)
def test_a_person_plays_an_agent(server: Running, game: str, body: dict[str, Any]) -> None:
    chairs = [{"kind": "me"}, {"kind": "agent", "agent": "random"}]
    player = server.player(server.create(game, seats=chairs, **body))
    play_out(player)
    assert player.position["result"]["forfeits"] == []


def test_alone_against_the_sea(server: Running) -> None:
    player = server.player(server.create("battleship", settings={"rows": 6, "cols": 6}))
    play_out(player)
    assert player.position["result"]["winners"] == []
    assert player.position["result"]["returns"][0] <= -5


def test_hotseat_one_client_holds_both_seats(server: Running) -> None:
    chairs = [{"kind": "me"}, {"kind": "me"}]
    settings = {"duel": True, "rows": 6, "cols": 6}
    held = server.create("battleship", settings=settings, seats=chairs)
    player = server.player(held)
    assert player.seats == [0, 1]
    play_out(player)
    assert sorted(player.position["result"]["returns"]) == [-1, 1]


def test_a_room_is_played_on_a_map_of_ones_own(server: Running, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["map", "new", str(tmp_path / "bay.json"), "--seed", "7"])
    assert done.exit_code == 0
    settings = {"map": json.loads((tmp_path / "bay.json").read_text()), "turn_limit": 2}
    chairs = [{"kind": "agent", "agent": "random"}] * 2
    held = server.create("navigation", settings=settings, seats=chairs, clock="none")
    assert held["info"]["settings"]["map"] == settings["map"]
    watcher = server.player(held)
    watcher.until(lambda p: p.position["status"] == "over")
    assert watcher.position["result"]["forfeits"] == []


def test_agents_play_each_other_while_somebody_looks_on(server: Running) -> None:
    chairs = [{"kind": "agent", "agent": "random"}] * 2
    held = server.create("gomoku", settings={"size": 9}, seats=chairs)
    assert held["token"] is None
    assert held["seats"] == []
    watcher = server.player(held)
    watcher.until(lambda p: p.position["status"] == "over")
    assert watcher.position["spectator"]["stones"]
    assert watcher.gaps == 0
