"""What newcomers stumble over: lost plans, moving panels, second thoughts, a late server."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from .hands import box_of, choose, lock_in, place, start, status
from .site import Site

Visit = Callable[..., Any]
LONG_NAME = "Bartholomew of the Seven Hundred Seas Jr"
SIDEWAYS = {"width": 844, "height": 390}
SMALL_SIDEWAYS = {"width": 640, "height": 360}


def one_click(page: Any, game: str) -> None:
    page.get_by_role("button", name=f"Play {game} against the computer").click()
    expect(status(page)).to_have_text("Your turn")


def note_drafts(socket: Any, sent: list[str | None]) -> None:
    """Keep the drafts that the page sends over a socket."""

    def note(frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "draft":
            sent.append(message["action"])

    socket.on("framesent", note)


def test_the_game_that_one_click_starts_has_no_clock_and_keeps_a_plan(
    site: Site, visit: Visit
) -> None:
    page = visit(site.url)
    one_click(page, "Battle Navigation")
    expect(page.get_by_role("timer")).to_have_count(0)
    page.get_by_role("button", name="Phase 2, move: hold").click()
    expect(page.locator(".ghost .track")).to_be_attached()
    page.reload()
    expect(page.get_by_role("button", name="Phase 2, move: forward")).to_be_visible()
    lock_in(page)
    expect(page.get_by_role("button", name="Phase 2, move: hold")).to_be_visible()


def test_a_plan_counts_for_its_own_turn_and_not_once_it_is_cleared(
    site: Site, visit: Visit
) -> None:
    page = visit(f"{site.url}/new/navigation")
    sent: list[str | None] = []
    with page.expect_websocket() as opened:
        start(page)
    note_drafts(opened.value, sent)
    expect(page.get_by_role("timer")).to_be_visible()
    move = page.get_by_role("button", name="Phase 1, move")
    move.click()
    lock_in(page)
    expect(status(page)).to_have_text("Your turn")
    expect(move).to_have_accessible_name("Phase 1, move: hold")
    page.get_by_role("button", name="Phase 1, port: nothing").click()
    with opened.value.expect_event("framesent", lambda frame: '"action":null' in frame):
        page.get_by_role("button", name="Clear").click()
    page.reload()
    expect(page.get_by_role("button", name="Phase 1, port: nothing")).to_be_visible()
    assert sent == ["F-------", "-p1------", None]


def test_the_panel_stays_where_it_is_whatever_players_are_called(site: Site, visit: Visit) -> None:
    host = visit(f"{site.url}/new/gomoku?mode=friend")
    host.get_by_label("Your name").fill(LONG_NAME)
    start(host)
    guest = visit(host.url)
    guest.get_by_role("button", name="Join as white").click()
    expect(status(guest)).to_have_text(f"Waiting for {LONG_NAME}")
    waiting = box_of(guest.locator(".players"))
    place(host, "h8")
    expect(status(guest)).to_have_text("Your turn")
    assert box_of(guest.locator(".players")) == waiting
    assert guest.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.parametrize("game", ["Gomoku", "Battleship"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_end_fits_where_the_prompt_was(site: Site, visit: Visit, game: str, width: int) -> None:
    page = visit(site.url, viewport={"width": width, "height": 860})
    page.evaluate("localStorage['trireme.rungs'] = JSON.stringify({ gomoku: 4, battleship: 4 })")
    one_click(page, game)
    if game == "Battleship":
        page.get_by_role("button", name="Place the fleet here").click()
        expect(page.locator(".prompt")).to_have_text("Fire at a cell of the enemy’s board.")
    else:
        expect(page.locator(".prompt")).to_have_text("Put a black stone on a free point.")
    before = box_of(page.locator(".players"))
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.get_by_role("button", name=re.compile("^Try "))).to_be_visible()
    assert box_of(page.locator(".players")) == before


def test_a_phone_is_told_that_a_first_tap_only_aims(site: Site, visit: Visit) -> None:
    phone = {"width": 390, "height": 780}
    page = visit(site.url, viewport=phone, has_touch=True, is_mobile=True)
    one_click(page, "Gomoku")
    expect(page.locator(".prompt")).to_contain_text("The first tap aims, the second one plays.")


def test_hints_end_with_the_game(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    one_click(page, "Gomoku")
    page.get_by_role("button", name="Hints").click()
    expect(page.locator(".hint").first).to_be_visible(timeout=90_000)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(page.locator(".thought")).to_contain_text("The game is over")
    expect(page.locator(".hint")).to_have_count(0)


@pytest.mark.parametrize("screen", [SIDEWAYS, SMALL_SIDEWAYS])
def test_the_whole_sea_is_in_sight_on_a_phone_held_sideways(
    site: Site, visit: Visit, screen: dict[str, int]
) -> None:
    page = visit(site.url, viewport=screen)
    one_click(page, "Battle Navigation")
    box = box_of(page.locator(".zoom-box"))
    assert box["y"] + box["height"] <= screen["height"]
    assert box["height"] > 0.6 * screen["height"]


def test_the_games_are_listed_once_the_server_answers(site: Site, visit: Visit) -> None:
    page = visit("about:blank")
    asked: list[str] = []

    def late(route: Any) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.abort()
        else:
            route.continue_()

    page.route("**/api/games", late)
    page.goto(f"{site.url}/new/gomoku")
    expect(page.get_by_role("button", name="Start the game")).to_be_visible()
    assert len(asked) == 3


def test_who_plans_is_not_told_what_the_program_waits_for(site: Site, visit: Visit) -> None:
    page = visit("about:blank")
    sockets: list[Any] = []

    def listen(socket: Any) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket(re.compile("/ws/"), listen)
    page.goto(site.url)
    one_click(page, "Battle Navigation")
    for told in ({"type": "queued", "place": 3}, {"type": "preparing", "compiled": 40}):
        sockets[-1].send(json.dumps({**told, "seat": 1}))
    sockets[-1].send(json.dumps({"type": "status", "read_only": True}))
    expect(page.locator(".trouble").first).to_contain_text("can't store moves")
    sockets[-1].send(json.dumps({"type": "status", "read_only": False}))
    expect(page.locator(".trouble").first).to_have_text("")
    failed = {
        "type": "error",
        "id": None,
        "code": "agent_failed",
        "message": "1 s",
        "retry_after": None,
    }
    sockets[-1].send(json.dumps(failed))
    expect(page.locator(".trouble").first).to_contain_text("too busy to help")
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_a_map_is_not_deleted_by_one_click_and_has_sides_that_can_be_drawn(
    site: Site, visit: Visit
) -> None:
    page = visit(f"{site.url}/maps")
    page.get_by_label("Width").fill("100000")
    page.get_by_label("Height").fill("6")
    page.get_by_label("Height").press("Tab")
    expect(page.get_by_role("gridcell")).to_have_count(26 * 6)
    page.get_by_label("Name").fill(" ")
    expect(page.get_by_text("the map needs a name")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    page.get_by_label("Name").fill("Strait")
    page.get_by_role("button", name="Save").click()
    delete = page.get_by_role("button", name=re.compile("[Dd]elete.* Strait"))
    delete.click()
    expect(delete).to_contain_text("Really delete?")
    delete.click()
    expect(page.get_by_text("No saved maps yet.")).to_be_visible()


def test_what_is_being_typed_outlives_the_check_of_the_map(site: Site, visit: Visit) -> None:
    """The page is drawn anew when the answer comes, with the width of before."""
    held: list[Route] = []
    page = visit(f"{site.url}/maps", lambda p: p.route("**/maps/check", lambda r: held.append(r)))
    expect(page.get_by_text("Checking the map…")).to_be_visible()
    width = page.get_by_label("Width")
    width.fill("10")
    while not held:
        page.wait_for_timeout(20)
    held.pop().continue_()
    expect(page.get_by_text("This map is valid.")).to_be_visible()
    expect(width).to_have_value("10")
    width.press("Enter")
    expect(page.get_by_role("gridcell")).to_have_count(10 * 24)
    width.fill("11")
    width.fill("10")
    page.get_by_role("button", name="Empty map").click()
    expect(width).to_have_value("24")


def test_a_game_is_listed_once_and_its_player_called_you(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    one_click(page, "Gomoku")
    room = page.url.rpartition("/")[2]
    page.goto(site.url)
    expect(page.locator(".own-games")).to_contain_text("Gomoku")
    expect(page.locator(f'a[href="/room/{room}"]')).to_have_count(1)
    page.get_by_role("link", name="Go on with Gomoku").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    page.get_by_role("link", name="Replay and analysis").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Old Salt Bree beat you")


def test_a_spectator_sees_whose_ships_are_whose(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship?mode=watch")
    start(page)
    for player in ("first", "second"):
        expect(page.get_by_role("heading", name=f"Ships of the {player} player")).to_be_visible()
    charts = [box_of(page.locator(".seas.two > *").nth(i)) for i in (0, 1)]
    lists = [box_of(page.locator(".ship-status").nth(i)) for i in (0, 1)]
    assert [round(box["x"]) for box in lists] == [round(box["x"]) for box in charts]


def test_the_program_of_a_lesson_is_nobody_in_particular(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/learn/gomoku")
    expect(page.locator(".lesson-list li").first).to_contain_text("Four of your stones")
    page.get_by_role("button", name="Start Exactly five").click()
    expect(page.locator(".players")).to_contain_text("Computer")
    expect(page.locator(".players")).not_to_contain_text("random")


def test_two_at_one_screen_read_each_name_once(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation")
    choose(page, "Mode", "Same screen")
    start(page)
    expect(page.locator(".players").get_by_text("First war brig")).to_have_count(1)
