"""A task that ends without others to follow is ended by one question to the server.

The advisory lock is that of `storage.database.engine.Turn.TASKS`, shared. Each statement of a
volatile function sees what was
committed before it began, so that none misses who has come to wait for the task while the lock
was waited for.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_FINISH = """
CREATE FUNCTION finish_task(held integer, fence integer, outcome text, moment double precision) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(27507, 2);
  UPDATE task SET state = 'done', sent_at = 0, owner = '', lease = 0, code = '', message = '', result = outcome,
    ended_at = moment
  WHERE id = held AND generation = fence AND state = 'running';
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE task SET pending_children = pending_children - 1
  WHERE id IN (SELECT wait.task FROM wait WHERE wait.child = held);
  IF FOUND THEN
    UPDATE task SET state = 'ready'
    WHERE id IN (SELECT wait.task FROM wait WHERE wait.child = held) AND state = 'waiting' AND pending_children <= 0;
  END IF;
  RETURN true;
END
$$
"""


def upgrade() -> None:
    """Go forward; there is no way back but a copy of the database."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(sa.text(_FINISH))
