"""Rooms of the web server, their event logs, and drafts."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute(
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
           )"""
    )
    op.execute("CREATE INDEX rooms_by_end ON rooms (status, updated)")
    op.execute(
        """CREATE TABLE room_events (
             room_id TEXT NOT NULL REFERENCES rooms (room_id) ON DELETE CASCADE,
             version BIGINT NOT NULL,
             event TEXT NOT NULL,
             ts TEXT NOT NULL,
             PRIMARY KEY (room_id, version)
           )"""
    )
    op.execute(
        """CREATE TABLE room_drafts (
             room_id TEXT NOT NULL REFERENCES rooms (room_id) ON DELETE CASCADE,
             seat BIGINT NOT NULL,
             decision BIGINT NOT NULL,
             action TEXT NOT NULL,
             PRIMARY KEY (room_id, seat)
           )"""
    )
