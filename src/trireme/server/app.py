"""The ASGI application: REST, WebSockets and the built client, over one lobby."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import FastAPI, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse
from sqlalchemy import Engine
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from trireme import __version__
from trireme.arena.folder import Folder
from trireme.core.registry import GAMES
from trireme.server.protocol.codes import INTERNAL_ERROR, STATUS, Code, Refusal
from trireme.server.rooms.clock import EventLoopClock, RoomClock
from trireme.server.rooms.lobby import Lobby
from trireme.server.rooms.reviews import ReviewJobs
from trireme.server.storage.leases import RENEW_SECONDS, OwnedElsewhere
from trireme.server.storage.retention import Retention
from trireme.server.workers.tasks import TaskFailure
from trireme.server.workers.warm_up import default_warm_ups

from .api_page import mount_api_page
from .forwarding import Forwarder
from .limits import ServerLimits
from .middleware import (
    AnswerWhenStopped,
    BodyLimit,
    HeadAsGet,
    RequestQuotas,
    SecurityHeaders,
)
from .origins import OriginCheck, own_names
from .pages import mount_pages
from .prepared import PreparedAnswers
from .puzzles import api as puzzle_api
from .rest import api, operator
from .review_routes import reviews
from .run_viewer import mount_run
from .sockets import Sockets

log = logging.getLogger("trireme.server")

EVICTION_SECONDS = 15
PROBE_SECONDS = 5
"""How often a read-only server tries to write again."""
LOOP_LAG_SECONDS = 0.1
"""How often the lag of the event loop is measured."""
RETENTION_SECONDS = 3600
STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Config:
    """How to run a server; the defaults suit one machine."""

    limits: ServerLimits = field(default_factory=ServerLimits)
    workers: int = max(2, os.cpu_count() or 2)
    """Worker processes; with two, one can answer while the other compiles."""
    warm: bool = True
    """Whether idle workers prepare the default opponents for the first players."""
    retention: Retention | None = field(default_factory=Retention)
    """How long rooms are kept; None: without limit."""
    clock: RoomClock = field(default_factory=EventLoopClock)
    peer_address: str = ""
    """HOST:PORT at which other servers on the same PostgreSQL reach this one; empty: none can."""
    lan: bool = False
    """Whether other machines can reach it: it listens on all addresses."""
    hosts: frozenset[str] = frozenset()
    """Further names that the server answers to, beside those of this machine."""
    static: Path = STATIC
    """The built client."""
    arena_run: Folder | None = None
    """An arena run whose games are shown at /run; for this machine only."""


def create_app(engine: Engine, config: Config | None = None) -> FastAPI:
    """The application over a database that `open_store` has opened."""
    config = config or Config()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        lobby = Lobby(engine, config.clock, config.limits, config.workers)
        if engine.dialect.name == "postgresql":
            await lobby.share_rooms(config.peer_address)
        warm = default_warm_ups(GAMES) if config.warm else []
        lobby.readiness.expect(warm)
        lobby.workers.start(warm)
        if config.warm:
            lobby.checks.start()
        forwarder = Forwarder(lobby)
        app.state.lobby, app.state.sockets = lobby, Sockets(lobby, forwarder)
        app.state.forwarder = forwarder
        app.state.reviews = ReviewJobs(lobby)
        background = asyncio.gather(
            _load_catalogue(lobby, config.warm),
            _describe_api(app, config.warm),
            _evict_rooms(lobby),
            _measure_loop_lag(lobby),
            _probe_storage(lobby),
            _delete_expired(lobby, config.retention),
            _renew_leases(lobby),
        )
        try:
            yield
        finally:
            app.state.sockets.stopping = True
            background.cancel()
            with suppress(asyncio.CancelledError):
                await background
            await app.state.reviews.close()
            await lobby.close()
            await forwarder.close()

    limits = config.limits
    app = FastAPI(
        title="Trireme",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    app.state.lan = config.lan
    app.state.prepared = PreparedAnswers()
    app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=4)
    app.add_middleware(
        BodyLimit,
        max_bytes=min(limits.settings_bytes, limits.body_bytes),
        record_bytes=limits.body_bytes,
    )
    app.add_middleware(HeadAsGet)
    app.add_middleware(AnswerWhenStopped, answer=_on_refusal)
    app.add_middleware(OriginCheck, names=own_names() | set(config.hosts))
    app.add_middleware(RequestQuotas, answer=_on_refusal)
    app.add_middleware(SecurityHeaders)
    app.include_router(api)
    app.include_router(puzzle_api)
    app.include_router(reviews)
    app.include_router(operator)
    app.add_exception_handler(Refusal, _on_refusal)
    app.add_exception_handler(OwnedElsewhere, _on_owned_elsewhere)
    app.add_exception_handler(RequestValidationError, _on_invalid_request)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(ClientDisconnect, _on_disconnect)
    app.add_exception_handler(Exception, _on_exception)

    @app.websocket("/ws/{room}")
    async def socket(websocket: WebSocket, room: str) -> None:
        await app.state.sockets.serve(websocket, room)

    mount_api_page(app)
    if config.arena_run is not None:
        mount_run(app, config.arena_run)
    mount_pages(app, config.static)
    return app


async def _load_catalogue(lobby: Lobby, warm: bool) -> None:
    if warm:  # before the workers are busy with warming up
        with suppress(TaskFailure):
            await lobby.catalogue.games()


async def _describe_api(app: FastAPI, warm: bool) -> None:
    """Make the OpenAPI document, which FastAPI keeps, before somebody's request does."""
    if warm:
        await asyncio.to_thread(app.openapi)


