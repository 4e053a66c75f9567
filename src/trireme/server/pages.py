"""The built client and the built manual; pages that help where they have not been built."""

from __future__ import annotations

import asyncio
import gzip
import re
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from mimetypes import guess_type
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from trireme.server.protocol.codes import Refusal

NOT_BUILT = """<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Trireme</title>
<style>body { font: 16px/1.5 system-ui; max-width: 40em; margin: 4em auto; padding: 0 1em }</style>
<h1>Trireme is running, but its web client is not built.</h1>
<p>In a source checkout, <code>make play</code> builds it (in the folder <code>web/</code>) and
starts the server. A released package contains it.</p>
<p>What works without it: the <a href="/docs">REST interface</a>, the WebSocket described in
<code>docs/web-protocol.md</code>, <a href="/healthz">health</a> and
<a href="/metrics">metrics</a>.</p>
</html>
"""
NO_MANUAL = """<!doctype html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Manual · Trireme</title>
<style>body { font: 16px/1.5 system-ui; max-width: 40em; margin: 4em auto; padding: 0 1em }</style>
<h1>The manual is not built.</h1>
<p>In a source checkout, <code>make docs</code> builds it; then reload this page. A released package
contains it.</p>
<p>The same pages are in the folder <code>docs/</code>. Back to <a href="/">Trireme</a>.</p>
</html>
"""
MANUAL = Path(__file__).parent / "manual"
CLIENT_ADDRESS = re.compile(r"|(new|room)/+[^/].*|(learn|replay|maps|puzzles)(/.*)?")
"""The addresses that the client has a page for, as `parseRoute` in `web/src/route.ts` reads them;
at all others it shows that there is no such page."""
HASHED = re.compile(r"\.[0-9a-f]{8}\.")
"""A file name with a hash of its content, such as `main.4ab2de0c.min.css`."""
IMMUTABLE = "public, max-age=31536000, immutable"
"""For files whose names change with their content."""
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


def page_policy(page: bytes) -> str:
    """The content security policy of an HTML page: everything from this server, and no scripts in
    the page but those that it came with, by their hashes."""
    hashes = (b64encode(sha256(script).digest()).decode() for script in INLINE_SCRIPT.findall(page))
    scripts = " ".join(["'self'", *(f"'sha256-{found}'" for found in hashes)])
    return (
        f"default-src 'self'; script-src {scripts}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; "
        "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
    )


COMPRESSED = {".css", ".html", ".js", ".json", ".svg", ".txt", ".xml"}
"""Suffixes of files that are sent compressed."""


async def _file(request: Request, path: Path, caching: str, status: int = 200) -> Response:
    headers, version = {"Cache-Control": caching}, path.stat().st_mtime_ns
    if path.suffix in (".html", ".svg"):
        headers["Content-Security-Policy"] = _file_policy(path, version)
    compressible = path.suffix in COMPRESSED and "range" not in request.headers
    if not compressible or "gzip" not in request.headers.get("accept-encoding", ""):
        return FileResponse(path, status_code=status, headers=headers)
    headers |= {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    content = await asyncio.to_thread(_compressed, path, version)
    return Response(content, status, headers, guess_type(path.name)[0] or "text/plain")


@lru_cache(maxsize=512)
def _compressed(path: Path, version: int) -> bytes:
    """A file, compressed once for each version of it: the largest take 50 ms of processor time, for
    which everybody would wait."""
    return gzip.compress(path.read_bytes())


@lru_cache(maxsize=512)
def _file_policy(path: Path, version: int) -> str:
    """The policy of a file, read once for each version of it."""
    return page_policy(path.read_bytes())


def _html(page: str, status: int) -> Response:
    policy = {"Content-Security-Policy": page_policy(page.encode())}
    return HTMLResponse(page, status_code=status, headers=policy)


def mount_pages(app: FastAPI, static: Path, manual: Path = MANUAL) -> None:
    """Serve the manual, and the client: its files, and its page for every address it knows."""
    mount_manual(app, manual)
    root = static.resolve()

    @app.get("/{path:path}", include_in_schema=False)
    async def page(request: Request, path: str) -> Response:
        if path.startswith(("api/", "ws/")):
            raise Refusal("not_found", f"there is no page {path[:80]!r}")
        file = _found(root, path)
        if path and file is not None and file.is_file():
            caching = IMMUTABLE if path.startswith("assets/") else "no-cache"
            return await _file(request, file, caching)
        index = root / "index.html"
        if not index.is_file():
            return _html(NOT_BUILT, 200 if not path else 404)
        if "." in path.rpartition("/")[2]:
            raise Refusal("not_found", f"there is no page {path[:80]!r}")
        status = 200 if CLIENT_ADDRESS.fullmatch(path) else 404
        return await _file(request, index, "no-cache", status)


def _found(root: Path, path: str) -> Path | None:
    """What lies at `path` inside of `root`; None: nothing, or something outside."""
    try:
        file = (root / path).resolve(strict=True)
    except (OSError, ValueError):  # such as too long a name, or NUL
        return None
    return file if file.is_relative_to(root) else None


def mount_manual(app: FastAPI, folder: Path) -> None:
    """Serve the site that `make docs` built into `folder` at /manual/."""
    root = folder.resolve()

    @app.get("/manual", include_in_schema=False)
    async def entrance() -> Response:
        return RedirectResponse("/manual/")

    @app.get("/manual/{path:path}", include_in_schema=False)
    async def manual_page(request: Request, path: str) -> Response:
        if not (root / "index.html").is_file():
            return _html(NO_MANUAL, 200 if not path else 404)
        if (file := _found(root, path)) is not None:
            if file.is_dir() and path and not path.endswith("/"):
                return RedirectResponse(f"/manual/{path}/")
            page = file / "index.html" if file.is_dir() else file
            if page.is_file():
                kept = IMMUTABLE if HASHED.search(page.name) else "no-cache"
                return await _file(request, page, kept)
        raise Refusal("not_found", f"the manual has no page {path[:80]!r}")
