"""Where the sizes of a run's memory come from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "run", sa.Column("extents", sa.String(), nullable=False, server_default="")
    )
