"""Insert tasks once and attach them, with all that they spawned, to the crawls that ask for
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import CTE, Connection, delete, literal, select, tuple_, update

from storage.database.base import upsert
from storage.ledger.dependencies import (
    CHUNK_SIZE,
    TASK,
    iter_chunks,
    rerun_with_dependents,
)
from storage.ledger.interface import State, TaskSpec
from storage.tables import CrawlTask, Spawn, table

CRAWL_TASK: Final = table(CrawlTask)
SPAWN: Final = table(Spawn)
_INSERT: Final = upsert(TASK).on_conflict_do_nothing()
_SPAWN: Final = upsert(SPAWN).on_conflict_do_nothing()


def insert_tasks(
    connection: Connection,
    specs: Sequence[TaskSpec],
    *,
    state: State,
    now: float,
    parent: int | None = None,
    account: str = "",
) -> list[int]:
    """Insert those of `specs` that are not there, in `state`, and return the ids of all in
    their order.
    """
    if not specs:
        return []
    connection.execute(
        _INSERT, [_row(spec, state, now, parent, account) for spec in specs]
    )
    ids: dict[tuple[str, str, str], int] = {}
    key = tuple_(TASK.c.stage, TASK.c.key, TASK.c.stage_version)
    for start in range(0, len(specs), CHUNK_SIZE):
        wanted = [_key(spec) for spec in specs[start : start + CHUNK_SIZE]]
        for row in connection.execute(
            select(TASK.c.id, *key.clauses).where(key.in_(wanted))
        ):
            ids[row[1], row[2], row[3]] = row[0]
    found = [ids[_key(spec)] for spec in specs]
    if parent is not None:
        connection.execute(
            _SPAWN, [{"spawned_by": parent, "task": task} for task in found]
        )
    return found


def attach_to_crawls(
    connection: Connection, crawls: Sequence[str], tasks: Iterable[int]
) -> None:
    """Make `tasks` and all that they ever spawned part of `crawls`; what was cancelled of them
    is wanted again.
    """
    wanted = sorted(set(tasks))
    if crawls:
        for some in iter_chunks(wanted):
            reach = _reach(some)
            cancelled = (
                select(TASK.c.id)
                .join(reach, reach.c.id == TASK.c.id)
                .where(TASK.c.state == State.CANCELLED)
            )
            rerun_with_dependents(connection, connection.scalars(cancelled).all())
    for crawl in crawls:
        for some in iter_chunks(wanted):
            reach = _reach(some)
            # without a WHERE the parser takes ON CONFLICT for a join's condition
            members = select(literal(crawl), reach.c.id).where(reach.c.id > 0)
            statement = (
                upsert(CRAWL_TASK)
                .from_select(["crawl", "task"], members)
                .on_conflict_do_nothing()
            )
            connection.execute(statement)


def reset_crawl(connection: Connection, crawl: str, tasks: Iterable[int]) -> None:
    """Make `crawl` of `tasks` and all that they ever spawned, and of nothing else.

    What else it had, other versions of its stages asked for: how that ended tells nothing of
    the crawl any more.
    """
    wanted = sorted(set(tasks))
    reached = {
        task
        for some in iter_chunks(wanted)
        for task in connection.scalars(select(_reach(some).c.id))
    }
    mine = CRAWL_TASK.c.crawl == crawl
    members = set(connection.scalars(select(CRAWL_TASK.c.task).where(mine)))
    for some in iter_chunks(members - reached):
        connection.execute(delete(CRAWL_TASK).where(mine, CRAWL_TASK.c.task.in_(some)))
        # told of and not to be claimed, they would hold places that others need
        connection.execute(
            update(TASK)
            .where(TASK.c.id.in_(some), TASK.c.sent_at > 0)
            .values(sent_at=0.0)
        )
    attach_to_crawls(connection, [crawl], wanted)


def _reach(tasks: Sequence[int]) -> CTE:
    reach = select(TASK.c.id).where(TASK.c.id.in_(tasks)).cte("reach", recursive=True)
    return reach.union(select(SPAWN.c.task).where(SPAWN.c.spawned_by == reach.c.id))


def _key(spec: TaskSpec) -> tuple[str, str, str]:
    return spec.stage.value, spec.key, spec.version


def _row(
    spec: TaskSpec, state: State, now: float, parent: int | None, account: str
) -> dict[str, object]:
    return {
        "stage": spec.stage.value,
        "key": spec.key,
        "stage_version": spec.version,
        "revision": spec.revision,
        "queue": spec.queue,
        "payload": spec.payload,
        "subject": spec.subject,
        "priority": spec.priority,
        "account": spec.account or account or spec.subject,
        "host": spec.host,
        "state": state.value,
        "parent": parent,
        "created_at": now,
    }
