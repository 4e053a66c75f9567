"""A small web server on this machine for the live page of a match (standard library only).

It answers GET requests of this machine's browser: the page, the report, and JSON of the run. It
runs in a thread beside the match and reads what the driver has in memory and in the run folder. The
address has a secret part: agents on the same machine must not look up seeds and results there.
"""

from __future__ import annotations

import secrets
import threading
import time
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from trireme.arena.folder import Folder
from trireme.arena.report.build import build_report
from trireme.arena.report.page import document, sections_of
from trireme.arena.report.write import diagnoses_of
from trireme.arena.run import Progress
from trireme.core.errors import TriremeError

from .snapshot import list_games, replay, running_games, sprt_curve

REST = 5
"""A new report waits so many times as long as the last one took: the match needs the core."""
LEAST_REST = 2.0
"""Seconds between two reports at least."""
_POLICY = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'"


class LiveServer:
    """Serves the live page of one match while it runs, and as its report afterwards."""

    def __init__(self, folder: Folder, progress: Progress, port: int = 0) -> None:
        """Listen on this machine only; port 0 takes any that is free."""
        self._folder, self.progress = folder, progress
        self._lock = threading.Lock()
        self._report = ""
        self._games = -1
        self._ready_at = 0.0
        self._secret = secrets.token_urlsafe(16)
        live = self

        class Handler(_LiveHandler):
            owner = live

        self._http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/{self._secret}/"

    def __enter__(self) -> LiveServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def page(self) -> str:
        """The frame of the page; its script fills it."""
        names = "".join(f"<option>{escape(name)}</option>" for name in self.progress.match.names)
        body = files(__package__).joinpath("page.html").read_text(encoding="utf-8")
        title = escape(f"{self.progress.match.game.name}: live")
        return document(title, body.replace("{agents}", names))

    def state(self) -> dict[str, Any]:
        """What changes while the match runs, apart from the report."""
        progress = self.progress
        return {
            "played": len(progress.outcomes),
            "scheduled": progress.scheduled,
            "complete": progress.complete,
            "running": [] if progress.complete else running_games(progress.running()),
            "sprt": sprt_curve(progress),
        }

    def report(self) -> str:
        """The sections of the report; made anew when games have ended, but not all the time."""
        with self._lock:
            count = len(self.progress.outcomes)
            began = time.monotonic()
            if count != self._games and (began >= self._ready_at or self.progress.complete):
                still = Progress(
                    self.progress.match,
                    list(self.progress.fixtures),
                    dict(self.progress.outcomes),
                    self.progress.test,
                )
                made = build_report(still, self._folder.schedule_hash)
                diagnoses = diagnoses_of(self._folder, made)
                self._report, self._games = sections_of(made, still, diagnoses), count
                took = time.monotonic() - began
                self._ready_at = time.monotonic() + max(LEAST_REST, REST * took)
            return self._report

    def answer(self, path: str, query: dict[str, str]) -> tuple[str, bytes]:
        """The content type and body for a path; raises `KeyError` for one that is not there."""
        secret, _, path = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(secret.encode(), self._secret.encode()):
            raise KeyError("page without the secret part of its address")
        if path == "":
            return "text/html", self.page().encode()
        if path == "page.js":
            return "text/javascript", files(__package__).joinpath("page.js").read_bytes()
        if path == "report":
            return "text/html", self.report().encode()
        if path == "state.json":
            return _json(self.state())
        if path == "games.json":
            offset = int(query.get("offset", "0"))
            wanted = query.get("agent", ""), query.get("result", "any")
            return _json(list_games(self.progress, *wanted, offset))
        if path == "game.json":
            number = int(query["number"])
            if number not in self.progress.outcomes:
                raise KeyError(number)
            return _json(replay(self._folder, number))
        raise KeyError(path)


def _json(value: Any) -> tuple[str, bytes]:
    return "application/json", msgspec.json.encode(value)


class _LiveHandler(BaseHTTPRequestHandler):
    owner: LiveServer

    def do_GET(self) -> None:
        host = self.headers.get("Host", "").rpartition(":")[0]
        if host not in ("127.0.0.1", "localhost"):  # another site's name that points to here
            self._send(HTTPStatus.FORBIDDEN, *_json({"error": "only for this machine"}))
            return
        parts = urlsplit(self.path)
        try:
            query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
            found = self.owner.answer(parts.path, query)
        except KeyError as error:
            self._send(HTTPStatus.NOT_FOUND, *_json({"error": f"there is no {error}"}))
        except (TriremeError, ValueError, OverflowError) as error:
            self._send(HTTPStatus.BAD_REQUEST, *_json({"error": str(error)}))
        else:
            self._send(HTTPStatus.OK, *found)

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing: the terminal shows the match."""
