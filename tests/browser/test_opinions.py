"""Second opinions in the browser: a network's hints by name, and why it has none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from .hands import ask_for_heatmap, ask_for_hints, choose
from .site import Site

pytest.importorskip("onnxruntime", reason="networks need onnxruntime")

Visit = Callable[..., Any]
VOICE = "Analysis by"


def test_hints_come_from_the_network_where_it_is_chosen(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/gomoku")
    ask_for_hints(page)
    expect(page.get_by_text(re.compile(r"searched \d+ moves deep"))).to_be_visible(timeout=90_000)
    choose(page, VOICE, "dqn")
    expect(page.get_by_text(re.compile(r"searched \d+ moves deep"))).to_have_count(0)
    expect(page.locator(".hint").first).to_be_visible()
    expect(page.locator(".thought tbody tr")).to_have_count(5)
    choose(page, VOICE, "zero")
    expect(page.locator(".thought tbody tr")).to_have_count(5)
    choose(page, VOICE, "search")
    expect(page.get_by_text(re.compile(r"searched \d+ moves deep"))).to_be_visible()


def test_the_networks_picture_stands_beside_the_waters_by_name(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    ask_for_heatmap(page)
    choose(page, VOICE, "heatmap")
    expect(page.locator(".chance")).to_have_count(100)
    expect(page.locator(".note")).to_have_count(0)


def test_a_network_that_never_saw_such_a_board_says_so(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/new/battleship")
    ask_for_heatmap(page, board="6")
    choose(page, VOICE, "heatmap")
    expect(page.get_by_text("the heatmap network knows 10×10 boards")).to_be_visible()
    expect(page.locator(".chance")).to_have_count(0)
    choose(page, VOICE, "exact")
    expect(page.locator(".chance").first).to_be_visible()
