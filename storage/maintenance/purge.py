"""Remove opted-out commits: their rows, their tasks, and the blobs that nothing else needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, delete, or_, select

from crawler.codec import decode
from crawler.errors import Misconfigured
from crawler.model import Repo
from storage.database.chunks import iter_chunks
from storage.database.engine import (
    AdvisoryLock,
    acquire_advisory_lock,
    write_transaction,
)
from storage.ledger.interface import Stage
from storage.ledger.task_queries import has_running_task
from storage.maintenance.live_blobs import (
    PURGE_PLAN_KEY,
    find_digests,
    referenced_digests,
)
from storage.tables import (
    BUILD,
    CRAWL_TASK,
    KERNEL,
    MEMORY,
    PORT,
    PORT_BLOCKER,
    REPOSITORY,
    REVISION,
    REVISION_TASK,
    RUN,
    SPAWN,
    SUITE,
    TASK,
    UNIT,
    WAIT,
)

_IS_PURGE_PLAN: Final = MEMORY.c.key == PURGE_PLAN_KEY


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeResult:
    """How much a purge removed."""

    repositories: int
    """Commits, that is."""
    kernels: int
    units: int
    tasks: int
    blobs: int


@dataclass(slots=True)
class _Removal:
    """How many rows were removed, and the digests that they named."""

    kernels: int = 0
    units: int = 0
    tasks: int = 0
    digests: frozenset[str] = frozenset()


def purge_commits(
    engine: Engine,
    erase_blobs: Callable[[Sequence[str]], int],
    is_opted_out: Callable[[Repo], bool],
) -> PurgeResult:
    """Remove every commit for which `is_opted_out`; `erase_blobs` erases blobs by digest.

    The rows and a plan of the blobs to erase are one transaction; a purge that was cut short
    goes on from the plan. Raises `Misconfigured` while any task runs.
    """
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        acquire_advisory_lock(connection, AdvisoryLock.INDEX)
        # a running task may be about to reference a blob that would be erased
        if has_running_task(connection):
            raise Misconfigured(
                "a crawl is at work: let it end, or stop it, then purge",
                code="purge-too-early",
            )

        commits = [
            row
            for row in connection.execute(select(REVISION)).all()
            if is_opted_out(decode(row.encoded, Repo))
        ]
        removal = _remove_commits(connection, commits)
        # what a purge that was cut short had planned is erased, too
        digests = {*_read_plan(connection), *removal.digests}
        plan = sorted(digests - referenced_digests(connection))
        _write_plan(connection, plan)

    erased = erase_blobs(plan)

    with write_transaction(engine) as connection:
        connection.execute(delete(MEMORY).where(_IS_PURGE_PLAN))

    return PurgeResult(
        repositories=len(commits),
        kernels=removal.kernels,
        units=removal.units,
        tasks=removal.tasks,
        blobs=erased,
    )


def _remove_commits(connection: Connection, commits: Sequence[Row[Any]]) -> _Removal:
    """Remove commits, all that only they need, and their entries of listings."""
    if not commits:
        return _Removal()

    removal = _remove_revisions(connection, [commit.id for commit in commits])

    for commit in commits:
        listed = delete(REPOSITORY).where(
            REPOSITORY.c.source == commit.source,
            REPOSITORY.c.owner == commit.owner,
            REPOSITORY.c.name == commit.name,
        )
        connection.execute(listed)

    return removal


def _remove_revisions(connection: Connection, revisions: Sequence[int]) -> _Removal:
    is_of_kernels = KERNEL.c.revision.in_(revisions)
    is_of_revisions = REVISION.c.id.in_(revisions)
    kernels = connection.execute(select(KERNEL).where(is_of_kernels)).all()
    commits = connection.execute(select(REVISION).where(is_of_revisions)).all()
    tasks = _find_tasks(connection, revisions)

    links = delete(REVISION_TASK).where(REVISION_TASK.c.revision.in_(revisions))
    connection.execute(delete(KERNEL).where(is_of_kernels))
    connection.execute(links)
    connection.execute(delete(REVISION).where(is_of_revisions))

    candidates = {kernel.unit for kernel in kernels if kernel.unit}
    units = _find_orphaned_units(connection, candidates)
    removed_rows: list[Row[Any]] = [*kernels, *commits]
    removed_rows += _remove_units(connection, units)
    removed_rows += _remove_tasks(connection, tasks)
    digests = frozenset(find_digests(removed_rows))
    _remove_memory_entries(connection, digests)

    return _Removal(
        kernels=len(kernels),
        units=len(units),
        tasks=len(tasks),
        digests=digests,
    )


def _find_tasks(connection: Connection, revisions: Sequence[int]) -> set[int]:
    """Return the tasks that only these commits need.

    They are those that found the commits, the listing tasks that spawned one of those, and all
    that was spawned by these tasks alone.
    """
    found_by = select(REVISION_TASK.c.task).where(
        REVISION_TASK.c.revision.in_(revisions)
    )
    tasks = set(connection.scalars(found_by))
    spawns = [
        (row.spawned_by, row.task) for row in connection.execute(select(SPAWN)).all()
    ]
    # a listing task with a parent pins one repository; without one it lists a whole owner
    pinning = select(TASK.c.id).where(
        TASK.c.stage == Stage.LIST.value, TASK.c.parent.is_not(None)
    )
    pinning_tasks = set(connection.scalars(pinning))
    tasks |= {
        parent for parent, child in spawns if child in tasks and parent in pinning_tasks
    }

    return _with_exclusive_descendants(tasks, spawns)


def _with_exclusive_descendants(
    tasks: set[int], spawns: Iterable[tuple[int, int]]
) -> set[int]:
    """Return `tasks` with all that only they spawned, given (parent, child) of all tasks."""
    reached = set(tasks)
    while True:
        children: set[int] = set()
        shared: set[int] = set()

        for parent, child in spawns:
            (children if parent in reached else shared).add(child)

        exclusive = children - shared - reached
        if not exclusive:
            return reached

        reached |= exclusive


def _find_orphaned_units(connection: Connection, units: set[str]) -> set[str]:
    """Return those of `units`, and of their ports, that no kernel has any more."""
    used = select(KERNEL.c.unit).where(KERNEL.c.unit.in_(units))
    orphans = units - set(connection.scalars(used))
    own_ports = select(PORT.c.ported).where(PORT.c.unit.in_(orphans))
    ports = set(connection.scalars(own_ports))
    shared = select(PORT.c.ported).where(
        PORT.c.ported.in_(ports), PORT.c.unit.not_in(orphans)
    )
    shared_ports = set(connection.scalars(shared))
    # the text of a port may be that of a project's own kernel
    used_ports = select(KERNEL.c.unit).where(KERNEL.c.unit.in_(ports))
    used_as_units = set(connection.scalars(used_ports))

    return orphans | (ports - shared_ports - used_as_units)


def _remove_units(connection: Connection, units: set[str]) -> list[Row[Any]]:
    """Remove units with all that names them, and return the removed rows."""
    removed: list[Row[Any]] = []
    for chunk in iter_chunks(units):
        is_blocked = PORT_BLOCKER.c.unit.in_(chunk), PORT_BLOCKER.c.ported.in_(chunk)
        is_ported = PORT.c.unit.in_(chunk), PORT.c.ported.in_(chunk)
        conditions = (
            (RUN, RUN.c.unit.in_(chunk)),
            (SUITE, SUITE.c.unit.in_(chunk)),
            (BUILD, BUILD.c.unit.in_(chunk)),
            (PORT_BLOCKER, or_(*is_blocked)),
            (PORT, or_(*is_ported)),
        )

        for table, condition in conditions:
            removed += connection.execute(select(table).where(condition)).all()
            connection.execute(delete(table).where(condition))

    # only now: a port of one chunk may name a unit of another
    for chunk in iter_chunks(units):
        is_removed = UNIT.c.digest.in_(chunk)
        removed += connection.execute(select(UNIT).where(is_removed)).all()
        connection.execute(delete(UNIT).where(is_removed))

    return removed


def _remove_tasks(connection: Connection, tasks: set[int]) -> list[Row[Any]]:
    """Remove tasks with all that names them, and return the rows of the tasks."""
    removed: list[Row[Any]] = []
    for chunk in iter_chunks(tasks):
        removed += connection.execute(select(TASK).where(TASK.c.id.in_(chunk))).all()
        memberships = CRAWL_TASK.c.task.in_(chunk)
        spawns = or_(SPAWN.c.spawned_by.in_(chunk), SPAWN.c.task.in_(chunk))
        waits = or_(WAIT.c.task.in_(chunk), WAIT.c.child.in_(chunk))
        connection.execute(delete(CRAWL_TASK).where(memberships))
        connection.execute(delete(SPAWN).where(spawns))
        connection.execute(delete(WAIT).where(waits))
        children = TASK.update().where(TASK.c.parent.in_(chunk))
        connection.execute(children.values(parent=None))

    # only now: a parent of one chunk may have children in another
    for chunk in iter_chunks(tasks):
        connection.execute(delete(TASK).where(TASK.c.id.in_(chunk)))

    return removed


def _remove_memory_entries(connection: Connection, digests: frozenset[str]) -> None:
    """Remove what is remembered of parses and builds whose blobs go."""
    entries = select(MEMORY).where(~_IS_PURGE_PLAN)
    for row in connection.execute(entries).all():
        if not digests.isdisjoint(find_digests([(row.value,)])):
            connection.execute(delete(MEMORY).where(MEMORY.c.key == row.key))


def _read_plan(connection: Connection) -> list[str]:
    """Return the blobs that a purge which was cut short has yet to erase."""
    plan = connection.scalar(select(MEMORY.c.value).where(_IS_PURGE_PLAN))
    return list(json.loads(plan)) if plan else []


def _write_plan(connection: Connection, plan: Sequence[str]) -> None:
    connection.execute(delete(MEMORY).where(_IS_PURGE_PLAN))
    row = {
        "key": PURGE_PLAN_KEY,
        "value": json.dumps(plan).encode(),
        "remembered_at": 0.0,
    }
    connection.execute(MEMORY.insert().values(row))
