"""Games of installed packages on the generic page: with a board, and with nothing but text."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from .hands import OVER, choose, open_lobby, start, status
from .site import ROOT, Site, build_client
from .test_everywhere import AXE, FAULTS, PHONE, reach

Visit = Callable[..., Any]


def _packages() -> Any:
    """The module next door: folders of tests are no packages of one another."""
    spec = importlib.util.spec_from_file_location(
        "plugin_packages", ROOT / "tests" / "plugins" / "packages.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def plugin_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server where Connect Four and a game without a board are installed."""
    build_client()
    packages = _packages()
    folder: Path = tmp_path_factory.mktemp("plugins")
    heap = folder / "heap"
    heap.mkdir()
    packages.write_heap(heap)
    environment = packages.environment(packages.install_connect_four(folder), heap)
    made = Site(tmp_path_factory.mktemp("plugin_site"), environment)
    made.start()
    yield made
    made.stop()


def disc(page: Any, name: str) -> Any:
    return page.get_by_role("gridcell", name=name, exact=True)


def play_connect_four(page: Any, drop: Callable[[str], None]) -> None:
    """Drop discs from the left until the game is over; the program plays at random."""
    for column in "abcdefg" * 6:
        expect(status(page)).to_have_text(re.compile(f"Your turn|{OVER.pattern}"))
        if OVER.search(status(page).inner_text()):
            return
        if disc(page, f"{column}6 empty").count():
            before = page.locator(".chart .piece").count()
            drop(column)
            expect(page.locator(".chart .piece")).not_to_have_count(before)


def test_connect_four_by_mouse_and_its_replay(plugin_site: Site, visit: Visit) -> None:
    page = visit(plugin_site.url)
    open_lobby(page, "Connect Four")
    expect(page.get_by_text("Four in a row, discs fall: the classic of 1974.")).to_be_visible()
    page.get_by_label("Opponent").select_option("random")
    start(page)
    disc(page, "d3 empty").click()
    expect(disc(page, "d1 red")).to_be_visible()
    expect(page.locator(".chart .piece")).to_have_count(2)
    play_connect_four(page, lambda column: disc(page, f"{column}6 empty").click())
    expect(status(page)).to_have_text(OVER)
    discs = page.locator(".chart .piece").count()
    page.get_by_role("link", name="Replay and analysis").click()
    expect(page.locator(".chart .piece")).to_have_count(discs)
    page.get_by_role("button", name="To the start").click()
    expect(page.locator(".chart .piece")).to_have_count(0)
    page.get_by_role("button", name="Step forward").click()
    expect(page.get_by_role("img", name="Board: d1 red")).to_be_visible()


def test_connect_four_by_keyboard_alone(plugin_site: Site, visit: Visit) -> None:
    page = visit(plugin_site.url)
    expect(page.get_by_role("heading", name="Connect Four")).to_be_visible()
    reach(page, ".game-card:nth-child(4) .button.primary")
    page.keyboard.press("Enter")
    expect(status(page)).to_have_text("Your turn")
    reach(page, "[role=gridcell]")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(disc(page, "c1 red")).to_be_visible()
    expect(status(page)).to_have_text("Your turn")
    reach(page, ".move input")
    page.keyboard.type("c")
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text(re.compile("Red: c.*Red: c"))


def test_settings_of_any_game_have_a_form(plugin_site: Site, visit: Visit) -> None:
    page = visit(f"{plugin_site.url}/new/connect_four")
    page.get_by_label("Variant").select_option("small")
    expect(page.get_by_label("cols")).to_have_value("5")
    page.get_by_label("connect", exact=False).last.fill("9")
    page.keyboard.press("Tab")
    expect(page.get_by_role("status")).to_contain_text("nobody can connect 9")
    expect(page.get_by_role("button", name="Start the game")).to_be_disabled()
    page.get_by_label("Variant").select_option("small")
    choose(page, "Mode", "Same screen")
    start(page)
    expect(status(page)).to_have_text("Red to move")
    expect(page.get_by_role("gridcell")).to_have_count(20)
    page.get_by_role("button", name="Hints").click()
    expect(page.locator(".cell-hint")).to_have_count(4)


def test_a_game_without_a_board_is_played_by_buttons_and_words(
    plugin_site: Site, visit: Visit
) -> None:
    page = visit(f"{plugin_site.url}/new/heap")
    page.get_by_label("Opponent").select_option("random")
    start(page)
    position = page.get_by_role("region", name="Position")
    expect(position).to_have_text("9 left: *********")
    page.get_by_label("Type a move").fill("7")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".trouble")).to_contain_text("expected 1, 2 or 3, not '7'")
    while not OVER.search(status(page).inner_text()):
        before = position.inner_text()
        page.get_by_role("list", name="Legal moves").get_by_role("button").first.click()
        expect(position).not_to_have_text(before)
        expect(status(page)).to_have_text(re.compile(f"Your turn|{OVER.pattern}"))
    page.get_by_role("link", name="Replay and analysis").click()
    page.get_by_role("button", name="To the start").click()
    expect(position).to_have_text("9 left: *********")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_generic_page_is_accessible_and_fits_a_phone(
    plugin_site: Site, visit: Visit, scheme: str
) -> None:
    phone = {**PHONE, "has_touch": False, "viewport": {"width": 360, "height": 780}}
    page = visit(plugin_site.url, color_scheme=scheme, reduced_motion="reduce", **phone)
    for game in ("connect_four", "heap"):
        page.goto(f"{plugin_site.url}/new/{game}")
        expect(page.get_by_role("button", name="Start the game")).to_be_enabled()
        for _ in ("lobby", "room"):
            page.evaluate(AXE.read_text(encoding="utf-8"))  # a script tag is against the policy
            assert page.evaluate(FAULTS) == [], game
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, game
            if "/new/" in page.url:
                start(page)
                expect(status(page)).to_have_text("Your turn")
