"""Positions that other servers' rooms are playing without engine help, asked for over HTTP.

Each server knows the rooms that it owns. Before it helps with a position it asks the others that
live, by their leases; while one of them does not answer, there is no help.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from trireme.core.positions import MarkedBoard
from trireme.server.protocol.codes import Refusal
from trireme.server.signing import RecordSigner
from trireme.server.storage.leases import RoomLeases

from .positions import Boards

if TYPE_CHECKING:
    import httpx

PATH = "/peers/positions"
"""Where a server answers the others: `?game=NAME`, with `PeerPositions.token`."""
KEEP_SECONDS = 1.0
"""How long an answer serves further requests, so that many of them cost the other servers little.
A game that has moved on since is recognised by its earlier positions, or by most of its marks."""
ANSWER_SECONDS = 3.0
"""How long another server may take to answer."""
PAUSES = (0.0, 0.2, 0.8)
"""Seconds before each attempt: a server that stops gives its lease up a moment later."""
UNREACHABLE = "another server does not say which positions are being played; try again"


class PeerPositions:
    """Asks the other servers of one PostgreSQL, and knows those servers by their token."""

    def __init__(self, leases: RoomLeases, signer: RecordSigner) -> None:
        self._leases = leases
        self.token = signer.sign("peers")
        self._http: httpx.AsyncClient | None = None
        self._asked: dict[str, tuple[float, asyncio.Task[tuple[Boards, ...]]]] = {}
        """By game: when, and the answers."""

    async def close(self) -> None:
        for _, task in self._asked.values():
            task.cancel()
        if self._http is not None:
            await self._http.aclose()

    def is_peer(self, authorization: str | None) -> bool:
        """Whether the `Authorization` header is that of another server of the same database."""
        wanted = f"Bearer {self.token}"
        return hmac.compare_digest((authorization or "").encode(), wanted.encode())

    async def running(self, game: str) -> tuple[Boards, ...]:
        """The game's positions that are being played elsewhere without engine help."""
        now = asyncio.get_running_loop().time()
        since, task = self._asked.get(game, (0.0, None))
        if task is None or now - since > KEEP_SECONDS or _has_failed(task):
            task = asyncio.create_task(self._ask_all(game))
            self._asked[game] = now, task
        return await asyncio.shield(task)

    async def _ask_all(self, game: str) -> tuple[Boards, ...]:
        import httpx

        if self._http is None:
            self._http = httpx.AsyncClient(timeout=ANSWER_SECONDS, trust_env=False)
        for pause in PAUSES:
            await asyncio.sleep(pause)
            addresses = await asyncio.to_thread(self._leases.peer_addresses)
            try:
                answers = await asyncio.gather(
                    *(self._ask(self._http, address, game) for address in addresses)
                )
            except (httpx.HTTPError, httpx.InvalidURL, msgspec.MsgspecError):
                continue
            return tuple(boards for answer in answers for boards in answer)
        raise Refusal("shutting_down", UNREACHABLE)

    async def _ask(self, http: httpx.AsyncClient, address: str, game: str) -> list[Boards]:
        headers = {"Authorization": f"Bearer {self.token}", "Accept-Encoding": "identity"}
        answer = await http.get(f"http://{address}{PATH}", params={"game": game}, headers=headers)
        return await asyncio.to_thread(decode_positions, answer.raise_for_status().content)


_DECODER = msgspec.json.Decoder(tuple[MarkedBoard, ...])


def encode_positions(positions: Iterable[Boards]) -> bytes:
    """A line of JSON for each. One call for all would hold Python's global interpreter lock, and
    with it the event loop, for as long as thousands of positions take."""
    return b"\n".join(map(msgspec.json.encode, positions))


def decode_positions(lines: bytes) -> list[Boards]:
    return [_DECODER.decode(line) for line in lines.splitlines()]


def _has_failed(task: asyncio.Task[tuple[Boards, ...]]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)
