"""Whether a newer commit of the same repository has taken a kernel's place."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "kernel",
        sa.Column(
            "superseded", sa.Boolean(), nullable=False, server_default=sa.false()
        ),
    )
