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


def test_a_forced_win_by_keyboard(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_lesson(page, site, "gomoku", "A forced win")
    put_by_keys(page, "e4")
    expect(page.locator(".status h1")).to_have_text("Your turn")
    ends = [point for point in ("e3", "e8") if is_free(page, point)]
    assert ends, "an open four has two ends, and only one can be blocked"
    put_by_keys(page, ends[0])
    expect(page.locator(".lesson.met")).to_be_visible()


def is_free(page: Any, point: str) -> bool:
    return cell(page, point).get_attribute("aria-label") == point


def put_by_keys(page: Any, point: str) -> None:
    move_to(page, point)
    page.keyboard.press("Enter")
    expect(cell(page, point)).not_to_have_attribute("aria-label", point)


def move_to(page: Any, point: str) -> None:
    """Move the focus of the board to a point by arrow keys, from wherever it is."""
    page.locator('.cells [tabindex="0"]').focus()
    here = page.evaluate("document.activeElement.ariaLabel.split(' ')[0]")
    across = ord(point[0]) - ord(here[0])
    up = int(point[1:]) - int(here[1:])
    for _ in range(abs(across)):
        page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
    for _ in range(abs(up)):
        page.keyboard.press("ArrowUp" if up > 0 else "ArrowDown")


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


@pytest.mark.parametrize("title", PLANS)
def test_missions_of_navigation_by_keyboard(site: Site, visit: Visit, title: str) -> None:
    page = visit(site.url)
    open_lesson(page, site, "navigation", title)
    for plan in PLANS[title]:
        first = page.get_by_role("button", name=re.compile("^Phase 1, move"))
        expect(first).to_be_enabled()
        first.focus()
        for phase, move in enumerate(plan, start=1):
            page.keyboard.press(str(phase))
            page.keyboard.press(KEYS[move])
            button = page.get_by_role("button", name=re.compile(f"^Phase {phase}, move"))
            expect(button).to_have_text(MOVES[move])
        for chosen in ("1 shot", "2 shots", "grapple")[: SIDES.get(title, 0)]:
            page.keyboard.press("e")
            expect(page.get_by_role("button", name=f"Phase 4, starboard: {chosen}")).to_be_visible()
        page.keyboard.press("l")
        skip = page.locator(".showing").get_by_role("button", name="Skip")
        skip.focus()
        page.keyboard.press("Enter")
        expect(skip).to_have_count(0)
    expect_done(page)


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
