"""How much a repository weighs at its host."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from storage.database.base import BIG_INTEGER

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "repository",
        sa.Column("kilobytes", BIG_INTEGER, nullable=False, server_default="0"),
    )
