"""Dependencies between tasks: counted in SQL, released by the last child, restored by a retry.

Invariant between two transactions: `pending_children` of a task is the number of unfinished
tasks that it waits for; a task that has some is `waiting`, and none is `waiting` without (except
one that was inserted a moment ago).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from storage.database.chunks import iter_chunks
from storage.ledger.crawls.crawl_membership import find_unwanted, is_in_crawl
from storage.ledger.interface import UNFINISHED_STATES, State
from storage.tables import TASK, WAIT

_DEPENDENTS: Final = select(WAIT.c.task).where(WAIT.c.child == bindparam("child"))
_COUNT_DOWN: Final = (
    update(TASK)
    .where(TASK.c.id.in_(_DEPENDENTS))
    .values(pending_children=TASK.c.pending_children - 1)
)
_RELEASE: Final = (
    update(TASK)
    .where(TASK.c.id.in_(_DEPENDENTS))
    .where(TASK.c.state == State.WAITING, TASK.c.pending_children <= 0)
    .values(state=State.READY)
)


def release_dependents(connection: Connection, task: int) -> None:
    """Count a task that has just ended, and make ready what waited for it alone."""
    parameters = {"child": task}
    # nothing waits for most tasks: one read instead of two updates
    if connection.execute(_DEPENDENTS, parameters).first() is None:
        return
    connection.execute(_COUNT_DOWN, parameters)
    connection.execute(_RELEASE, parameters)


def set_dependencies(
    connection: Connection, task: int, children: Sequence[int]
) -> None:
    """Let `task` wait for `children`, and run again if it waited for others.

    Nothing changes where it already waits, or waited, for exactly these.
    """
    current = select(WAIT.c.child).where(WAIT.c.task == task)
    is_unchanged = set(connection.scalars(current)) == set(children)
    if is_unchanged and not _is_fresh(connection, task):
        return

    connection.execute(delete(WAIT).where(WAIT.c.task == task))
    if children:
        rows = [{"task": task, "child": child} for child in sorted(set(children))]
        connection.execute(insert(WAIT), rows)

    rerun_with_dependents(connection, [task])


def _is_fresh(connection: Connection, task: int) -> bool:
    """Return whether a task was just inserted, and has no children yet."""
    fresh = select(TASK.c.id).where(
        TASK.c.id == task,
        TASK.c.state == State.WAITING,
        TASK.c.pending_children == 0,
    )
    return connection.scalar(fresh) is not None


def rerun_with_dependents(connection: Connection, tasks: Iterable[int]) -> None:
    """Make `tasks`, and all that wait for them directly or indirectly, run again.

    Each is fenced against whoever held it, and is ready, or waits for those that it depends on.
    What only cancelled crawls want is cancelled instead: it runs again once one of them goes on.
    """
    affected = _with_dependents(connection, tasks)
    unwanted = find_unwanted(connection, affected)
    _reset(connection, affected.difference(unwanted))
    _cancel(connection, unwanted)

    # counted only after all of them were reset: they may depend on each other
    for chunk in iter_chunks(affected):
        _count_pending_children(connection, chunk)


def _reset(connection: Connection, tasks: Collection[int]) -> None:
    for chunk in iter_chunks(tasks):
        reset = update(TASK).where(TASK.c.id.in_(chunk))
        connection.execute(
            reset.values(
                state=State.WAITING,
                generation=TASK.c.generation + 1,
                attempt=0,
                kills=0,
                interruptions=0,
                not_before=0.0,
                sent_at=0.0,
                owner="",
                lease=0.0,
                code="",
                message="",
                ended_at=0.0,
            )
        )


def _cancel(connection: Connection, tasks: Collection[int]) -> None:
    for chunk in iter_chunks(tasks):
        cancelled = update(TASK).where(TASK.c.id.in_(chunk))
        connection.execute(
            cancelled.values(
                state=State.CANCELLED,
                generation=TASK.c.generation + 1,
                sent_at=0.0,
                owner="",
                lease=0.0,
                code="cancelled",
                message="",
            )
        )


def rerun_failed(connection: Connection, crawl: str, code: str) -> int:
    """Make failed tasks of a crawl, or of all, run again, and return how many there are.

    A `code` narrows to those that ended with it, rejected ones included.
    """
    states = [State.FAILED.value]
    if code:
        states.append(State.REJECTED.value)

    statement = select(TASK.c.id).where(TASK.c.state.in_(states))
    if code:
        statement = statement.where(TASK.c.code == code)

    failed = list(connection.scalars(statement.where(is_in_crawl(crawl))))
    # a cancelled crawl keeps its failures until it is resumed
    wanted_tasks = set(failed).difference(find_unwanted(connection, failed))
    rerun_with_dependents(connection, wanted_tasks)

    return len(wanted_tasks)


def _with_dependents(connection: Connection, tasks: Iterable[int]) -> set[int]:
    """Return `tasks` and all that wait for them directly or indirectly."""
    # level by level, so that no statement binds more than a chunk of tasks
    reached: set[int] = set()
    frontier = set(tasks)

    while frontier:
        reached |= frontier
        dependents: set[int] = set()

        for chunk in iter_chunks(frontier):
            statement = select(WAIT.c.task).where(WAIT.c.child.in_(chunk))
            dependents.update(connection.scalars(statement))

        frontier = dependents - reached

    return reached


def _count_pending_children(connection: Connection, tasks: Sequence[int]) -> None:
    """Count anew what `tasks` wait for, and make ready those that wait for nothing."""
    counted = update(TASK).where(TASK.c.id.in_(tasks))
    connection.execute(counted.values(pending_children=_unfinished_children()))
    released = counted.where(
        TASK.c.state == State.WAITING, TASK.c.pending_children == 0
    )
    connection.execute(released.values(state=State.READY))


def _unfinished_children() -> ColumnElement[int]:
    child = TASK.alias("child")
    return (
        select(func.count())
        .select_from(WAIT.join(child, child.c.id == WAIT.c.child))
        .where(WAIT.c.task == TASK.c.id, child.c.state.in_(UNFINISHED_STATES))
        .correlate(TASK)
        .scalar_subquery()
    )
