"""`trireme serve`: the web app on this machine, or for others."""

from __future__ import annotations

import errno
import socket
import webbrowser
from typing import Annotated

import typer

from trireme.core.errors import BadSpec, TriremeError
from trireme.core.extras import require
from trireme.server.storage.retention import Retention

from .games import warn_of_plugins

ANY = ("0.0.0.0", "::", "")
"""Hosts that stand for all addresses of this machine."""


def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; 0.0.0.0 accepts other machines.")
    ] = ("127.0.0.1"),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = 8000,
    database: Annotated[
        str | None,
        typer.Option(
            help="The database: sqlite:///FILE or postgresql://…  [default: sqlite:///runs/trireme.db]"
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            help="Worker processes for agents; more answer more games at once"
            "  [default: one per core, at least 2]",
        ),
    ] = None,
    keep: Annotated[
        int,
        typer.Option(
            min=0,
            max=36_500,
            help="Days that finished games are kept; 0 keeps everything. Unfinished games are kept "
            f"{Retention.unfinished:g} days at most, rooms without a move {Retention.empty:g}.",
        ),
    ] = int(Retention.finished),
    peer_address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Where other servers on the same PostgreSQL reach this one, to pass on clients of"
            " its rooms  [default: where it listens]",
        ),
    ] = None,
) -> None:
    """Serve the web app: play in the browser, alone, together and online.

    Ctrl-C stops it; games continue when it is started again.
    Example: `trireme serve --open`
    """
    require("web", "the web app")
    from trireme.server.addresses import lan_address
    from trireme.server.run import run
    from trireme.store.database import check_driver

    check_driver(database)
    if peer_address is not None:
        check_peer_address(peer_address)
    warn_of_plugins()
    listener = listen(host, port)
    url = f"http://{shown_host(host)}:{listener.getsockname()[1]}/"
    typer.echo(f"Trireme is at {url}  (Ctrl-C stops it)", err=True)
    if host in ANY and (address := lan_address()) is not None:
        typer.echo(f"Other machines: http://{address}:{listener.getsockname()[1]}/", err=True)
    on_ready = (lambda: webbrowser.open(url)) if open_ else None
    run(listener, database, workers, keep, on_ready, peer_address)


def check_peer_address(text: str) -> None:
    """Refuse what is not HOST:PORT."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadSpec(f"expected --peer-address HOST:PORT, such as 10.0.0.5:8000, not {text!r}")


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, or an error that says what to do."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise BadSpec(f"can't listen on {host!r}: {error.strerror}") from None
    listener = socket.socket(family, kind, proto)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise TriremeError(
                f"port {port} is in use: another server runs there; try --port {port + 1}, "
                "or --port 0 for any free one"
            ) from None
        raise TriremeError(f"can't listen on {host}:{port}: {error.strerror}") from None
    return listener


def shown_host(host: str) -> str:
    if host in ANY:
        return "localhost"
    return f"[{host}]" if ":" in host else host
