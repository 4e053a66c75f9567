"""ASGI middleware: quotas of requests, a limit on their bodies, HEAD answered as GET, security
headers, the answer to requests that a stopping server gives up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .limits import Resource, quota_key
from .protocol.codes import STOPPING, Refusal

RECORD_PATHS = {"/api/replay", "/api/analysis", "/api/reviews", "/api/records/verify"}
"""Requests whose bodies hold a record."""

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""A room's link may be all that keeps it private, so it is not sent to other sites. Pages that show
something have a content security policy of their own (`pages.py`)."""


class SecurityHeaders:
    """Adds the security headers to every response that does not set them itself."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, secured if scope["type"] == "http" else send)


Answer = Callable[[Request, Refusal], Awaitable[Response]]
"""Makes the response to a refusal."""


class RequestQuotas:
    """Charges every request to its address, before it costs anything else."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            client = scope.get("client")
            address = quota_key(client[0] if client else "?")
            resource: Resource = "requests" if scope["path"].startswith("/api/") else "pages"
            try:
                scope["app"].state.lobby.quotas.charge(resource, address)
            except Refusal as refusal:
                response = await self._answer(Request(scope), refusal)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)


class AnswerWhenStopped:
    """Answers "try again" (503) to a request that is cancelled: uvicorn does so when the server
    stops and the request takes longer than the time to finish. Else it would answer 500 itself."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        responded = False

        async def noting_send(message: Message) -> None:
            nonlocal responded
            responded = True
            await send(message)

        try:
            await self._app(scope, receive, noting_send)
        except asyncio.CancelledError:
            if responded:
                raise
            response = await self._answer(Request(scope), Refusal("shutting_down", STOPPING))
            await response(scope, receive, send)


class HeadAsGet:
    """Handles HEAD as GET; the HTTP server leaves out the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = scope["type"] == "http" and scope["method"] == "HEAD"
        await self._app({**scope, "method": "GET"} if head else scope, receive, send)


class BodyLimit:
    """Answers `too_large` as soon as a body's declared or received length is over the limit."""

    def __init__(self, app: ASGIApp, max_bytes: int, record_bytes: int) -> None:
        """`record_bytes`: the limit of bodies that hold a record."""
        self._app, self._max_bytes, self._record_bytes = app, max_bytes, record_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._record_bytes if scope["path"] in RECORD_PATHS else self._max_bytes
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > most:
            await self._refuse(most, scope, receive, send)
            return
        received, responded = 0, False

        async def counting_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise _BodyTooLarge
            return message

        async def checked_send(message: Message) -> None:
            nonlocal responded
            if received <= most:  # else the application's response is dropped
                responded = True
                await send(message)

        with suppress(_BodyTooLarge):
            await self._app(scope, counting_receive, checked_send)
        if received > most and not responded:
            await self._refuse(most, scope, receive, send)

    async def _refuse(self, most: int, scope: Scope, receive: Receive, send: Send) -> None:
        message = f"a body may have at most {most} bytes"
        response = JSONResponse({"code": "too_large", "message": message}, status_code=413)
        await response(scope, receive, send)


class _BodyTooLarge(Exception):
    """The body went over the limit."""
