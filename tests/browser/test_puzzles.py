"""Puzzles in a real browser: one of each game, by mouse, on a phone, and by keyboard alone."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

from trireme.core.puzzles import Puzzle, puzzles_of
from trireme.gomoku.proof_checker import ProofChecker

from .hands import cell, stones
from .site import Site

Visit = Callable[..., Any]
KEYS = {"-": "s", "F": "w", "L": "a", "R": "d"}
MOVES = {"-": "hold", "F": "forward", "L": "turn left", "R": "turn right"}


def daily(page: Any, site: Site, game: str) -> Puzzle:
    listed = page.request.get(f"{site.url}/api/puzzles/{game}").json()
    return puzzles_of(game)[listed["daily"]]


def expect_solved(page: Any) -> None:
    expect(page.locator(".puzzle.met")).to_be_visible()
    page.get_by_role("button", name="Share the result").click()
    expect(page.locator(".toast")).to_have_text(re.compile("Result copied|Trireme ·"))


def test_the_puzzle_of_the_day_of_gomoku(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Puzzles").click()
    puzzle = daily(page, site, "gomoku")
    page.get_by_role("button", name="Today's puzzle of Gomoku").click()
    page.wait_for_url("**/room/*")
    expect(page.get_by_role("heading", name=puzzle.title)).to_be_visible()
    expect(page.get_by_role("button", name="Hints")).to_be_disabled()
    for point in puzzle.solution[::2]:
        expect(page.locator(".status h1")).to_have_text("Your turn")
        cell(page, point).click()
        expect(cell(page, point)).not_to_have_attribute("aria-label", point)
    expect(page.locator(".status h1")).to_have_text("Your turn")
    colours = {"black": 1, "white": -1}
    board = {(row, col): colours[colour] for (col, row), colour in stones(page).items()}
    row, col = ProofChecker().fives(board, 1)[0]
    cell(page, f"{chr(97 + col)}{row + 1}").click()
    expect_solved(page)
    page.goto(f"{site.url}/puzzles")
    expect(page.get_by_text("1 of 1 solved")).to_be_visible()
    expect(page.get_by_role("button", name="Today's puzzle again of Gomoku")).to_be_visible()


def test_an_endgame_of_battleship_on_a_phone(site: Site, visit: Visit) -> None:
    page = visit(
        f"{site.url}/puzzles/battleship", viewport={"width": 390, "height": 780}, has_touch=True
    )
    puzzle = daily(page, site, "battleship")
    page.get_by_role("button", name="Today's puzzle of Battleship").tap()
    page.wait_for_url("**/room/*")
    for name in puzzle.solution:
        expect(cell(page, name)).to_have_attribute("aria-label", name)
        cell(page, name).tap()
        expect(cell(page, name)).not_to_have_attribute("aria-label", name)
    expect_solved(page)
    expect(page.locator(".puzzle.met")).to_contain_text("nothing was lost")
    wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert not wide
    page.get_by_role("button", name="Next puzzle").tap()
    expect(page.locator(".puzzle.open")).to_be_visible()


def test_a_safe_plan_of_navigation_by_keyboard(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/puzzles/navigation")
    while not page.get_by_role("button", name=re.compile("Safe from everything")).count():
        page.get_by_role("button", name="Harder").click()
    page.get_by_role("button", name=re.compile("Safe from everything")).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/room/*")
    lock_in(page, "--------")
    expect(page.locator(".puzzle.missed")).to_contain_text("hits.")
    page.get_by_role("button", name="Show a solution").click()
    solution = page.locator(".puzzle code").inner_text()
    before = page.url
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".puzzle.open")).to_be_visible()
    assert page.url != before
    lock_in(page, solution)
    expect_solved(page)
    page.goto(f"{site.url}/puzzles/navigation")
    expect(page.get_by_text("0 of 1 solved")).to_be_visible()  # only the first attempt counts


def lock_in(page: Any, plan: str) -> None:
    """Type the moves of a plan, lock them in, and skip what they led to."""
    first = page.get_by_role("button", name=re.compile("^Phase 1, move"))
    expect(first).to_be_enabled()
    first.focus()
    for phase, move in enumerate(plan[::2], start=1):
        page.keyboard.press(str(phase))
        page.keyboard.press(KEYS[move])
        button = page.get_by_role("button", name=re.compile(f"^Phase {phase}, move"))
        expect(button).to_have_text(MOVES[move])
    page.keyboard.press("l")
    page.locator(".showing").get_by_role("button", name="Skip").click()
    expect(page.locator(".showing")).to_have_count(0)
