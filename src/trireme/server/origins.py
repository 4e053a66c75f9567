"""Which names the server answers to, and which pages may talk to it (Host and Origin checks).

A page of another site could otherwise connect to a server in its visitor's network: directly
(cross-site WebSockets), or under a name that leads to that server (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from trireme.server.rooms import peer_positions

HOSTS = "TRIREME_HOSTS"
"""The environment variable with further names, separated by commas; `*`: any."""
OPEN_PATHS = {"/healthz", "/metrics", peer_positions.PATH}
"""For monitors and other servers, which use whatever name the network has."""
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[^\[\]:/?#@\s]*)(:(?P<port>[0-9]{1,5}))?")
MAX_PORT = 65_535
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


def own_names() -> set[str]:
    """The names of this machine, and those that the environment adds."""
    name = socket.gethostname().lower()
    added = os.environ.get(HOSTS, "").lower().split(",")
    return {"localhost", name, f"{name}.local"} | {part.strip() for part in added if part.strip()}


def host_allowed(host: str, names: Collection[str]) -> bool:
    """Whether the server answers to the `Host` header: an address, or one of its names."""
    parts = _HOST.fullmatch(host)
    if parts is None or int(parts["port"] or 0) > MAX_PORT:
        return False
    name = parts["name"].lower().rstrip(".")
    if "*" in names or name in names or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def origin_allowed(origin: str | None, host: str) -> bool:
    """Whether a page of `origin` may use the server that it reaches as `host`: only its own pages.

    None: the client is no browser.
    """
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:  # such as a bracket that is not closed
        return False
    return parts.scheme in ("http", "https") and _plain(parts.netloc) == _plain(host)


class OriginCheck:
    """Refuses requests and sockets with a wrong Host, and those that other sites' pages make."""

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app, self._names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or (problem := self._problem(scope)) is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": problem})
        else:
            body = {"code": "bad_origin", "message": problem}
            await JSONResponse(body, status_code=403)(scope, receive, send)

    def _problem(self, scope: Scope) -> str | None:
        if scope["path"] in OPEN_PATHS:
            return None
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not host_allowed(host, self._names):
            return f"this server does not answer to {host[:80]!r}; its variable {HOSTS} may name it"
        changes = scope["type"] == "websocket" or scope["method"] not in SAFE_METHODS
        if changes and not origin_allowed(headers.get("origin"), host):
            return "pages of other sites may not use this server"
        return None


def _plain(netloc: str) -> str:
    """The host and port in lower case, without the ports that browsers leave out."""
    return netloc.lower().removesuffix(":80").removesuffix(":443")
