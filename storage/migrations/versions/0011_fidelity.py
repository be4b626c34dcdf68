"""How the code of a unit agrees with that of its whole translation unit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.add_column(
        "build", sa.Column("fidelity", sa.String(), nullable=False, server_default="")
    )
