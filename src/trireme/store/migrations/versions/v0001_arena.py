"""Arena runs and their games."""

from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.execute(
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
           )"""
    )
    op.execute("CREATE INDEX arena_runs_by_game ON arena_runs (game, settings)")
    op.execute(
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
           )"""
    )
