"""What models were asked, and what came of it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_table(
        "model_answer",
        sa.Column("request", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        sa.Column("answered_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("request", name="pk_model_answer"),
    )
    op.create_index("ix_model_answer_unit", "model_answer", ["unit"])
    op.create_table(
        "completion_attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("series", "kernel", "unit", "purpose")
        ),
        sa.Column("number", sa.Integer(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in (
                "model",
                "parameters",
                "prompt",
                "reflection",
                "answer",
                "source",
                "messages",
            )
        ),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in (
                "pass_call",
                "pass_exe",
                "pass_perf",
                "verdict",
                "code",
                "problem",
            )
        ),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("attempted_at", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_completion_attempt"),
    )
    for name in ("series", "kernel", "unit"):
        op.create_index(f"ix_completion_attempt_{name}", "completion_attempt", [name])
