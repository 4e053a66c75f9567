"""ASGI middleware: a limit on request bodies, and HEAD answered as GET."""

from __future__ import annotations

from contextlib import suppress

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """Handles HEAD as GET; the HTTP server leaves out the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        head = scope["type"] == "http" and scope["method"] == "HEAD"
        await self._app({**scope, "method": "GET"} if head else scope, receive, send)


class BodyLimit:
    """Answers `too_large` as soon as a body's declared or received length is over the limit."""

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app, self._max_bytes = app, max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._max_bytes:
            await self._refuse(scope, receive, send)
            return
        received, responded = 0, False

        async def counting_receive() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_bytes:
                raise _BodyTooLarge
            return message

        async def checked_send(message: Message) -> None:
            nonlocal responded
            if received <= self._max_bytes:  # else the application's response is dropped
                responded = True
                await send(message)

        with suppress(_BodyTooLarge):
            await self._app(scope, counting_receive, checked_send)
        if received > self._max_bytes and not responded:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = f"a body may have at most {self._max_bytes} bytes"
        response = JSONResponse({"code": "too_large", "message": message}, status_code=413)
        await response(scope, receive, send)


class _BodyTooLarge(Exception):
    """The body went over the limit."""
