"""Since when nothing names a blob."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "blob", sa.Column("doomed_at", sa.Float(), nullable=False, server_default="0")
    )
    doomed = sa.text("doomed_at <> 0")
    op.create_index(
        "ix_blob_doomed",
        "blob",
        ["doomed_at"],
        sqlite_where=doomed,
        postgresql_where=doomed,
    )
    op.create_index("ix_blob_pack", "blob", ["pack"])
