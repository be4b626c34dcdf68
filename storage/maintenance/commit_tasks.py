"""Tasks that only some commits need, and their removal with all that names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, or_, select

from storage.database.chunks import iter_chunks
from storage.ledger.interface import Stage
from storage.tables import CRAWL_TASK, REVISION_TASK, SPAWN, TASK, WAIT

_OTHER_SPAWNER: Final = (
    select(func.min(SPAWN.c.spawned_by))
    .where(SPAWN.c.task == TASK.c.id)
    .correlate(TASK)
    .scalar_subquery()
)


def find_tasks_of_commits(connection: Connection, revisions: Sequence[int]) -> set[int]:
    """Return the tasks that only these commits need.

    They are those that found the commits, the listing tasks that spawned one of those, and all
    that was spawned by these tasks alone.
    """
    is_of_commits = REVISION_TASK.c.revision.in_(revisions)
    found_by = select(REVISION_TASK.c.task).where(is_of_commits)
    tasks = set(connection.scalars(found_by))

    # a listing task with a parent pins one repository; without one it lists a whole owner
    is_listing = TASK.c.stage == Stage.LIST.value
    has_parent = TASK.c.parent.is_not(None)
    pinning = select(TASK.c.id).where(is_listing, has_parent)
    pinning_tasks = set(connection.scalars(pinning))

    spawns: list[tuple[int, int]] = []
    spawning: set[int] = set()

    for row in connection.execute(select(SPAWN)).all():
        spawns.append((row.spawned_by, row.task))
        if row.task in tasks and row.spawned_by in pinning_tasks:
            spawning.add(row.spawned_by)

    return _with_exclusive_descendants(tasks | spawning, spawns)


def _with_exclusive_descendants(
    tasks: set[int], spawns: Iterable[tuple[int, int]]
) -> set[int]:
    """Return `tasks` with all that only they spawned, given (parent, child) of all tasks."""
    reached = set(tasks)
    while True:
        children: set[int] = set()
        shared: set[int] = set()

        for parent, child in spawns:
            if parent in reached:
                children.add(child)
            else:
                shared.add(child)

        exclusive = children - shared - reached
        if not exclusive:
            return reached

        reached |= exclusive


def remove_tasks(connection: Connection, tasks: set[int]) -> list[Row[Any]]:
    """Remove tasks with all that names them, and return the rows of the tasks."""
    removed: list[Row[Any]] = []
    for chunk in iter_chunks(tasks):
        is_task = TASK.c.id.in_(chunk)
        removed += connection.execute(select(TASK).where(is_task)).all()

        is_member = CRAWL_TASK.c.task.in_(chunk)
        is_spawned = SPAWN.c.task.in_(chunk)
        has_spawned = SPAWN.c.spawned_by.in_(chunk)
        is_waiting = WAIT.c.task.in_(chunk)
        is_waited_for = WAIT.c.child.in_(chunk)
        connection.execute(delete(CRAWL_TASK).where(is_member))
        connection.execute(delete(SPAWN).where(or_(has_spawned, is_spawned)))
        connection.execute(delete(WAIT).where(or_(is_waiting, is_waited_for)))

        # without a parent a task counts as asked for by somebody, so another spawner takes over
        children = TASK.update().where(TASK.c.parent.in_(chunk))
        connection.execute(children.values(parent=_OTHER_SPAWNER))

    # only now: a parent of one chunk may have children in another
    for chunk in iter_chunks(tasks):
        is_task = TASK.c.id.in_(chunk)
        connection.execute(delete(TASK).where(is_task))

    return removed
