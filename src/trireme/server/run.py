"""Runs the application on a listening socket, with the process tuned for low latency."""

from __future__ import annotations

import gc
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import uvicorn
from sqlalchemy import Engine

from trireme.arena.folder import Folder
from trireme.core.registry import GAMES, make_game
from trireme.server.storage.retention import Retention
from trireme.store import open_store

from .app import Config, create_app


def run(
    listener: socket.socket,
    database: str | None,
    workers: int | None,
    keep: int,
    on_ready: Callable[[], object] | None = None,
    arena_run: Folder | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM; `keep`: days that finished games are kept, 0: all of them.

    `on_ready` is called in a thread when the server answers. `arena_run` is shown at /run.
    """
    engine = open_store(database)
    lan = listener.getsockname()[0] in ("0.0.0.0", "::")
    config = Config(retention=Retention.of(keep), lan=lan, arena_run=arena_run)
    if workers is not None:
        config = replace(config, workers=workers)
    server = server_for(engine, config, tuned=True)
    if on_ready is not None and isinstance(server, _TunedServer):
        server.on_ready = on_ready
    server.run([listener])


GC_THRESHOLDS = 5_000, 10, 20
"""Thresholds of the garbage collector's three generations. A full collection stops the server, with
a thousand clients for 0.1 s, or far longer on a busy machine; so it waits for a million objects."""
SWITCH_SECONDS = 0.001
"""How long a thread may hold the global interpreter lock while another waits: the event store's
thread acquires it several times in every transaction, and rooms wait for that."""


class _TunedServer(uvicorn.Server):
    """A server that tunes garbage collection and thread switching of its process."""

    on_ready: Callable[[], object] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.on_ready is not None:
            threading.Thread(target=self.on_ready, daemon=True).start()
        for name in GAMES:
            make_game(name)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        sys.setswitchinterval(SWITCH_SECONDS)


def server_for(engine: Engine, config: Config, *, tuned: bool = False) -> uvicorn.Server:
    """The HTTP server with the limits that the application expects of it.

    `tuned`: the process does nothing else, so its settings may be changed.
    """
    kind = _TunedServer if tuned else uvicorn.Server
    return kind(
        uvicorn.Config(
            create_app(engine, config),
            log_level="warning",
            access_log=False,
            ws_max_size=config.limits.message_bytes,
            ws_per_message_deflate=False,
            timeout_graceful_shutdown=3,
            limit_concurrency=None,
        )
    )
