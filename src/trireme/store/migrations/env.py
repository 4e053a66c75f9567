"""Alembic's environment: it runs this file for every command, on the connection it is given."""

from alembic import context

# The caller holds a transaction and the lock, so all missing steps stand or fall together.
context.configure(connection=context.config.attributes["connection"])
context.run_migrations()
