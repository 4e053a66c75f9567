"""The schema's version: brings a database up to date with the Alembic migrations in `migrations/`.

A migration that has been released never changes: what must be different is a new file at the end,
`versions/vNNNN_title.py` with the revision NNNN. The SQL keeps to what SQLite and PostgreSQL share:
TEXT, BIGINT, DOUBLE PRECISION and BOOLEAN columns, text or composite keys, times as ISO 8601 text
in UTC, JSON as text.
"""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from trireme.core.errors import TriremeError

MIGRATIONS = Path(__file__).with_name("migrations")
_LOCK = 0x7472_6972
"""Any number that no other program on the same PostgreSQL locks."""
_ONE_AT_A_TIME = threading.Lock()
"""Alembic keeps the running migration in module globals."""


def upgrade(engine: Engine, migrations: Path = MIGRATIONS) -> str:
    """Bring the schema up to date and return its revision; programs may start at the same time.

    All missing migrations run in one transaction: either all of them stand or none. Alembic is
    imported only where one is missing: an up-to-date store opens without it.
    """
    newest = _newest(migrations)
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        current = _current(connection)
        if current is not None and current > newest:
            raise TriremeError(
                f"the database has schema {current}, newer than {newest}: update Trireme"
            )
        if current != newest:
            with _ONE_AT_A_TIME:
                _run_alembic(connection, migrations)
    return newest


def _newest(migrations: Path) -> str:
    """The last revision, from the file names: v0002_rooms.py is revision 0002."""
    return max(path.name[1:5] for path in (migrations / "versions").glob("v????_*.py"))


def _current(connection: Connection) -> str | None:
    """The database's revision; None where it has no schema, or one that Alembic does not know."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(
        text("SELECT version_num FROM alembic_version")
    ).scalar_one_or_none()
    return revision


def _run_alembic(connection: Connection, migrations: Path) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    if (adopted := _before_alembic(connection)) is not None:
        command.stamp(config, adopted)
    command.upgrade(config, "head")


def _before_alembic(connection: Connection) -> str | None:
    """The revision of a database that was made before Alembic kept it.

    It has a table `migrations` of step numbers, which are the first revisions. The table stays, so
    that an older Trireme can still open the database.
    """
    tables = inspect(connection)
    if tables.has_table("alembic_version") or not tables.has_table("migrations"):
        return None
    number = connection.execute(text("SELECT max(number) FROM migrations")).scalar()
    return None if number is None else f"{number:04}"
