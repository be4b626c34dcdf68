"""What a host said of its repositories, and what is remembered of its answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_table(
        "memory",
        _text("key"),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        _real("remembered_at"),
        sa.PrimaryKeyConstraint("key", name="pk_memory"),
    )
    op.create_table(
        "repository",
        _text("source"),
        _text("id"),
        _text("owner"),
        _text("name"),
        _text("url"),
        _text("pushed_at"),
        _text("state"),
        _text("reason"),
        _real("seen_at"),
        _real("vanished_at"),
        sa.PrimaryKeyConstraint("source", "id", name="pk_repository"),
    )
    op.create_index("ix_repository_owner", "repository", ["owner"])


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False)


def _real(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Float(), nullable=False)
