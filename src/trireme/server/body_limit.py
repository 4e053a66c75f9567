"""A limit on the bodies of requests, kept while they arrive."""

from __future__ import annotations

from contextlib import suppress

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class _TooLarge(Exception):
    """The body went over the limit."""


class BodyLimit:
    """Answers `too_large` as soon as a body says or shows that it is."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app, self._most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._most:
            await self._refuse(scope, receive, send)
            return
        seen, answered = 0, False

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._most:
                raise _TooLarge
            return message

        async def noted(message: Message) -> None:
            nonlocal answered
            if seen <= self._most:  # else whatever the application makes of it is not sent
                answered = True
                await send(message)

        with suppress(_TooLarge):
            await self._app(scope, counted, noted)
        if seen > self._most and not answered:
            await self._refuse(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = f"a body may have at most {self._most} bytes"
        answer = JSONResponse({"code": "too_large", "message": message}, status_code=413)
        await answer(scope, receive, send)
