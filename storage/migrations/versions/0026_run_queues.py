"""Add the queues in which a crawl wants its kernels to run."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    # NULL, all queues, for the crawls that are there: they keep their tasks
    op.add_column("crawl", sa.Column("run_queues", sa.String(), nullable=True))
