"""Running the application on a listening socket until it is told to stop."""

from __future__ import annotations

import socket
from dataclasses import replace

import uvicorn
from sqlalchemy import Engine

from trireme.store import open_store

from .app import Config, create_app


def run(listener: socket.socket, database: str | None, workers: int | None = None) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    engine = open_store(database)
    config = Config()
    if workers is not None:
        config = replace(config, workers=workers)
    server_for(engine, config).run([listener])


def server_for(engine: Engine, config: Config) -> uvicorn.Server:
    """The HTTP server with the limits that the application expects of it."""
    return uvicorn.Server(
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
