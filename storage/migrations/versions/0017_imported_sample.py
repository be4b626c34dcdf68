"""Samples that were imported from the files of other programs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_table(
        "imported_sample",
        sa.Column("collection", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("filename", sa.String(), nullable=False),
        sa.Column("pass_call", sa.Boolean(), nullable=True),
        sa.Column("pass_exe", sa.Boolean(), nullable=True),
        sa.Column("pass_perf", sa.Boolean(), nullable=True),
        sa.Column("encoded", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("collection", "position", name="pk_imported_sample"),
    )