async def _evict_rooms(lobby: Lobby) -> None:
    while True:
        await asyncio.sleep(EVICTION_SECONDS)
        lobby.sweep()


async def _probe_storage(lobby: Lobby) -> None:
    while True:
        await asyncio.sleep(PROBE_SECONDS)
        if lobby.storage.read_only:
            with suppress(Exception):
                await lobby.probe_storage()


async def _delete_expired(lobby: Lobby, retention: Retention | None) -> None:
    while retention is not None:
        try:
            if deleted := await lobby.delete_expired(retention):
                log.info("%d expired rooms were deleted", deleted)
        except Exception:
            log.exception("expired rooms could not be deleted")
        await asyncio.sleep(RETENTION_SECONDS)


async def _renew_leases(lobby: Lobby) -> None:
    while lobby.leases is not None:
        await asyncio.sleep(RENEW_SECONDS)
        try:
            await lobby.renew_leases()
        except Exception:
            log.exception("the lease on this server's rooms could not be renewed")


async def _measure_loop_lag(lobby: Lobby) -> None:
    """Measure how late the event loop wakes up: all clients wait for so long."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + LOOP_LAG_SECONDS
        await asyncio.sleep(LOOP_LAG_SECONDS)
        lobby.metrics.loop_lag.observe(max(0.0, loop.time() - due))


def _error_response(
    request: Request,
    code: Code,
    message: str,
    status: int | None = None,
    retry_after: int | None = None,
) -> JSONResponse:
    lobby: Lobby | None = getattr(request.app.state, "lobby", None)
    if lobby is not None:
        lobby.metrics.refusals.labels(code).inc()
    wait = {} if retry_after is None else {"retry_after": retry_after}
    return JSONResponse(
        {"code": code, "message": message, **wait},
        status_code=STATUS.get(code, 400) if status is None else status,
        headers=None if retry_after is None else {"Retry-After": str(retry_after)},
    )


async def _on_refusal(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, Refusal)
    return _error_response(request, error.code, error.message, retry_after=error.retry_after)


async def _on_owned_elsewhere(request: Request, error: Exception) -> Response:
    assert isinstance(error, OwnedElsewhere)
    forwarder: Forwarder = request.app.state.forwarder
    try:
        return await forwarder.request(request, error)
    except Refusal as refusal:
        return await _on_refusal(request, refusal)


async def _on_invalid_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return _error_response(request, "bad_json", "the body is not JSON")
    field = ".".join(str(part) for part in first["loc"])
    return _error_response(request, "bad_message", f"{field}: {first['msg']}")


async def _on_http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    codes: dict[int, Code] = {404: "not_found", 400: "bad_json"}
    code = codes.get(error.status_code, "bad_message")
    return _error_response(request, code, str(error.detail), error.status_code)


async def _on_disconnect(request: Request, error: Exception) -> Response:
    """The client has left before its body had come: nobody reads the answer."""
    return Response(status_code=400)


async def _on_exception(request: Request, error: Exception) -> JSONResponse:
    return _error_response(request, "internal", INTERNAL_ERROR)
