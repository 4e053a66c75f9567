"""What a newcomer meets: rules, opponents by name, clocks, invitations, games to go on with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from trireme.core.opponents import opponents_of

from .hands import (
    OVER,
    box_of,
    cell,
    choose,
    hide_fleet,
    lock_in,
    pick_agent,
    place,
    play_gomoku,
    start,
    status,
)
from .site import Site

Visit = Callable[..., Any]
LANDSCAPE = {"width": 740, "height": 360}
PHONE = {"width": 360, "height": 640}


@pytest.mark.parametrize(
    ("game", "title", "word"),
    [
        ("gomoku", "Gomoku", "Six in a line: nothing is won."),
        ("battleship", "Battleship", "Ships never touch"),
        ("navigation", "Battle Navigation", "It wins the game at once"),
    ],
)
def test_one_key_opens_the_rules_in_the_lobby(
    site: Site, visit: Visit, game: str, title: str, word: str
) -> None:
    page = visit(f"{site.url}/new/{game}")
    expect(page.get_by_role("button", name="Rules")).to_be_visible()
    page.keyboard.press("?")
    sheet = page.get_by_role("dialog", name="Rules")
    expect(sheet.get_by_role("heading", name=title)).to_be_visible()
    expect(sheet.get_by_text(word)).to_be_visible()
    assert sheet.locator("figure svg").count() > 0, "the rules are drawn"
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()


def test_the_rules_in_a_room_are_those_of_the_room(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    page.get_by_label("Board").select_option("9")
    page.get_by_role("combobox", name="Rule").select_option("freestyle")
    start(page)
    page.get_by_role("button", name="Rules").click()
    sheet = page.get_by_role("dialog", name="Rules")
    expect(sheet).to_contain_text("9 by 9 lines")
    expect(sheet).to_contain_text("Five or more stones")
    sheet.get_by_role("button", name="Close the rules").click()
    expect(sheet).to_be_hidden()


def test_beginners_meet_the_second_opponent_and_go_up_after_a_win(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    cards = page.get_by_role("radiogroup", name="Opponent").get_by_role("radio")
    expect(cards).to_have_count(6)
    expect(cards.nth(1)).to_be_checked()
    cards.nth(0).check(force=True)
    page.get_by_label("Board").select_option("9")
    start(page)
    play_gomoku(page, 9)
    expect(status(page)).to_have_text(OVER)
    won = status(page).inner_text() == "You won"
    if won:
        page.get_by_role("button", name=re.compile("^Next: ")).click()
        page.wait_for_url(re.compile("/room/"))
        expect(page.locator(".players")).to_contain_text("Old Salt Bree")
    else:
        expect(page.get_by_role("button", name=re.compile("^Again: Deckhand Tam"))).to_be_visible()
    page.goto(f"{site.url}/new/gomoku")
    expect(page.locator(".opponent").first).to_contain_text(
        "1 won · 0 lost" if won else "0 won · 1 lost"
    )


def test_who_clicks_before_the_games_are_listed_meets_the_same_opponent(
    site: Site, visit: Visit
) -> None:
    page = visit("about:blank")
    held: list[Any] = []
    page.route("**/api/games", lambda route: held.append(route))
    page.goto(site.url)
    play = page.get_by_role("button", name="Play Gomoku against the computer")
    play.click()
    expect(play).to_be_disabled()
    held[0].continue_()
    page.wait_for_url("**/room/*")
    expect(page.locator(".players")).to_contain_text("Old Salt Bree")


def test_the_home_page_says_which_opponents_are_being_compiled(site: Site, visit: Visit) -> None:
    page = visit("about:blank")
    beginner = opponents_of("gomoku")[1].spec
    waiting = [
        {"game": "gomoku", "compiled": 30, "expected": 120, "agents": [beginner, "search"]},
        {"game": "navigation", "compiled": 9, "expected": 90, "agents": ["nash"]},
    ]
    page.route("**/api/preparation", lambda route: route.fulfill(json=waiting))
    page.goto(site.url)
    cards = page.locator(".game-card")
    expect(cards.nth(1)).to_contain_text("Old Salt Bree gets ready, once:")
    bar = cards.nth(1).get_by_role("progressbar", name="Compiling Gomoku")
    assert (bar.get_attribute("value"), bar.get_attribute("max")) == ("30", "120")
    expect(cards.nth(2)).to_contain_text("Opponent: Skipper Dunn. Stronger ones get ready, once:")
    expect(cards.nth(0).get_by_role("progressbar")).to_have_count(0)
    waiting.clear()
    expect(cards.nth(1)).to_contain_text("Opponent: Old Salt Bree")
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_the_lobby_seats_the_agent_that_it_shows(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    cards = page.get_by_role("radiogroup", name="Opponent").get_by_role("radio")
    fold = page.get_by_text("Other agents, with their options")
    fold.click()
    expect(page.locator("details .agent-picker select").first).to_have_value("search")
    expect(cards.nth(1)).not_to_be_checked()
    fold.click()
    expect(cards.nth(1)).to_be_checked()
    fold.click()
    start(page)
    expect(page.locator(".players")).to_contain_text("search")


def test_the_page_of_lessons_leads_on_and_the_home_page_back(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Learn").click()
    page.get_by_role("button", name="Exactly five in Gomoku").click()
    expect(page.locator(".lesson")).to_contain_text("Lesson 1 of")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".lesson")).to_contain_text("Lesson 2 of")
    page.goto(site.url)
    own = page.locator(".own-games li")
    expect(own).to_have_count(1)
    expect(own).to_contain_text("lesson: ")


def test_an_unfinished_game_is_on_the_home_page(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    pick_agent(page, "random")
    start(page)
    place(page, "h8")
    room = page.url
    page.goto(site.url)
    own = page.locator(".own-games")
    expect(own).to_contain_text("against random")
    own.get_by_role("link", name="Go on with Gomoku").click()
    page.wait_for_url(room)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    expect(status(page)).to_have_text(OVER)
    page.goto(site.url)
    expect(page.get_by_role("heading", name="Recent games")).to_be_visible()
    expect(own).to_have_count(0)


def test_at_one_screen_the_answer_to_a_shot_is_seen_before_the_curtain(
    site: Site, visit: Visit
) -> None:
    page = visit(f"{site.url}/new/battleship")
    choose(page, "Mode", "Same screen")
    page.get_by_label("Board").select_option("6")
    start(page)
    hide_fleet(page)
    page.get_by_role("button", name="I am the second player").click()
    hide_fleet(page)
    page.get_by_role("button", name="I am the first player").click()
    cell(page, "A1").click()
    expect(cell(page, "A1")).not_to_have_attribute("aria-label", "A1")
    expect(page.locator(".curtain")).to_have_count(0)
    page.get_by_role("button", name="Hand over to the second player").click()
    expect(page.locator(".curtain")).to_be_visible()
    page.get_by_role("button", name="I am the second player").click()
    expect(cell(page, "A1")).to_have_attribute("aria-label", "A1")


def test_at_one_screen_undo_takes_back_one_stone(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    choose(page, "Mode", "Same screen")
    start(page)
    place(page, "h8")
    place(page, "h9")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".chart .stone:not(.ghost)")).to_have_count(1)


def test_a_clock_for_the_whole_game_is_shown_for_both(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    choose(page, "Mode", "Same screen")
    choose(page, "Clock", "3 min + 2 s")
    start(page)
    clocks = page.locator(".seat-clock")
    expect(clocks).to_have_count(2)
    expect(clocks.nth(1)).to_have_text("3:00")
    place(page, "h8")
    expect(clocks.nth(0)).to_have_text(re.compile(r"3:0\d|2:5\d"))


def test_the_clock_waits_for_the_playback(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation")
    pick_agent(page, "random")
    start(page)
    page.get_by_role("button", name="Lock in").click()
    skip = page.get_by_role("button", name="Skip")
    expect(skip).to_be_visible()
    clock = page.get_by_role("timer")
    expect(clock).to_have_attribute("aria-label", "30 seconds left")
    skip.click()
    expect(clock).to_have_attribute("aria-label", re.compile("2[0-9] seconds left"))


def test_a_key_locks_in_and_the_planner_keeps_the_focus(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation")
    pick_agent(page, "random")
    start(page)
    page.get_by_role("button", name="Phase 1, move: hold").focus()
    page.keyboard.press("w")
    page.keyboard.press("l")
    skip = page.get_by_role("button", name="Skip")
    skip.focus()
    page.keyboard.press("Enter")
    card = page.get_by_role("button", name="Phase 1, move: hold")
    expect(card).to_be_focused()


def test_a_guest_sees_settings_and_rules_and_gives_a_name(site: Site, visit: Visit) -> None:
    host = visit(f"{site.url}/new/gomoku?mode=friend")
    host.get_by_label("Board").select_option("9")
    start(host)
    expect(host.get_by_label("Link to this room")).to_be_visible()
    expect(host.get_by_text("Only this computer can open the link now.")).to_be_visible()
    guest = visit(host.url)
    guest.get_by_label("Your name").fill("Ada")
    expect(guest.locator("dl.facts")).to_contain_text("Size9")
    expect(guest.get_by_role("button", name="Rules")).to_be_visible()
    guest.get_by_role("button", name=re.compile("^Join as")).click()
    expect(host.locator(".players")).to_contain_text("Ada")


def test_an_unsaved_map_comes_back(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/maps")
    cell(page, "c3").click()
    expect(page.locator(".rock")).not_to_have_count(0)
    rocks = page.locator(".rock").count()
    page.goto(site.url)
    page.goto(f"{site.url}/maps")
    expect(page.get_by_text("Your unsaved map is back.")).to_be_visible()
    expect(page.locator(".rock")).to_have_count(rocks)


def test_back_from_a_replay_to_the_maps_asks_for_no_room(site: Site, visit: Visit) -> None:
    asked: list[str] = []
    page = visit(f"{site.url}/maps", lambda p: p.on("request", lambda r: asked.append(r.url)))
    expect(page.get_by_role("heading", name="Map editor")).to_be_visible()
    page.get_by_role("link", name="Replay", exact=True).click()
    expect(page.get_by_role("heading", name="Replay a game")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Map editor")).to_be_visible()
    assert not [url for url in asked if "undefined" in url]


def test_in_the_middle_of_a_turn_the_analysis_says_where_it_is(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation")
    pick_agent(page, "random")
    start(page)
    lock_in(page)
    expect(status(page)).to_have_text("Your turn")
    room = page.url.rpartition("/")[2]
    page.goto(f"{site.url}/replay/{room}?turn=1&phase=2")
    page.get_by_role("button", name="Analysis").click()
    expect(page.get_by_text("Plans are made between turns")).to_be_visible()


def test_a_phone_held_sideways_has_the_board_beside_its_panel(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku", viewport=LANDSCAPE)
    pick_agent(page, "random")
    start(page)
    board, panel = (box_of(page.locator(part)) for part in (".board-side", ".panel-side"))
    assert board["x"] + board["width"] <= panel["x"]
    assert abs(board["y"] - panel["y"]) < 30
    assert board["height"] <= LANDSCAPE["height"]


def test_the_whole_sea_and_no_range_beyond_it_is_in_sight(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation", viewport={"width": 1280, "height": 860})
    pick_agent(page, "random")
    start(page)
    chart = box_of(page.locator(".zoom-box"))
    assert chart["y"] + chart["height"] <= 860
    clip = page.locator("g:has(> .range)").get_attribute("clip-path")
    assert clip is not None
    clipped = page.locator(f"{clip.removeprefix('url(').removesuffix(')')} rect")
    assert [clipped.get_attribute(side) for side in ("width", "height")] == ["24", "24"]


def test_lock_in_stays_in_sight_on_a_small_phone(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation", viewport=PHONE)
    pick_agent(page, "random")
    start(page)
    page.get_by_role("button", name="Phase 1, move: hold").scroll_into_view_if_needed()
    box = box_of(page.get_by_role("button", name="Lock in"))
    assert 0 <= box["y"] <= PHONE["height"] - box["height"]


WATCH_SHIFTS = """() => {
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
  }).observe({ type: "layout-shift", buffered: false });
}"""


def test_nothing_jumps_through_a_whole_game_with_hints(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    pick_agent(page, "random")
    page.get_by_label("Board").select_option("9")
    start(page)
    page.get_by_role("button", name="Hints").click()
    expect(page.locator(".hint").first).to_be_visible()
    page.evaluate(WATCH_SHIFTS)
    play_gomoku(page, 9)
    expect(status(page)).to_have_text(OVER)
    assert page.evaluate("window.shift") == 0


def test_the_board_keeps_its_size_when_the_heatmap_opens(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    choose(page, "Mode", "Alone")
    start(page)
    board = page.locator(".seas .chart").first
    before = box_of(board)
    page.get_by_role("button", name="Heatmap").click()
    expect(page.locator(".chance").first).to_be_visible(timeout=90_000)
    assert box_of(board) == before
