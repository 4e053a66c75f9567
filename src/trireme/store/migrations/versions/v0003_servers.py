"""Web servers that share the database, and which of them owns a room."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute(
        """CREATE TABLE servers (
             server_id BIGINT PRIMARY KEY,
             address TEXT NOT NULL,
             listed TEXT NOT NULL
           )"""
    )
    op.execute("ALTER TABLE rooms ADD COLUMN owner BIGINT")
