"""Links for guests: the addresses under which other machines reach this server."""

from __future__ import annotations

import ipaddress
import socket
from functools import cache

import segno

PROBE = ("10.255.255.255", 9)
"""Any address outside this machine: connecting a UDP socket sends nothing, but chooses a route."""


@cache
def lan_address() -> str | None:
    """This machine's address in the local network; None: it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(PROBE)
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if is_loopback(found) else found


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the host: `localhost`, `127.0.0.1`, `::1`."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def guest_link(scheme: str, host: str, port: int | None, path: str, *, lan: bool) -> str | None:
    """The link that another machine can open, from the address that this client used.

    `lan`: the server accepts connections from other machines. None: no other machine can.
    """
    if is_loopback(host):
        address = lan_address() if lan else None
        if address is None:
            return None
        host = address
    return f"{scheme}://{host}{'' if port is None else f':{port}'}{path}"


def qr_rows(text: str) -> list[str]:
    """A QR code as rows of `0` and `1`, without the quiet zone around it."""
    return ["".join(str(int(cell)) for cell in row) for row in segno.make_qr(text).matrix]
