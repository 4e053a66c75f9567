"""Previews: fleets judged while they are placed, plans tried out, nothing changed or told."""

from __future__ import annotations

from typing import Any

from .live import Player, Running


def preview(player: Player, seat: int, action: str | None, **more: Any) -> dict[str, Any]:
    player.send(type="preview", id="p", seat=seat, action=action, **more)
    while True:
        message = player.receive()
        if message["type"] in ("preview", "error") and message["id"] == "p":
            return message


def test_a_fleet_drawn_at_random_is_allowed_and_a_touching_one_is_not(server: Running) -> None:
    player = server.player(server.create("battleship", variant="duel"))
    drawn = preview(player, 0, None)
    assert drawn["drawn"]
    assert preview(player, 0, drawn["action"])["problem"] is None
    touching = preview(player, 0, "A1-A5 B1-B4 D1-D3 F1-F3 H1-H2")
    assert "touch" in touching["problem"]
    assert player.position["moves"] == 0


def test_a_plan_is_tried_out_against_a_guess(server: Running) -> None:
    player = server.player(server.create("navigation", clock="none"))
    alone = preview(player, 0, "F-F-F-F-")["outcome"]
    met = preview(player, 0, "F-F-F-F-", others={"1": "F-F-F-F-"})["outcome"]
    start = player.state(0)["view"]["ships"]
    assert [s["x"] for s in alone["ships"]] == [start[0]["x"] + 4, start[1]["x"]]
    assert met["ships"][1]["x"] == start[1]["x"] - 4
    assert len(met["log"]) == 4
    assert player.state(0)["view"]["turn"] == 0


def test_what_is_no_action_is_called_so(server: Running) -> None:
    player = server.player(server.create("navigation", clock="none"))
    assert "4 phases" in preview(player, 0, "F-")["problem"]
    assert preview(player, 0, "F-F-F-F-", others={"1": "??"})["code"] == "bad_action"
    assert preview(player, 1, None)["code"] == "not_your_seat"
