"""Which revision of our code may do a task, and which one a worker has."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "task", sa.Column("revision", sa.String(), nullable=False, server_default="")
    )
    op.add_column(
        "worker",
        sa.Column("revisions", sa.String(), nullable=False, server_default="{}"),
    )
    op.drop_index("ix_task_dispatch", table_name="task")
    ready = sa.text("state = 'ready'")
    op.create_index(
        "ix_task_dispatch",
        "task",
        ["queue", "revision", "account", sa.text("priority DESC"), "id"],
        sqlite_where=ready,
        postgresql_where=ready,
    )
