"""Alembic environment: migrate through the given connection, within its transaction."""

from __future__ import annotations

from alembic import context

from storage.tables import METADATA

connection = context.config.attributes["connection"]
# alembic assumes that SQLite cannot roll back DDL; it can, once the driver no longer begins
# transactions by itself
context.configure(
    connection=connection,
    target_metadata=METADATA,
    transactional_ddl=True,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
