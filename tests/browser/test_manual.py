"""The manual in a browser: served by the server, found by search, fetched from nowhere else."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import TimeoutError, expect

from trireme.server.pages import MANUAL

from .site import Site
from .test_everywhere import AXE, FAULTS

Visit = Callable[..., Any]
PLACES = ("", "tutorials/first-bot/", "reference/api/", "reference/cli/", "glossary/", "gallery/")

pytestmark = pytest.mark.skipif(
    not (MANUAL / "index.html").is_file(), reason="the manual is not built: make docs"
)


def test_a_page_is_found_by_search_and_nothing_comes_from_other_hosts(
    site: Site, visit: Visit
) -> None:
    foreign: list[str] = []

    def watch(page: Any) -> None:
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((site.url, "data:", "blob:"))
                else foreign.append(request.url)
            ),
        )

    page = visit(f"{site.url}/manual", watch)
    expect(page.get_by_role("heading", name="Trireme", level=1)).to_be_visible()
    open_search(page)
    page.keyboard.type("SplitMix64")
    expect(page.get_by_text("1 result", exact=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/manual/glossary/"))
    assert foreign == []


def open_search(page: Any) -> None:
    """The button answers once the page's script has loaded: it is pressed until it does."""
    field = page.get_by_role("combobox", name="Search")
    for _ in range(30):
        if not field.is_visible():
            page.get_by_role("button", name="Search").first.click()
        with suppress(TimeoutError):
            field.wait_for(timeout=2000)
            break
    expect(field).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_manual_is_readable_for_everybody(site: Site, visit: Visit, scheme: str) -> None:
    page = visit(f"{site.url}/manual/", color_scheme=scheme, reduced_motion="reduce")
    faults = {}
    for place in PLACES:
        page.goto(f"{site.url}/manual/{place}")
        page.evaluate(AXE.read_text(encoding="utf-8"))  # a script tag is against the policy
        if found := page.evaluate(FAULTS):
            faults[place] = found
    assert faults == {}


def test_the_manual_fits_on_a_phone(site: Site, visit: Visit) -> None:
    page = visit(f"{site.url}/manual/", viewport={"width": 360, "height": 780})
    for place in PLACES:
        page.goto(f"{site.url}/manual/{place}")
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 360, f"{place} is {wide} pixels wide"
