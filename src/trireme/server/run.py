"""Runs the application on a listening socket, with the process tuned for low latency."""

from __future__ import annotations

import gc
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import uvicorn
from fastapi import FastAPI
from sqlalchemy import Engine

from trireme.arena.folder import Folder
from trireme.core.registry import GAMES, make_game
from trireme.server.storage.retention import Retention
from trireme.server.storage.sole_server import sole_server
from trireme.store import open_store

from .addresses import lan_address
from .app import Config, create_app
from .connections import ConnectionGuard, guarded_by
from .limits import ServerLimits
from .socket_guard import socket_guarded_by


def run(
    listener: socket.socket,
    database: str | None,
    workers: int | None,
    keep: int,
    on_ready: Callable[[], object] | None = None,
    peer_address: str | None = None,
    arena_run: Folder | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM; `keep`: days that finished games are kept, 0: all of them.

    `on_ready` is called in a thread when the server answers. `peer_address`: HOST:PORT at which
    other servers on the same PostgreSQL reach this one; None: where it listens. `arena_run` is
    shown at /run.
    """
    engine = open_store(database)
    limits = ServerLimits()
    limits = replace(limits, connections=min(limits.connections, _sockets_allowed()))
    config = Config(
        limits,
        retention=Retention.of(keep),
        lan=listener.getsockname()[0] in ANY_ADDRESS,
        peer_address=peer_address or address_for_peers(listener),
        arena_run=arena_run,
    )
    if workers is not None:
        config = replace(config, workers=workers)
    with sole_server(engine):
        server = server_for(engine, config, tuned=True)
        if on_ready is not None and isinstance(server, _TunedServer):
            server.on_ready = on_ready
        server.run([listener])


ANY_ADDRESS = ("0.0.0.0", "::")
"""Where a server listens that accepts connections on all addresses of its machine."""


def address_for_peers(listener: socket.socket) -> str:
    """HOST:PORT at which other servers reach the listener: this machine's address in the local
    network where it accepts any."""
    host, port = listener.getsockname()[:2]
    if host in ANY_ADDRESS:
        host = lan_address() or "127.0.0.1"
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


RESERVED_FILES = 400
"""File descriptors for the database, the workers and HTTP connections."""
MOST_FILES = 65_536


def _sockets_allowed() -> int:
    """How many WebSockets the limit on open files allows, after it has been raised to the most that
    this user may have."""
    try:
        import resource
    except ImportError:  # not a POSIX system: there is no such limit
        return MOST_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST_FILES if soft == resource.RLIM_INFINITY else max(1, soft - RESERVED_FILES)


GC_THRESHOLDS = 5_000, 10, 20
"""Thresholds of the garbage collector's three generations. A full collection stops the server, with
a thousand clients for 0.1 s, or far longer on a busy machine; so it waits for a million objects."""
SWITCH_SECONDS = 0.001
"""How long a thread may hold the global interpreter lock while another waits: the event store's
thread acquires it several times in every transaction, and rooms wait for that."""


class _Server(uvicorn.Server):
    """A server that hands its rooms over before it waits for requests that are still answered."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if isinstance(self.config.app, FastAPI):
            await self.config.app.state.lobby.hand_over()
        await super().shutdown(sockets)


class _TunedServer(_Server):
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
    kind = _TunedServer if tuned else _Server
    app = create_app(engine, config)

    def on_close(reason: str) -> None:
        app.state.lobby.metrics.connections_closed.labels(reason).inc()

    return kind(
        uvicorn.Config(
            app,
            http=guarded_by(ConnectionGuard(config.limits, on_close)),
            ws=socket_guarded_by(config.limits, on_close),
            log_level="warning",
            access_log=False,
            ws_max_size=config.limits.message_bytes,
            ws_per_message_deflate=False,
            timeout_keep_alive=config.limits.keep_alive_seconds,
            timeout_graceful_shutdown=3,
            limit_concurrency=None,
        )
    )
