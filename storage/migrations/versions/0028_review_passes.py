"""Add what reviewers gave back without a verdict, so that all servers of a store know of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_table(
        "review_pass",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["unit"], ["unit.digest"], name="fk_review_pass_unit_unit"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_review_pass"),
        sa.UniqueConstraint("reviewer", "unit", name="uq_review_pass_reviewer_unit"),
    )
    op.create_index("ix_review_pass_unit", "review_pass", ["unit"])
