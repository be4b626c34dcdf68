"""What units did on devices, and the cases that they were run with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.database.base import BIG_INTEGER

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None
_WORDS = (
    "unit",
    "device",
    "details",
    "toolchain",
    "compiler",
    "instantiation",
    "behaviour",
    "oracle",
    "suite",
)
_VERDICTS = (
    "exe_status",
    "exe_code",
    "exe_message",
    "perf_status",
    "perf_code",
    "perf_message",
)
_MEASURED = ("branches", "branches_reached", "mutants", "killed")


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    # nothing ever wrote into the table that was meant for runs
    op.drop_table("run")
    op.create_table(
        "run",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in _WORDS),
        sa.Column("cases", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.String(), nullable=False) for name in _VERDICTS),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in _MEASURED),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("encoded", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_run"),
        sa.UniqueConstraint(
            "unit",
            "device",
            "details",
            "toolchain",
            name="uq_run_unit_device_details_toolchain",
        ),
    )
    op.create_table(
        "suite",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("seed", BIG_INTEGER, nullable=False),
        sa.Column("oracle", sa.String(), nullable=False),
        sa.Column("cases", sa.Integer(), nullable=False),
        sa.Column("contents", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_suite"),
    )
    op.create_index("ix_suite_unit", "suite", ["unit"])
