"""What a crawl wants to be run, of what it leads to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    # crawls that are there want all that was always theirs
    op.add_column("crawl", sa.Column("run_queues", sa.String(), nullable=True))
