"""Reviews of units by people."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_table(
        "review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("reviewed_at", sa.Float(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("encoded", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["unit"], ["unit.digest"], name="fk_review_unit_unit"),
        sa.PrimaryKeyConstraint("id", name="pk_review"),
        sa.UniqueConstraint(
            "unit",
            "reviewer",
            "reviewed_at",
            name="uq_review_unit_reviewer_reviewed_at",
        ),
    )
    op.create_index("ix_review_reviewer", "review", ["reviewer"])
    op.create_table(
        "review_state",
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reviewers", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["unit"], ["unit.digest"], name="fk_review_state_unit_unit"
        ),
        sa.PrimaryKeyConstraint("unit", name="pk_review_state"),
    )
    op.create_index("ix_review_state_state", "review_state", ["state"])
    op.create_index("ix_review_state_reviewers", "review_state", ["reviewers"])
    op.create_table(
        "review_claim",
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("until", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["unit"], ["unit.digest"], name="fk_review_claim_unit_unit"
        ),
        sa.PrimaryKeyConstraint("unit", name="pk_review_claim"),
    )
