"""The review of a game in a real browser: accuracy, moments, and trying again from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import expect

import trireme
from trireme.core.registry import make_game

from .hands import cell
from .site import Site

Visit = Callable[..., Any]


def record_of_game() -> str:
    """A game of Gomoku in which black misses a five at move 9, and white makes one."""
    game = make_game("gomoku", size=9)
    opening = ["e5", "b7", "f5", "c7", "g5", "d7", "h5", "e7", "b1", "f7"]
    return trireme.Session(game, ["human", "heuristic"], seed=1, opening=opening).record.text


def open_replay(page: Any, site: Site) -> None:
    page.goto(f"{site.url}/replay")
    page.get_by_label("Or paste its text").fill(record_of_game())
    page.get_by_role("button", name="Open the replay").click()


def test_a_replay_is_reviewed_and_a_moment_tried_again(site: Site, visit: Visit) -> None:
    page = visit(site.url)
    open_replay(page, site)
    page.get_by_role("button", name="Review").click()
    panel = page.get_by_role("region", name="Review")
    expect(panel.get_by_role("heading", name="Moments that mattered")).to_be_visible(
        timeout=120_000
    )
    expect(panel).to_contain_text("misses a forced win in 1 plies")
    expect(panel.locator(".curve").first).to_be_visible()
    panel.get_by_role("button", name="Move 9").first.click()
    expect(page.locator(".panel-side")).to_contain_text("Move 8")
    moment = panel.locator(".moments li").filter(has_text="Move 9")
    expect(moment).to_contain_text("costs 100.0 %")
    moment.get_by_role("button", name="Try again from here").click()
    page.wait_for_url("**/room/*")
    expect(page.locator(".status h1")).to_have_text("Your turn")
    cell(page, "i5").click()
    expect(page.locator(".status h1")).to_contain_text("won")
    page.get_by_role("link", name="Review", exact=True).click()
    again = page.get_by_role("region", name="Review")
    expect(again.get_by_role("heading", name="Moments that mattered")).to_be_visible(
        timeout=120_000
    )
