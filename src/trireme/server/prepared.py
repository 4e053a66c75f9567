"""Large answers that are the same for everybody: made and compressed once, in a thread."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Callable, Hashable

from fastapi import Request, Response

MAX_PREPARED_ANSWERS = 32


class PreparedAnswers:
    """Compressed answers (gzip) by what they answer."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[bytes]] = {}

    async def get(self, key: Hashable, make: Callable[[], str | bytes]) -> bytes:
        """The compressed answer that `make` gave when `key` was asked for first."""
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            while len(self._tasks) >= MAX_PREPARED_ANSWERS:
                del self._tasks[next(iter(self._tasks))]
            task = asyncio.create_task(asyncio.to_thread(_compress, make))
            self._tasks[key] = task
        return await asyncio.shield(task)


def _compress(make: Callable[[], str | bytes]) -> bytes:
    made = make()
    return gzip.compress(made.encode() if isinstance(made, str) else made)


def compressed_response(
    request: Request, compressed: bytes, media_type: str = "application/json"
) -> Response:
    """An answer that is compressed already; a client that can't read it costs time here."""
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
    else:
        compressed = gzip.decompress(compressed)
    return Response(compressed, media_type=media_type, headers=headers)
