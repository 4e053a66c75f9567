"""The application: REST, sockets and the built client, over one lobby."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI, Request, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse
from sqlalchemy import Engine
from starlette.exceptions import HTTPException

from trireme import __version__
from trireme.server.protocol.codes import STATUS, Code, Refusal
from trireme.server.rooms.clock import Clock, LoopClock
from trireme.server.rooms.lobby import Lobby
from trireme.server.storage.retention import Retention
from trireme.server.workers.tasks import Failure

from .body_limit import BodyLimit
from .catalogue import warm_up
from .limits import Buckets, Limits
from .pages import Heads, mount_pages
from .rest import api, operator
from .sockets import Sockets

log = logging.getLogger("trireme.server")

SWEEP_SECONDS = 15
LOOK_SECONDS = 0.1
"""How often the event loop's lateness is looked at."""
FORGET_SECONDS = 3600
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Config:
    """How to run a server; the defaults suit one machine."""

    limits: Limits = field(default_factory=Limits)
    workers: int = max(2, os.cpu_count() or 2)
    """Processes that agents think in; with two, one can answer while the other compiles."""
    warm: bool = True
    """Whether idle workers compile and load what the first players will need."""
    retention: Retention | None = field(default_factory=Retention)
    """How long rooms are kept; None: for ever."""
    clock: Clock = field(default_factory=LoopClock)
    static: Path = STATIC
    """The built client."""


def create_app(engine: Engine, config: Config | None = None) -> FastAPI:
    """The server over a store that `open_store` has opened."""
    config = config or Config()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        lobby = Lobby(engine, config.clock, config.limits, config.workers)
        lobby.workers.start(warm_up() if config.warm else ())
        app.state.lobby, app.state.sockets = lobby, Sockets(lobby)
        chores = asyncio.gather(
            _sweep(lobby, config.warm), _watch(lobby), _forget(lobby, config.retention)
        )
        try:
            yield
        finally:
            app.state.sockets.stopping = True
            chores.cancel()
            with suppress(asyncio.CancelledError):
                await chores
            await lobby.close()

    limits = config.limits
    app = FastAPI(title="Trireme", version=__version__, lifespan=lifespan, redoc_url=None)
    app.state.requests = Buckets(limits.request_rate, limits.request_burst)
    app.state.new_rooms = Buckets(limits.room_rate, limits.room_burst)
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    app.add_middleware(BodyLimit, most=limits.body_bytes)
    app.add_middleware(Heads)
    app.include_router(api)
    app.include_router(operator)
    app.add_exception_handler(Refusal, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _internal)

    @app.websocket("/ws/{room}")
    async def socket(websocket: WebSocket, room: str) -> None:
        await app.state.sockets.serve(websocket, room)

    mount_pages(app, config.static)
    return app


async def _sweep(lobby: Lobby, warm: bool) -> None:
    if warm:  # before the workers are busy with warming up
        with suppress(Failure):
            await lobby.catalogue.games()
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        lobby.sweep()


async def _forget(lobby: Lobby, kept: Retention | None) -> None:
    while kept is not None:
        try:
            if gone := await lobby.forget(kept):
                log.info("%d rooms are forgotten", gone)
        except Exception:
            log.exception("old rooms could not be deleted")
        await asyncio.sleep(FORGET_SECONDS)


async def _watch(lobby: Lobby) -> None:
    """Note how late this loop wakes: while it is late, everybody waits."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LOOK_SECONDS
        await asyncio.sleep(LOOK_SECONDS)
        lobby.metrics.lateness.see(max(0.0, loop.time() - due))


def _fault(request: Request, code: Code, message: str, status: int | None = None) -> JSONResponse:
    lobby: Lobby | None = getattr(request.app.state, "lobby", None)
    if lobby is not None:
        lobby.metrics.refusals[code] += 1
    return JSONResponse(
        {"code": code, "message": message},
        status_code=STATUS.get(code, 400) if status is None else status,
    )


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return _fault(request, error.code, error.message)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _fault(request, "bad_json", "the body is not JSON")
    where = ".".join(str(part) for part in first["loc"])
    return _fault(request, "bad_message", f"{where}: {first['msg']}")


async def _http(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    codes: dict[int, Code] = {404: "not_found", 400: "bad_json"}
    code = codes.get(error.status_code, "bad_message")
    return _fault(request, code, str(error.detail), error.status_code)


async def _internal(request: Request, error: Exception) -> JSONResponse:
    return _fault(request, "internal", "a fault of the server; it is in its log")
