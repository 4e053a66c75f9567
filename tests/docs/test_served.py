"""The manual at /manual: pages, caching, and nothing outside its folder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from trireme.server.middleware import HeadAsGet, SecurityHeaders
from trireme.server.pages import IMMUTABLE, mount_pages
from trireme.server.protocol.codes import STATUS, Refusal

SECRET = "not part of the manual"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text(SECRET)
    site = tmp_path / "manual"
    (site / "reference" / "cli").mkdir(parents=True)
    (site / "index.html").write_text("<h1>Home</h1>")
    (site / "reference" / "cli" / "index.html").write_text("<h1>Commands</h1>")
    (site / "main.4ab2de0c.min.css").write_text("body {}")
    (site / "search.json").write_text("{}")
    (site / "link.txt").symlink_to(tmp_path / "secret.txt")
    return site


Ask = Callable[..., httpx.Response]


def client(manual: Path) -> Ask:
    """`ask(path, method="GET")` of an application that serves this manual and no client."""
    app = FastAPI()
    app.add_middleware(HeadAsGet)
    app.add_middleware(SecurityHeaders)
    mount_pages(app, manual.parent / "static", manual)

    @app.exception_handler(Refusal)
    async def refused(request: Request, error: Refusal) -> JSONResponse:
        return JSONResponse({"code": error.code}, status_code=STATUS[error.code])

    def ask(path: str, method: str = "GET") -> httpx.Response:
        async def answer() -> httpx.Response:
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as web:
                return await web.request(method, path)

        return asyncio.run(answer())

    return ask


def test_pages_are_found_with_their_folder_s_address(folder: Path) -> None:
    ask = client(folder)
    assert ask("/manual/").text == "<h1>Home</h1>"
    assert ask("/manual/reference/cli/").text == "<h1>Commands</h1>"
    assert ask("/manual/", "HEAD").status_code == 200


@pytest.mark.parametrize(
    ("asked", "target"),
    [("/manual", "/manual/"), ("/manual/reference/cli", "/manual/reference/cli/")],
)
def test_a_folder_without_a_slash_is_redirected(folder: Path, asked: str, target: str) -> None:
    answer = client(folder)(asked)
    assert (answer.status_code, answer.headers["location"]) == (307, target)


def test_only_names_with_a_hash_are_kept_for_ever(folder: Path) -> None:
    ask = client(folder)
    kept = {
        name: ask(f"/manual/{name}").headers["cache-control"]
        for name in ("main.4ab2de0c.min.css", "search.json", "")
    }
    assert kept == {"main.4ab2de0c.min.css": IMMUTABLE, "search.json": "no-cache", "": "no-cache"}
    assert ask("/manual/").headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "nothing",
        "reference/",  # a folder without a page
        "../secret.txt",
        "%2e%2e/secret.txt",
        "..%2fsecret.txt",
        "reference/%2e%2e/%2e%2e/secret.txt",
        "//etc/passwd",
        "%2fetc%2fpasswd",
        "link.txt",
        "a%00b",
    ],
)
def test_nothing_outside_the_folder_is_served(folder: Path, path: str) -> None:
    answer = client(folder)(f"/manual/{path}")
    assert answer.status_code == 404
    assert SECRET not in answer.text


def test_without_a_built_manual_the_page_says_how_to_build_it(tmp_path: Path) -> None:
    ask = client(tmp_path / "manual")
    assert "make docs" in ask("/manual/").text
    assert ask("/manual/").status_code == 200
    assert ask("/manual/reference/cli/").status_code == 404
