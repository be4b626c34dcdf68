"""On which widths of a wave a port means the same."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    # ports of before were not asked: the next crawl with this version of the stage tells
    op.add_column(
        "port", sa.Column("wave", sa.String(), nullable=False, server_default="")
    )
