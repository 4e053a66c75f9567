"""Whether the database can be written: a full disk makes the server read-only, and players know."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sqlalchemy.exc import DBAPIError

log = logging.getLogger("trireme.server")

_SQLITE = (
    "database or disk is full",
    "attempt to write a readonly database",
    "disk I/O error",
)
_POSTGRES = ("53100", "25006")
"""SQLSTATEs: disk_full, read_only_sql_transaction."""


def is_read_only(error: BaseException) -> bool:
    """Whether the error says that nothing can be written, and so that nothing was."""
    if not isinstance(error, DBAPIError):
        return False
    text, state = str(error.orig), getattr(error.orig, "sqlstate", None)
    return state in _POSTGRES or any(sign in text for sign in _SQLITE)


class StorageHealth:
    """The read-only mode of a server; `on_change(read_only)` is called when it begins or ends."""

    def __init__(self, on_change: Callable[[bool], None]) -> None:
        self.read_only = False
        self._on_change = on_change

    def failed(self) -> None:
        """A write failed because nothing can be written."""
        self._set(True)

    def succeeded(self) -> None:
        """A write succeeded."""
        self._set(False)

    def _set(self, read_only: bool) -> None:
        if read_only == self.read_only:
            return
        self.read_only = read_only
        if read_only:
            log.error("the database can't be written, such as when the disk is full: read-only")
        else:
            log.warning("the database can be written again")
        self._on_change(read_only)
