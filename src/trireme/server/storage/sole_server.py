"""A lock file beside a SQLite database: one server at a time, because rooms live in its memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from sqlalchemy import Engine

from trireme.store import StoreError


@contextmanager
def sole_server(engine: Engine) -> Iterator[None]:
    """Refuse to go on while another server uses the same SQLite file; PostgreSQL may be shared.

    The operating system drops the lock when the process ends, however it ends. The file stays: who
    removed it might remove it under a server that has just locked it.
    """
    import fcntl  # POSIX, as all of the server's processes; the module can be imported elsewhere

    database = engine.url.database
    if engine.dialect.name != "sqlite" or database is None:
        yield
        return
    with ExitStack() as stack:
        try:
            # Not the database itself: closing any handle on it would drop SQLite's own locks.
            file = stack.enter_context(open(f"{database}.lock", "a"))
        except OSError as error:
            raise StoreError(f"can't lock the database {database!r}: {error.strerror}") from None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise StoreError(
                f"another server runs on the database {database!r}, and SQLite serves one: "
                "stop it, choose another file with --database, or use PostgreSQL"
            ) from None
        yield
