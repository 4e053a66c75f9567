"""Signatures of records (HMAC-SHA256): a server recognises the games that it recorded itself."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from sqlalchemy import Engine, text

from trireme.core.record import split_signature

KEY = "signing_key"
"""The name of the key's row in `server_state`."""


class RecordSigner:
    """Signs records with the key of the server's database, which is made when it is first needed.

    All servers of a database share the key; nobody else can sign or check.
    """

    def __init__(self, engine: Engine) -> None:
        row = {"name": KEY, "value": secrets.token_hex(32)}
        with engine.begin() as connection:
            connection.execute(
                text(
                    "INSERT INTO server_state (name, value) VALUES (:name, :value)"
                    " ON CONFLICT (name) DO NOTHING"
                ),
                row,
            )
            found = connection.execute(
                text("SELECT value FROM server_state WHERE name = :name"), row
            ).scalar_one()
        self._key = bytes.fromhex(found)

    def sign(self, content: str) -> str:
        return hmac.new(self._key, content.encode(), hashlib.sha256).hexdigest()

    def verify(self, record: str) -> bool | None:
        """Whether this server signed the record; None: it has no signature."""
        content, signature = split_signature(record)
        if signature is None:
            return None
        return hmac.compare_digest(self.sign(content).encode(), signature.encode())
