"""Add what crawls have used, and who asked for what.

Only columns with defaults, tables and a function are added: workers of an older version that run
meanwhile end their tasks as before, and charge nobody.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_BIG_INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# in the order of the crawls, so that two processes that share a row never wait in a circle
_CHARGE = """
CREATE FUNCTION charge_task(
  held integer, ended integer, bytes bigint, cpu double precision, gpu double precision,
  today integer, part integer
) RETURNS void
LANGUAGE sql VOLATILE AS $$
  INSERT INTO crawl_use AS used
    (crawl, day, shard, owner, tasks, stored_bytes, cpu_seconds, gpu_seconds)
  SELECT crawl.id, today, part, crawl.asked_by, ended, bytes, cpu, gpu
  FROM crawl_task JOIN crawl ON crawl.id = crawl_task.crawl
  WHERE crawl_task.task = held AND crawl.state <> 'cancelled'
  ORDER BY crawl.id
  ON CONFLICT (crawl, day, shard) DO UPDATE SET
    tasks = used.tasks + excluded.tasks,
    stored_bytes = used.stored_bytes + excluded.stored_bytes,
    cpu_seconds = used.cpu_seconds + excluded.cpu_seconds,
    gpu_seconds = used.gpu_seconds + excluded.gpu_seconds
$$
"""
_FINISH = """
CREATE FUNCTION finish_charged_task(
  held integer, fence integer, outcome text, moment double precision,
  bytes bigint, cpu double precision, gpu double precision, today integer, part integer
) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT finish_task(held, fence, outcome, moment) THEN
    RETURN false;
  END IF;
  PERFORM charge_task(held, 1, bytes, cpu, gpu, today, part);
  RETURN true;
END
$$
"""


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    for name in ("asked_by", "hold_reason"):
        text = sa.Column(name, sa.String(), nullable=False, server_default="")
        op.add_column("crawl", text)

    op.create_table(
        "crawl_use",
        sa.Column("crawl", sa.String(), nullable=False),
        sa.Column("day", sa.Integer(), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("stored_bytes", _BIG_INTEGER, nullable=False),
        sa.Column("cpu_seconds", sa.Float(), nullable=False),
        sa.Column("gpu_seconds", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("crawl", "day", "shard", name="pk_crawl_use"),
    )
    op.create_index("ix_crawl_use_day", "crawl_use", ["day"])

    op.create_table(
        "request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.Float(), nullable=False),
        sa.Column("asked_by", sa.String(), nullable=False),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("crawl", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_request"),
    )
    for column in ("asked_at", "crawl"):
        op.create_index(f"ix_request_{column}", "request", [column])

    if op.get_bind().dialect.name == "postgresql":
        op.execute(sa.text(_CHARGE))
        op.execute(sa.text(_FINISH))
