"""The database that the arena and the web server share: SQLite by default, PostgreSQL by URL."""

from .database import DEFAULT_URL, open_store
from .migrations import MIGRATIONS, Migration, migrate

__all__ = ["DEFAULT_URL", "MIGRATIONS", "Migration", "migrate", "open_store"]
