"""The schema as a list of numbered steps; a database knows which it has taken.

A step that has been released never changes: what must be different is a new step at the end. The
SQL keeps to what SQLite and PostgreSQL share: TEXT, BIGINT, DOUBLE PRECISION and BOOLEAN columns,
text or composite keys, times as ISO 8601 text in UTC, JSON as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, Engine, text

from trireme.core.errors import TriremeError

_LOCK = 0x7472_6972
"""Any number that no other program on the same PostgreSQL locks."""


@dataclass(frozen=True)
class Migration:
    """One step of the schema."""

    number: int
    title: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        1,
        "runs of the arena and their games",
        (
            """CREATE TABLE arena_runs (
                 run_id TEXT PRIMARY KEY,
                 game TEXT NOT NULL,
                 settings TEXT NOT NULL,
                 seed BIGINT NOT NULL,
                 seconds DOUBLE PRECISION,
                 schedule_hash TEXT NOT NULL,
                 results_hash TEXT NOT NULL,
                 finished TEXT NOT NULL,
                 version TEXT NOT NULL,
                 report TEXT NOT NULL
               )""",
            "CREATE INDEX arena_runs_by_game ON arena_runs (game, settings)",
            """CREATE TABLE arena_games (
                 run_id TEXT NOT NULL REFERENCES arena_runs (run_id) ON DELETE CASCADE,
                 number BIGINT NOT NULL,
                 cluster TEXT NOT NULL,
                 first TEXT NOT NULL,
                 second TEXT,
                 first_return DOUBLE PRECISION NOT NULL,
                 second_return DOUBLE PRECISION,
                 moves BIGINT NOT NULL,
                 forfeit TEXT,
                 fingerprint TEXT NOT NULL,
                 PRIMARY KEY (run_id, number)
               )""",
        ),
    ),
    Migration(
        2,
        "rooms of the web server, what happens in them, and drafts",
        (
            """CREATE TABLE rooms (
                 room_id TEXT PRIMARY KEY,
                 game TEXT NOT NULL,
                 variant TEXT,
                 setup TEXT NOT NULL,
                 public BOOLEAN NOT NULL,
                 status TEXT NOT NULL,
                 names TEXT NOT NULL,
                 returns TEXT NOT NULL,
                 moves BIGINT NOT NULL,
                 created TEXT NOT NULL,
                 updated TEXT NOT NULL
               )""",
            "CREATE INDEX rooms_by_end ON rooms (status, updated)",
            """CREATE TABLE room_events (
                 room_id TEXT NOT NULL REFERENCES rooms (room_id) ON DELETE CASCADE,
                 version BIGINT NOT NULL,
                 event TEXT NOT NULL,
                 ts TEXT NOT NULL,
                 PRIMARY KEY (room_id, version)
               )""",
            """CREATE TABLE room_drafts (
                 room_id TEXT NOT NULL REFERENCES rooms (room_id) ON DELETE CASCADE,
                 seat BIGINT NOT NULL,
                 decision BIGINT NOT NULL,
                 action TEXT NOT NULL,
                 PRIMARY KEY (room_id, seat)
               )""",
        ),
    ),
)


def migrate(engine: Engine, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Bring the schema up to date and give its number; safe when several programs do it at once.

    All missing steps are taken in one transaction: either all of them stand or none.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(
            text(
                "CREATE TABLE IF NOT EXISTS migrations"
                " (number BIGINT PRIMARY KEY, title TEXT NOT NULL, applied TEXT NOT NULL)"
            )
        )
        taken = _taken(connection)
        newest = max((m.number for m in migrations), default=0)
        if taken and max(taken) > newest:
            raise TriremeError(
                f"the database has schema {max(taken)}, newer than {newest}: update Trireme"
            )
        for migration in migrations:
            if migration.number not in taken:
                _take(connection, migration)
    return newest


def _taken(connection: Connection) -> set[int]:
    return set(connection.execute(text("SELECT number FROM migrations")).scalars())


def _take(connection: Connection, migration: Migration) -> None:
    for statement in migration.statements:
        connection.execute(text(statement))
    connection.execute(
        text("INSERT INTO migrations VALUES (:number, :title, :applied)"),
        {
            "number": migration.number,
            "title": migration.title,
            "applied": datetime.now(UTC).isoformat(timespec="seconds"),
        },
    )
