"""A built client, a real server and a real browser for the tests in this folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .site import Site, build_client

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")

sync_api.expect.set_options(timeout=60_000)

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--enable-unsafe-swiftshader",
)
DESK = {"width": 1280, "height": 860}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """One server for all tests that leave it running."""
    build_client()
    made = Site(tmp_path_factory.mktemp("site"))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def own_site(tmp_path: Path) -> Iterator[Site]:
    """A server of the test's own, to be killed."""
    build_client()
    made = Site(tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("needs Chromium")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Any]]:
    """Opens a page in a browser profile of its own; a script error anywhere fails the test."""
    contexts: list[Any] = []
    errors: list[str] = []

    def open_page(url: str, prepare: Callable[[Any], None] | None = None, **options: Any) -> Any:
        context = chromium.new_context(**{"viewport": DESK, **options})
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        if prepare is not None:
            prepare(page)
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
