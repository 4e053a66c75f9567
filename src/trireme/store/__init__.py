"""The database that the arena and the web server share: SQLite by default, PostgreSQL by URL."""

from .database import DEFAULT_URL, StoreError, open_store
from .schema import upgrade

__all__ = ["DEFAULT_URL", "StoreError", "open_store", "upgrade"]
