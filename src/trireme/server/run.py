"""Running the application on a listening socket until it is told to stop."""

from __future__ import annotations

import gc
import socket
import sys
from dataclasses import replace

import uvicorn
from sqlalchemy import Engine

from trireme.core.registry import GAMES, make_game
from trireme.server.storage.retention import Retention
from trireme.store import open_store

from .app import Config, create_app

KEEP_DAYS = int(Retention.finished)


def run(
    listener: socket.socket, database: str | None, workers: int | None = None, keep: int = KEEP_DAYS
) -> None:
    """Serve until Ctrl-C or SIGTERM; `keep`: days that finished games stay, 0 for ever."""
    engine = open_store(database)
    config = Config(retention=Retention.of(keep))
    if workers is not None:
        config = replace(config, workers=workers)
    server_for(engine, config, alone=True).run([listener])


GARBAGE = 5_000, 10, 20
"""How many more objects there must be before the young, the middle and all are searched for
garbage. A search of all stops everybody, with a thousand clients for a tenth of a second, or far
longer where other programs want the processor too; so it has to wait for a million objects."""
SWITCH_SECONDS = 0.001
"""How long one thread may keep Python's lock while another waits: the database's thread asks for it
several times in every transaction, and rooms wait for that."""


class _Tuned(uvicorn.Server):
    """A server that has a whole process to itself, and sets it up so that nobody waits long."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for name in GAMES:
            make_game(name)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        sys.setswitchinterval(SWITCH_SECONDS)


def server_for(engine: Engine, config: Config, *, alone: bool = False) -> uvicorn.Server:
    """The HTTP server with the limits that the application expects of it.

    `alone`: the process is there for nothing else, and may be tuned for it.
    """
    kind = _Tuned if alone else uvicorn.Server
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
