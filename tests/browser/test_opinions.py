"""Second opinions in the browser: a network's hints by name, and why it has none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from .hands import choose, place, start, status
from .site import Site

pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

Visit = Callable[..., Any]
VOICE = "As seen by"


def test_hints_come_from_the_network_where_it_is_chosen(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    page.get_by_label("Opponent").select_option("random")
    start(page)
    place(page, "h8")
    expect(status(page)).to_have_text("Your turn")
    page.get_by_role("button", name="Hints").click()
    expect(page.get_by_text(re.compile("moves ahead"))).to_be_visible(timeout=90_000)
    choose(page, VOICE, "dqn")
    expect(page.get_by_text(re.compile("moves ahead"))).to_have_count(0)
    expect(page.locator(".hint").first).to_be_visible()
    expect(page.locator(".thought tbody tr")).to_have_count(5)
    choose(page, VOICE, "search")
    expect(page.get_by_text(re.compile("moves ahead"))).to_be_visible()


def test_the_networks_picture_stands_beside_the_waters_by_name(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    page.get_by_role("radio", name="Alone").click()
    start(page)
    page.get_by_role("button", name="Heatmap").click()
    expect(page.locator(".chance").first).to_be_visible(timeout=90_000)
    choose(page, VOICE, "heatmap")
    expect(page.locator(".chance")).to_have_count(100)
    expect(page.locator(".note")).to_have_count(0)


def test_a_network_that_never_saw_such_a_board_says_so(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    page.get_by_role("radio", name="Alone").click()
    page.get_by_label("Board").select_option("6")
    start(page)
    page.get_by_role("button", name="Heatmap").click()
    expect(page.locator(".chance").first).to_be_visible(timeout=90_000)
    choose(page, VOICE, "heatmap")
    expect(page.get_by_text("the heatmap network knows 10×10 boards")).to_be_visible()
    expect(page.locator(".chance")).to_have_count(0)
    choose(page, VOICE, "exact")
    expect(page.locator(".chance").first).to_be_visible()
