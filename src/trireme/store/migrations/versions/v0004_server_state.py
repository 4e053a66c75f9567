"""What servers of one database share: the key that signs records, and the last health check."""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.execute("CREATE TABLE server_state (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
