"""Indexes that lead to kernels with a rare value."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_index("ix_kernel_licence", "kernel", ["licence"])
    op.create_index("ix_kernel_licence_class", "kernel", ["licence_class"])
    op.create_index("ix_build_status", "build", ["status", "target"])
    op.create_index("ix_build_fidelity", "build", ["fidelity", "target"])
    op.create_index("ix_run_status", "run", ["exe_status", "device"])
