"""What a cluster needs to know of tasks, crawls and workers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "crawl",
        sa.Column("state", sa.String(), nullable=False, server_default="active"),
    )
    for name in ("account", "host"):
        op.add_column(
            "task", sa.Column(name, sa.String(), nullable=False, server_default="")
        )
    op.add_column(
        "task", sa.Column("sent_at", sa.Float(), nullable=False, server_default="0")
    )
    ready = sa.text("state = 'ready'")
    op.create_index(
        "ix_task_dispatch",
        "task",
        ["queue", "account", sa.text("priority DESC"), "id"],
        sqlite_where=ready,
        postgresql_where=ready,
    )
    sent = sa.text("state = 'ready' AND sent_at > 0")
    op.create_index(
        "ix_task_sent",
        "task",
        ["queue", "sent_at"],
        sqlite_where=sent,
        postgresql_where=sent,
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("queues", sa.String(), nullable=False),
        sa.Column("processes", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Float(), nullable=False),
        sa.Column("seen_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_worker"),
    )
