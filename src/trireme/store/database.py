"""Opening the store: one engine for either database, its schema brought up to date."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.pool import NullPool

from trireme.core.errors import TriremeError
from trireme.core.extras import require

from .schema import upgrade

DEFAULT_URL = "sqlite:///runs/trireme.db"
"""Where results go unless a URL or the variable TRIREME_DATABASE says otherwise."""
BUSY_SECONDS, BUSY_PAUSE = 30.0, 0.02
"""How long to wait for a database that another program locks, and between two attempts."""


class StoreError(TriremeError):
    """The database can't be reached, or it is not one that the store can use."""


def check_driver(url: str | None = None) -> URL:
    """The URL that `open_store` takes for `url`, once it and the database's driver are known to be
    there; nothing is opened."""
    chosen = url or os.environ.get("TRIREME_DATABASE") or DEFAULT_URL
    try:
        parsed = make_url(chosen)
    except ArgumentError:
        raise StoreError(
            f"expected a URL such as sqlite:///file.db or postgresql://host/name, not {chosen!r}"
        ) from None
    kind = parsed.get_backend_name()
    if kind not in ("sqlite", "postgresql"):
        raise StoreError(f"expected a sqlite or postgresql URL, not {chosen!r}")
    if kind == "postgresql":
        require("postgres", "PostgreSQL")
    return parsed


def open_store(url: str | None = None) -> Engine:
    """The engine for `url`, with every schema migration applied.

    `sqlite:///runs/trireme.db` and `postgresql://user@host/name` are the two kinds of URL. The
    engine may be used from several threads; several processes may open the same store.
    """
    parsed = check_driver(url)
    if parsed.get_backend_name() == "postgresql":
        engine = create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    else:
        engine = _sqlite(parsed.database)
    try:
        upgrade(engine)
    except DBAPIError as error:
        engine.dispose()
        shown = parsed.render_as_string(hide_password=True)
        raise StoreError(f"can't open the database {shown}: {error.orig}") from error
    return engine


def _when_free(act: Callable[[], object]) -> None:
    """Do it again until no other program locks the database: SQLite does not wait for all locks.

    While another connection makes the write-ahead log of a new database, it refuses at once.
    """
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            act()
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= end:
                raise
            time.sleep(BUSY_PAUSE)


def _sqlite(database: str | None) -> Engine:
    if not database or database == ":memory:":
        raise StoreError("expected a SQLite file: results must outlive the program")
    try:
        Path(database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"can't open the database {database!r}: {error.strerror}") from None
    engine = create_engine(
        f"sqlite:///{database}", poolclass=NullPool, connect_args={"timeout": BUSY_SECONDS}
    )

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _: Any) -> None:
        # The driver's own transactions exclude DDL; the store begins its own (below).
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        # A write-ahead log: readers need not wait for the writer.
        _when_free(lambda: connection.execute("PRAGMA journal_mode = WAL"))
        connection.execute("PRAGMA synchronous = NORMAL")

    @event.listens_for(engine, "begin")
    def begun(connection: Any) -> None:
        # Takes the write lock at once: a transaction that reads first and then writes fails with
        # SQLITE_BUSY instead of waiting for another writer.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine
