"""Words of kernels, and the full-text index of either database over them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    op.create_table(
        "kernel_text",
        sa.Column("kernel", sa.Integer(), nullable=False),
        sa.Column("words", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["kernel"],
            ["kernel.id"],
            name="fk_kernel_text_kernel_kernel",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("kernel", name="pk_kernel_text"),
    )
    # kernels that were put before get their words when text is next searched
    if op.get_bind().dialect.name == "sqlite":
        _create_for_sqlite()
    else:
        op.execute(
            "ALTER TABLE kernel_text ADD COLUMN vector tsvector "
            "GENERATED ALWAYS AS (to_tsvector('simple', words)) STORED"
        )
        op.execute(
            "CREATE INDEX ix_kernel_text_vector ON kernel_text USING gin (vector)"
        )


def _create_for_sqlite() -> None:
    op.execute(
        "CREATE VIRTUAL TABLE kernel_words USING fts5"
        "(words, content='kernel_text', content_rowid='kernel', tokenize='ascii')"
    )
    op.execute(
        "CREATE TRIGGER kernel_text_added AFTER INSERT ON kernel_text BEGIN "
        "INSERT INTO kernel_words (rowid, words) VALUES (new.kernel, new.words); END"
    )
    op.execute(
        "CREATE TRIGGER kernel_text_removed AFTER DELETE ON kernel_text BEGIN "
        "INSERT INTO kernel_words (kernel_words, rowid, words) "
        "VALUES ('delete', old.kernel, old.words); END"
    )
