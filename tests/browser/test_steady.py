"""What a newcomer relies on: nothing jumps, keys reach everything, a guest can scan the way in."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import expect

from trireme.server.addresses import qr_rows

from .hands import (
    OVER,
    box_of,
    cell,
    cells_of,
    hide_fleet,
    lock_in,
    pick_agent,
    play_battleship,
    play_navigation,
    start,
    status,
)
from .site import Site
from .test_first_hour import WATCH_SHIFTS
from .test_lessons import open_lesson

Visit = Callable[..., Any]


def test_nothing_jumps_through_a_whole_battleship_game_with_the_heatmap(
    site: Site, visit: Visit
) -> None:
    page = visit(f"{site.url}/new/battleship")
    pick_agent(page, "random")
    page.get_by_label("Board").select_option("6")
    start(page)
    hide_fleet(page)
    expect(status(page)).to_have_text("Your turn")
    page.get_by_role("button", name="Heatmap").click()
    expect(page.locator(".chance").first).to_be_visible(timeout=90_000)
    page.evaluate(WATCH_SHIFTS)
    play_battleship(page, 6, 6)
    expect(status(page)).to_have_text(OVER)
    assert page.evaluate("window.shift") == 0


def test_nothing_jumps_through_a_whole_navigation_game_with_hints(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation")
    pick_agent(page, "greedy")
    start(page)
    expect(status(page)).to_have_text("Your turn")
    page.evaluate(WATCH_SHIFTS)
    for _ in range(2):
        suggest = page.get_by_role("button", name="Suggest a plan")
        expect(suggest).to_be_enabled()
        suggest.click()
        expect(suggest).to_be_enabled(timeout=90_000)
        lock_in(page)
        expect(status(page)).to_have_text(re.compile(f"Your turn|{OVER.pattern}"))
    play_navigation(page)
    expect(status(page)).to_have_text(OVER)
    assert page.evaluate("window.shift") == 0


def press(page: Any, name: str | re.Pattern[str]) -> None:
    """Press a button by keyboard."""
    button = page.get_by_role("button", name=name)
    expect(button).to_be_enabled()
    button.focus()
    page.keyboard.press("Enter")


def fire_by_keys(page: Any, name: str) -> None:
    """Move over the board by arrow keys, and fire."""
    page.locator('.cells [tabindex="0"]').first.focus()
    here = page.evaluate("document.activeElement.ariaLabel.split(' ')[0]")
    down, right = ord(name[0]) - ord(here[0]), int(name[1:]) - int(here[1:])
    for _ in range(abs(down)):
        page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    for _ in range(abs(right)):
        page.keyboard.press("ArrowRight" if right > 0 else "ArrowLeft")
    page.keyboard.press("Enter")
    expect(cell(page, name)).not_to_have_attribute("aria-label", name)


def sink_by_keys(page: Any) -> None:
    for name in cells_of(6, 6):
        if page.locator(".lesson.met").count():
            break
        fire_by_keys(page, name)
    expect(page.locator(".lesson.met")).to_be_visible()


def test_lessons_of_battleship_by_keyboard(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lesson(page, site, "battleship", "Placing a fleet")
    press(page, "Place the fleet here")
    expect(page.locator(".lesson.met")).to_be_visible()
    for title in ("Hunting", "Reading the heatmap"):
        press(page, f"Next: {title}")
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        sink_by_keys(page)


def test_the_code_for_a_phone_is_the_link_in_the_local_network(site: Site, visit: Visit) -> None:
    """The server answers as to a host that others can reach; the page draws its code to scan."""

    def as_from_the_network(route: Any) -> None:
        path = route.request.url.removeprefix(site.url)
        answer = httpx.get(site.url + path, headers={"Host": "192.168.1.7:8000"})
        route.fulfill(json=answer.json())

    page = visit(
        f"{site.url}/new/gomoku?mode=friend",
        lambda page: page.route("**/api/rooms/*/invite", as_from_the_network),
    )
    start(page)
    room = page.url.rpartition("/")[2]
    link = f"http://192.168.1.7:8000/room/{room}"
    expect(page.get_by_label("Link to this room")).to_have_value(link)
    expect(page.get_by_text("A phone in the same network can scan the code.")).to_be_visible()
    code = page.get_by_role("img", name="QR code of the link")
    expect(code).to_be_visible()
    rows = qr_rows(link)
    drawn = re.findall(r"M(\d+) (\d+)h1v1h-1z", code.locator("path").get_attribute("d"))
    dark = {(x, y) for y, row in enumerate(rows) for x, bit in enumerate(row) if bit == "1"}
    assert {(int(x), int(y)) for x, y in drawn} == dark
    size = len(rows) + 8
    assert code.get_attribute("viewBox") == f"-4 -4 {size} {size}", "a quiet zone of four modules"
    assert code.locator("rect").get_attribute("fill") == "#fff", "dark on white in every theme"
    assert box_of(code)["width"] >= 3 * size, "three pixels a module"


def test_the_sea_in_three_dimensions_fills_its_canvas(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/navigation")
    pick_agent(page, "random")
    start(page)
    page.get_by_role("button", name="3D").click()
    canvas = page.locator(".stage canvas")
    expect(canvas).to_be_visible()
    box, drawn = box_of(page.locator(".stage")), box_of(canvas)
    assert abs(box["width"] - drawn["width"]) < 4
    assert abs(box["height"] - drawn["height"]) < 4


def test_without_finished_games_the_replay_page_leads_to_play(site: Site, visit: Visit) -> None:
    page = visit(
        f"{site.url}/replay",
        lambda page: page.route("**/api/recent", lambda route: route.fulfill(json=[])),
    )
    page.get_by_role("link", name="Play a game").click()
    expect(page.get_by_role("button", name="Play Gomoku against the computer")).to_be_visible()
