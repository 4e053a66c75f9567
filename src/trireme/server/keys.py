"""Room ids without ambiguous letters, secret seat tokens and their hashes, seeds."""

from __future__ import annotations

import hashlib
import re
import secrets

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_ROOM = re.compile(f"[{_LETTERS}]{{12}}")


def new_room_id() -> str:
    """A random id of 59 bits: an unlisted room can be found only by its link."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def is_room_id(text: str) -> bool:
    return _ROOM.fullmatch(text) is not None


def new_token() -> str:
    """The secret that holds a seat."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    """What the server stores of a token, so that reading the database gives nobody a seat."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def new_seed() -> int:
    """A seed for chance moves: too long to be found by trial, exact in every JSON parser."""
    return secrets.randbits(53)
