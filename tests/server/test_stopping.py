"""A server that stops: requests that it can't finish are told to try again, nothing fails."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from trireme.server.app import Config, create_app
from trireme.server.limits import Quotas, ServerLimits
from trireme.server.metrics import Metrics
from trireme.store import open_store

from .live import Running


class NeverReady:
    """A lobby whose database never answers."""

    def __init__(self) -> None:
        self.asked, self.metrics = asyncio.Event(), Metrics()
        self.quotas = Quotas(
            ServerLimits(),
            lambda: 0.0,
            self.metrics.quota_charged,
            self.metrics.quota_exceeded,
        )

    async def probe_storage(self) -> None:
        self.asked.set()
        await asyncio.Event().wait()


def test_a_request_that_is_cancelled_is_told_to_try_again(tmp_path: Path) -> None:
    """uvicorn cancels what is not done in time, and would answer 500."""
    engine = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    app = create_app(engine, Config(workers=0, warm=False))
    sent: list[Any] = []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    async def ask() -> None:
        lobby = app.state.lobby = NeverReady()
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/healthz",
            "query_string": b"",
            "headers": [(b"host", b"localhost")],
            "http_version": "1.1",
        }
        answering = asyncio.create_task(app(scope, receive, send))
        asked = asyncio.create_task(lobby.asked.wait())
        await asyncio.wait({answering, asked}, return_when=asyncio.FIRST_COMPLETED)
        answering.cancel()
        await answering

    asyncio.run(ask())
    engine.dispose()
    start, body = sent
    assert start["status"] == 503
    assert (b"retry-after", b"1") in start["headers"]
    assert json.loads(body["body"])["code"] == "shutting_down"


@pytest.mark.parametrize("kind", ["room", pytest.param("rematch", marks=pytest.mark.slow)])
def test_a_server_that_stops_creates_no_room(serve: Any, kind: str) -> None:
    server: Running = serve()
    player = server.player(server.create("gomoku", seats=[{"kind": "me"}, {"kind": "me"}]))
    player.ask("resign", seat=0)
    server.lobby._stopping = True
    if kind == "room":
        answer = server.http.post("/api/rooms", json={"game": "gomoku"})
        assert answer.status_code == 503
        assert answer.headers["Retry-After"] == "1"
        refused = answer.json()
    else:
        refused = player.ask("rematch", seat=0)
    assert refused["code"] == "shutting_down"
    assert refused["retry_after"] == 1
    server.lobby._stopping = False
