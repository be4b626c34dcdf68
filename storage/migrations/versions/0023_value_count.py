"""Kept counts of the values of fields."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    # empty: the first look at a facet counts, and from then on its counts are kept
    op.create_table(
        "value_count",
        sa.Column("field", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("kernels", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("field", "value", "target", name="pk_value_count"),
    )
