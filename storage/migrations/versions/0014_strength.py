"""How much the cases of a run can tell, in a word."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "run",
        sa.Column("strength", sa.String(), nullable=False, server_default="unmeasured"),
    )
