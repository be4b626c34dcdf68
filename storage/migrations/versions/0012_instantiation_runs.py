"""A run for each instantiation of a unit that was run, of which one speaks for the unit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None
_KEY = ("unit", "device", "details", "toolchain")


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    with op.batch_alter_table("run") as table:
        table.add_column(
            sa.Column(
                "is_further", sa.Boolean(), nullable=False, server_default=sa.false()
            )
        )
        table.drop_constraint("uq_run_unit_device_details_toolchain", type_="unique")
        table.create_unique_constraint(
            "uq_run_unit_device_details_toolchain_instantiation",
            [*_KEY, "instantiation"],
        )
