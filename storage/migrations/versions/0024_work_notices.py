"""Postgres tells whoever listens that tasks may have become due.

The triggers stand in the database rather than in our code, so that what a worker of another
version makes ready is told of as well. Of many notices in one transaction Postgres sends one.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_FUNCTION = """
CREATE FUNCTION tell_of_work() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('kernelset_work', '');
  RETURN NULL;
END
$$
"""
_TRIGGERS = (
    "tell_of_new_tasks AFTER INSERT ON task FOR EACH STATEMENT",
    # most updates claim or end a task, and make none ready
    "tell_of_ready_tasks AFTER UPDATE OF state ON task FOR EACH ROW"
    " WHEN (NEW.state = 'ready')",
    "tell_of_wanted_tasks AFTER INSERT ON crawl_task FOR EACH STATEMENT",
    "tell_of_crawls AFTER INSERT OR UPDATE OF state ON crawl FOR EACH STATEMENT",
    # for each row: a heartbeat is an insert that meets a row
    "tell_of_workers AFTER INSERT ON worker FOR EACH ROW",
)


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    if op.get_bind().dialect.name != "postgresql":
        return

    op.execute(sa.text(_FUNCTION))
    for trigger in _TRIGGERS:
        op.execute(sa.text(f"CREATE TRIGGER {trigger} EXECUTE FUNCTION tell_of_work()"))
