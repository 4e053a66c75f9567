"""Names and secrets: room ids that can be read aloud, tokens that can't be guessed."""

from __future__ import annotations

import hashlib
import re
import secrets

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_ROOM = re.compile(f"[{_LETTERS}]{{12}}")


def new_room_id() -> str:
    """59 random bits: a room that is not listed is found only by its link."""
    return "".join(secrets.choice(_LETTERS) for _ in range(12))


def is_room_id(text: str) -> bool:
    return _ROOM.fullmatch(text) is not None


def new_token() -> str:
    """The secret that holds a seat."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    """What the server keeps of a token: who reads the database holds no seat."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def new_seed() -> int:
    """Nature's seed: too long to be guessed from its moves, exact in every JSON reader."""
    return secrets.randbits(53)
