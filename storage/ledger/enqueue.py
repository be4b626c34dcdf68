"""Insert tasks once, and attach them with all that they spawned to crawls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import (
    CTE,
    ColumnElement,
    Connection,
    delete,
    literal,
    select,
    tuple_,
    update,
)

from storage.database.base import upsert
from storage.database.chunks import CHUNK_SIZE, iter_chunks, iter_slices
from storage.ledger.crawls.crawl_membership import is_wanted, read_run_queues
from storage.ledger.dependencies import rerun_with_dependents
from storage.ledger.interface import State, TaskSpec
from storage.tables import CRAWL_TASK, SPAWN, TASK

TaskKey = tuple[str, str, str]
"""(stage, key, stage version): two specs of the same are one task."""


def insert_tasks(
    connection: Connection,
    specs: Sequence[TaskSpec],
    *,
    state: State,
    now: float,
    parent: int | None = None,
    account: str = "",
) -> list[int]:
    """Insert those of `specs` that are new, in `state`, and return the ids of all in order."""
    if not specs:
        return []

    rows = [_task_row(spec, state, now, parent, account) for spec in specs]
    connection.execute(upsert(TASK).on_conflict_do_nothing(), rows)

    # an insert that meets an existing row returns nothing: all ids are read
    ids = _find_task_ids(connection, specs)
    tasks = [ids[_task_key(spec)] for spec in specs]

    if parent is not None:
        spawns = [{"spawned_by": parent, "task": task} for task in tasks]
        connection.execute(upsert(SPAWN).on_conflict_do_nothing(), spawns)

    return tasks


def _find_task_ids(
    connection: Connection, specs: Sequence[TaskSpec]
) -> dict[TaskKey, int]:
    key = tuple_(TASK.c.stage, TASK.c.key, TASK.c.stage_version)
    ids: dict[TaskKey, int] = {}

    for chunk in iter_slices(specs, CHUNK_SIZE):
        keys = [_task_key(spec) for spec in chunk]
        statement = select(TASK.c.id, *key.clauses).where(key.in_(keys))
        for task, stage, task_key, version in connection.execute(statement):
            ids[stage, task_key, version] = task

    return ids


def attach_to_crawls(
    connection: Connection, crawls: Sequence[str], tasks: Iterable[int]
) -> None:
    """Make `tasks` and all that they ever spawned part of each of `crawls`, without the runs of
    kernels that it does not want.

    Those of them that were cancelled run again.
    """
    roots = sorted(set(tasks))
    if not crawls:
        return

    run_queues = read_run_queues(connection, crawls)
    for crawl in crawls:
        condition = is_wanted(run_queues[crawl])
        for chunk in iter_chunks(roots):
            _add_members(connection, crawl, chunk, condition)

    for chunk in iter_chunks(roots):
        # what was cancelled is wanted again
        cancelled = _find_cancelled(connection, chunk)
        rerun_with_dependents(connection, cancelled)


def _find_cancelled(connection: Connection, roots: Sequence[int]) -> Sequence[int]:
    reached = _select_descendants(roots)
    is_reached = reached.c.id == TASK.c.id
    is_cancelled = TASK.c.state == State.CANCELLED
    cancelled = select(TASK.c.id).join(reached, is_reached)

    return connection.scalars(cancelled.where(is_cancelled)).all()


def _add_members(
    connection: Connection,
    crawl: str,
    roots: Sequence[int],
    condition: ColumnElement[bool],
) -> None:
    reached = _select_descendants(roots)
    is_reached = reached.c.id == TASK.c.id
    # without a WHERE, SQLite's parser takes ON CONFLICT for the condition of a join
    members = (
        select(literal(crawl), TASK.c.id).join(reached, is_reached).where(condition)
    )
    statement = (
        upsert(CRAWL_TASK)
        .from_select(["crawl", "task"], members)
        .on_conflict_do_nothing()
    )
    connection.execute(statement)


def reset_crawl(connection: Connection, crawl: str, tasks: Iterable[int]) -> None:
    """Make `crawl` consist of `tasks` and all that they ever spawned, and of nothing else.

    Whatever else it had was spawned by other versions of its stages, and how that ended says
    nothing of the crawl any more.
    """
    roots = sorted(set(tasks))
    reached: set[int] = set()

    for chunk in iter_chunks(roots):
        descendants = _select_descendants(chunk)
        ids = connection.scalars(select(descendants.c.id))
        reached.update(ids)

    is_member = CRAWL_TASK.c.crawl == crawl
    statement = select(CRAWL_TASK.c.task).where(is_member)
    members = set(connection.scalars(statement))

    for chunk in iter_chunks(members - reached):
        is_dropped = CRAWL_TASK.c.task.in_(chunk)
        connection.execute(delete(CRAWL_TASK).where(is_member, is_dropped))

        # a message that nobody can claim would hold a place of the dispatch window
        is_task = TASK.c.id.in_(chunk)
        is_sent = TASK.c.sent_at > 0
        sent = update(TASK).where(is_task, is_sent)
        connection.execute(sent.values(sent_at=0.0))

    attach_to_crawls(connection, [crawl], roots)


def _select_descendants(tasks: Sequence[int]) -> CTE:
    """Return the query for `tasks` and all that they spawned, directly or indirectly."""
    reach = select(TASK.c.id).where(TASK.c.id.in_(tasks))
    reached = reach.cte("reach", recursive=True)
    # UNION removes duplicates: a task may be spawned by several
    is_spawned = SPAWN.c.spawned_by == reached.c.id
    spawned = select(SPAWN.c.task).where(is_spawned)

    return reached.union(spawned)


def _task_key(spec: TaskSpec) -> TaskKey:
    return spec.stage.value, spec.key, spec.version


def _task_row(
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
        # the account of the crawl's root task is its own subject
        "account": spec.account or account or spec.subject,
        "host": spec.host,
        "state": state.value,
        "parent": parent,
        "created_at": now,
    }
