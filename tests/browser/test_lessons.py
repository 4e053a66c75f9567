"""Every lesson, played through in a real browser: by mouse, and by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from .hands import cell, cells_of, hide_fleet
from .site import Site

Visit = Callable[..., Any]

STONES = {"Exactly five": "a5", "Blocking": "g4", "An open three": "f5", "A double threat": "e5"}
PLANS = {
    "Sail a course": ["FFRF", "F..."],
    "Use a wind": ["FFF."],
    "Broadside": ["FFFF"],
    "A whirlpool": ["FFF."],
    "Grapple": ["RLFF"],
}
SIDES = {"Broadside": 1, "Grapple": 3}
"""How often the starboard side of the last phase is chosen: one shot, two shots, grapple."""
CLICKS = {".": 0, "F": 1, "L": 2, "R": 3}
KEYS = {".": "s", "F": "w", "L": "a", "R": "d"}
MOVES = {".": "hold", "F": "forward", "L": "turn left", "R": "turn right"}


def open_lesson(page: Any, site: Site, game: str, title: str) -> None:
    page.goto(f"{site.url}/learn/{game}")
    page.get_by_role("button", name=f"Start {title}").click()
    page.wait_for_url("**/room/*")
    expect(page.get_by_role("heading", name=title)).to_be_visible()


def expect_done(page: Any) -> None:
    skip = page.get_by_role("button", name="Skip", exact=True)
    if page.locator(".showing").count():
        page.locator(".showing").get_by_role("button", name="Skip").click()
    expect(page.locator(".lesson.met")).to_be_visible()
    expect(skip).to_have_count(0)


@pytest.mark.parametrize("title", STONES)
def test_lessons_of_gomoku_by_mouse(site: Site, visit: Visit, title: str) -> None:
    page = visit(site.url)
    open_lesson(page, site, "gomoku", title)
    cell(page, STONES[title]).click()
    expect_done(page)


def is_free(page: Any, point: str) -> bool:
    return cell(page, point).get_attribute("aria-label") == point


@pytest.mark.parametrize("title", PLANS)
def test_missions_of_navigation_by_mouse(site: Site, visit: Visit, title: str) -> None:
    page = visit(site.url)
    open_lesson(page, site, "navigation", title)
    for plan in PLANS[title]:
        for phase, move in enumerate(plan, start=1):
            for _ in range(CLICKS[move]):
                page.get_by_role("button", name=re.compile(f"^Phase {phase}, move")).click()
        for _ in range(SIDES.get(title, 0)):
            page.get_by_role("button", name=re.compile("^Phase 4, starboard")).click()
        page.get_by_role("button", name="Lock in").click()
        page.locator(".showing").get_by_role("button", name="Skip").click()
    expect_done(page)


def test_lessons_of_gomoku_by_keys_alone(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/learn/gomoku")
    press(page, "Start Exactly five")
    for title, point in STONES.items():
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        use_by_keys(page, point)
        expect_done(page)
        press(page, re.compile("^Next: "))
    expect(page.get_by_role("heading", name="A forced win")).to_be_visible()
    use_by_keys(page, "e4")
    expect(page.locator(".status h1")).to_have_text("Your turn")
    ends = [point for point in ("e3", "e8") if is_free(page, point)]
    assert ends, "an open four has two ends, and only one can be blocked"
    use_by_keys(page, ends[0])
    expect_done(page)


def test_missions_of_navigation_by_keys_alone(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/learn/navigation")
    press(page, "Start Sail a course")
    for title, plans in PLANS.items():
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        for plan in plans:
            carry_out_by_keys(page, plan, SIDES.get(title, 0))
        expect_done(page)
        if title != "Grapple":
            press(page, re.compile("^Next: "))


def test_lessons_of_battleship_by_keys_alone(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/learn/battleship")
    press(page, "Start Placing a fleet")
    expect(page.get_by_role("button", name="Place the fleet here")).to_be_enabled()
    press(page, "Place the fleet here")
    expect_done(page)
    for title in ("Hunting", "Reading the heatmap"):
        press(page, f"Next: {title}")
        expect(page.get_by_role("heading", name=title)).to_be_visible()
        if title == "Reading the heatmap":
            press(page, "Heatmap")
            expect(page.locator(".chance").first).to_be_visible()
        for name in cells_of(6, 6):
            if page.locator(".lesson.met").count():
                break
            use_by_keys(page, name)
        expect_done(page)


def press(page: Any, name: str | re.Pattern[str]) -> None:
    """Go to a button by the tab key, and press it by Enter."""
    button = page.get_by_role("button", name=name)
    expect(button).to_be_visible()
    tab_to(page, button)
    page.keyboard.press("Enter")


def tab_to(page: Any, target: Any) -> None:
    """Press the tab key until an element has the focus."""
    for _ in range(60):
        if target.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the tab key does not lead there")


def use_by_keys(page: Any, name: str) -> None:
    """Go to a cell of the board by tab and arrow keys, and put a stone or fire there by Enter."""
    expect(page.locator(".status h1")).to_have_text("Your turn")
    tab_to(page, page.locator('.cells [tabindex="0"]').first)
    here = page.evaluate("document.activeElement.ariaLabel.split(' ')[0]")
    down, right = offset(here, name)
    for _ in range(abs(right)):
        page.keyboard.press("ArrowRight" if right > 0 else "ArrowLeft")
    for _ in range(abs(down)):
        page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    page.keyboard.press("Enter")
    expect(cell(page, name)).not_to_have_attribute("aria-label", name)


def offset(here: str, there: str) -> tuple[int, int]:
    """How far (down, right) one cell lies from another, as either game names its cells."""
    letters = ord(there[0]) - ord(here[0])
    numbers = int(there[1:]) - int(here[1:])
    return (letters, numbers) if there[0].isupper() else (-numbers, letters)


def carry_out_by_keys(page: Any, plan: str, sides: int) -> None:
    """Plan a turn by its keys, lock it in and watch it."""
    first = page.get_by_role("button", name=re.compile("^Phase 1, move"))
    expect(first).to_be_enabled()
    tab_to(page, first)
    for phase, move in enumerate(plan, start=1):
        page.keyboard.press(str(phase))
        page.keyboard.press(KEYS[move])
        button = page.get_by_role("button", name=re.compile(f"^Phase {phase}, move"))
        expect(button).to_have_text(MOVES[move])
    for chosen in ("1 shot", "2 shots", "grapple")[:sides]:
        page.keyboard.press("e")
        expect(page.get_by_role("button", name=f"Phase 4, starboard: {chosen}")).to_be_visible()
    page.keyboard.press("l")
    expect(page.locator(".showing")).to_be_visible()
    expect(page.locator(".showing")).to_have_count(0)


def test_keys_faster_than_the_page_lock_in_what_was_typed(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lesson(page, site, "navigation", "Use a wind")
    first = page.get_by_role("button", name=re.compile("^Phase 1, move"))
    expect(first).to_be_enabled()
    first.focus()
    page.evaluate(
        """keys => { for (const key of keys) document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })) }""",
        ["w", "2", "w", "3", "w", "l"],
    )
    expect_done(page)


def test_lessons_of_battleship_on_a_phone(site: Site, visit: Visit) -> None:
    page = visit(site.url, viewport={"width": 390, "height": 780}, has_touch=True)
    open_lesson(page, site, "battleship", "Placing a fleet")
    hide_fleet(page)
    expect_done(page)
    page.get_by_role("button", name="Next: Hunting").click()
    expect(page.get_by_role("heading", name="Hunting")).to_be_visible()
    sink(page)
    page.get_by_role("button", name="Next: Reading the heatmap").click()
    expect(page.get_by_role("heading", name="Reading the heatmap")).to_be_visible()
    sink(page)
    page.goto(f"{site.url}/learn/battleship")
    expect(page.get_by_role("button", name=re.compile("^Again"))).to_have_count(3)


def sink(page: Any) -> None:
    """Fire until the lesson is done."""
    for name in cells_of(6, 6):
        if page.locator(".lesson.met").count():
            return
        cell(page, name).tap()
        expect(cell(page, name)).not_to_have_attribute("aria-label", name)
    expect(page.locator(".lesson.met")).to_be_visible()


def test_a_missed_goal_can_be_tried_again_and_a_lesson_can_be_skipped(
    site: Site, visit: Visit
) -> None:
    page = visit(site.url)
    open_lesson(page, site, "gomoku", "Blocking")
    cell(page, "a1").click()
    expect(page.locator(".lesson.missed")).to_be_visible()
    first = page.url
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".lesson.open")).to_be_visible()
    assert page.url != first
    page.get_by_role("button", name="Skip").click()
    expect(page.get_by_role("heading", name="An open three")).to_be_visible()


def test_a_lesson_can_be_left_and_gone_on_with(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lesson(page, site, "navigation", "Sail a course")
    room = page.url
    page.goto(site.url)
    page.get_by_role("link", name="Go on with Battle Navigation").click()
    page.wait_for_url(room)
    expect(page.get_by_role("heading", name="Sail a course")).to_be_visible()
