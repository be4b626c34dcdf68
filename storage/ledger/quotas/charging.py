"""Charge what a task used to the crawls that want it, in the transaction that ends it."""

from __future__ import annotations

import os
from typing import Final

from sqlalchemy import (
    BigInteger,
    Connection,
    Double,
    Integer,
    String,
    bindparam,
    cast,
    func,
    select,
    text,
)

from storage.ledger.quotas.quota import Use

_DAY_SECONDS: Final = 86400
_SHARDS: Final = 8
"""Rows of a crawl and a day: a process adds to one of them, and waits for few others."""
_CHARGED: Final = (
    cast(bindparam("bytes"), BigInteger),
    cast(bindparam("cpu"), Double),
    cast(bindparam("gpu"), Double),
    cast(bindparam("today"), Integer),
    cast(bindparam("part"), Integer),
)
# Functions of our own in the server (see migrations 0010 and 0027). The first ends a task that
# spawns nothing, as most do, counts it for those that wait for it, and charges it: one question.
FINISH_ON_SERVER: Final = select(
    func.finish_charged_task(
        cast(bindparam("held"), Integer),
        cast(bindparam("fence"), Integer),
        cast(bindparam("outcome"), String),
        cast(bindparam("at"), Double),
        *_CHARGED,
    )
)
_CHARGE_ON_SERVER: Final = select(
    func.charge_task(
        cast(bindparam("held"), Integer), cast(bindparam("ended"), Integer), *_CHARGED
    )
)
_CHARGE: Final = text("""
INSERT INTO crawl_use AS used
  (crawl, day, shard, owner, tasks, stored_bytes, cpu_seconds, gpu_seconds)
SELECT crawl.id, :today, :part, crawl.asked_by, :ended, :bytes, :cpu, :gpu
FROM crawl_task JOIN crawl ON crawl.id = crawl_task.crawl
WHERE crawl_task.task = :held AND crawl.state <> 'cancelled'
ON CONFLICT (crawl, day, shard) DO UPDATE SET
  tasks = used.tasks + excluded.tasks,
  stored_bytes = used.stored_bytes + excluded.stored_bytes,
  cpu_seconds = used.cpu_seconds + excluded.cpu_seconds,
  gpu_seconds = used.gpu_seconds + excluded.gpu_seconds
""")


def charge_task(
    connection: Connection, task: int, use: Use, *, now: float, has_ended: bool
) -> None:
    """Add what a task used to each of its crawls; one that was put back counts as no task."""
    values = {"held": task, "ended": int(has_ended), **charge_values(use, now)}
    is_embedded = connection.dialect.name == "sqlite"
    connection.execute(_CHARGE if is_embedded else _CHARGE_ON_SERVER, values)


def charge_values(use: Use, now: float) -> dict[str, float]:
    """Return the parameters by which a statement charges `use`."""
    return {
        "bytes": use.stored_bytes,
        "cpu": use.cpu_seconds,
        "gpu": use.gpu_seconds,
        "today": to_day(now),
        "part": os.getpid() % _SHARDS,
    }


def to_day(seconds: float) -> int:
    """Return the day since 1970 of a time in seconds since then."""
    return int(seconds) // _DAY_SECONDS
