"""Remove opted-out commits: their rows, their tasks, and the blobs that nothing else needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    Select,
    Table,
    delete,
    or_,
    select,
)

from crawler.codec import decode
from crawler.errors import Misconfigured
from crawler.model import Repo
from storage.database.chunks import iter_chunks
from storage.database.engine import (
    AdvisoryLock,
    acquire_advisory_lock,
    write_transaction,
)
from storage.index.counts.kept_counts import forget_counts
from storage.index.kernel_rows.definitions import remove_orphaned_definitions
from storage.ledger.task_queries import has_running_task
from storage.maintenance.commit_tasks import find_tasks_of_commits, remove_tasks
from storage.maintenance.completions import forget_completions
from storage.maintenance.judgings import (
    find_judged_tasks,
    forget_judged_sources,
    name_tasks,
)
from storage.maintenance.live_blobs import (
    PURGE_PLAN_KEY,
    find_digests,
    referenced_digests,
)
from storage.tables import (
    BUILD,
    KERNEL,
    MEMORY,
    PORT,
    PORT_BLOCKER,
    REPOSITORY,
    REVIEW,
    REVIEW_CLAIM,
    REVIEW_PASS,
    REVIEW_STATE,
    REVISION,
    REVISION_TASK,
    RUN,
    SUITE,
    UNIT,
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

        commits = _find_opted_out_commits(connection, is_opted_out)
        removal = _remove_commits(connection, commits)
        # what a purge that was cut short had planned is erased, too
        digests = removal.digests.union(_read_plan(connection))
        plan = sorted(digests - referenced_digests(connection))
        _write_plan(connection, plan)

    erased = erase_blobs(plan)

    with write_transaction(engine) as connection:
        _delete_plan(connection)

    return PurgeResult(
        repositories=len(commits),
        kernels=removal.kernels,
        units=removal.units,
        tasks=removal.tasks,
        blobs=erased,
    )


def _find_opted_out_commits(
    connection: Connection, is_opted_out: Callable[[Repo], bool]
) -> list[Row[Any]]:
    commits: list[Row[Any]] = []
    for row in connection.execute(select(REVISION)).all():
        repo = decode(row.encoded, Repo)
        if is_opted_out(repo):
            commits.append(row)

    return commits


def _remove_commits(connection: Connection, commits: Sequence[Row[Any]]) -> _Removal:
    """Remove commits, all that only they need, and their entries of listings."""
    if not commits:
        return _Removal()

    revisions = [commit.id for commit in commits]
    removal = _remove_revisions(connection, revisions)
    # rare, and much at once: counting anew is as quick
    forget_counts(connection)

    for commit in commits:
        columns = REPOSITORY.c
        is_listed = (
            columns.source == commit.source,
            columns.owner == commit.owner,
            columns.name == commit.name,
        )
        connection.execute(delete(REPOSITORY).where(*is_listed))

    return removal


def _remove_revisions(connection: Connection, revisions: Sequence[int]) -> _Removal:
    # found first: rows of commits say which tasks found them
    tasks = find_tasks_of_commits(connection, revisions)
    kernels = _remove_rows(connection, KERNEL, KERNEL.c.revision.in_(revisions))
    _remove_rows(connection, REVISION_TASK, REVISION_TASK.c.revision.in_(revisions))
    commits = _remove_rows(connection, REVISION, REVISION.c.id.in_(revisions))

    repos = {commit.id: decode(commit.encoded, Repo) for commit in commits}
    names = name_tasks(kernels, repos)
    judged = find_judged_tasks(connection, names)
    tasks |= judged.tasks

    texts = {kernel.definition for kernel in kernels}
    remove_orphaned_definitions(connection, texts)

    candidates = {kernel.unit for kernel in kernels if kernel.unit}
    units = _find_orphaned_units(connection, candidates)
    removed_units = _remove_units(connection, units)
    removed_tasks = remove_tasks(connection, tasks)

    forgotten = forget_judged_sources(connection, judged.digests)
    forgotten += forget_completions(connection, names, units)

    removed_rows = [*kernels, *commits, *removed_units, *removed_tasks, *forgotten]
    digests = frozenset(find_digests(removed_rows))
    _remove_memory_entries(connection, digests)

    return _Removal(
        kernels=len(kernels),
        units=len(units),
        tasks=len(tasks),
        digests=digests,
    )


def _remove_rows(
    connection: Connection, table: Table, condition: ColumnElement[bool]
) -> Sequence[Row[Any]]:
    """Remove the rows of `table` that meet `condition`, and return them."""
    removed = connection.execute(select(table).where(condition)).all()
    connection.execute(delete(table).where(condition))
    return removed


def _find_orphaned_units(connection: Connection, units: set[str]) -> set[str]:
    """Return those of `units`, and of their ports, that no kernel has any more."""
    used = _select_used_units(units)
    orphans = units.difference(connection.scalars(used))

    own_ports = select(PORT.c.ported).where(PORT.c.unit.in_(orphans))
    ports = set(connection.scalars(own_ports))
    is_port = PORT.c.ported.in_(ports)
    is_of_another = PORT.c.unit.not_in(orphans)
    shared = select(PORT.c.ported).where(is_port, is_of_another)
    ports_of_others = set(connection.scalars(shared))

    # the text of a port may be that of a project's own kernel
    used_ports = _select_used_units(ports)
    used_as_units = set(connection.scalars(used_ports))
    orphaned_ports = ports - ports_of_others - used_as_units

    return orphans | orphaned_ports


def _select_used_units(units: set[str]) -> Select[Any]:
    is_used = KERNEL.c.unit.in_(units)
    return select(KERNEL.c.unit).where(is_used)


def _remove_units(connection: Connection, units: set[str]) -> list[Row[Any]]:
    """Remove units with all that names them, and return the removed rows."""
    removed: list[Row[Any]] = []
    for chunk in iter_chunks(units):
        removed += _remove_rows(connection, RUN, RUN.c.unit.in_(chunk))
        removed += _remove_rows(connection, SUITE, SUITE.c.unit.in_(chunk))
        removed += _remove_rows(connection, BUILD, BUILD.c.unit.in_(chunk))

        # what was said of a text may quote it
        for table in (REVIEW_CLAIM, REVIEW_PASS, REVIEW_STATE, REVIEW):
            _remove_rows(connection, table, table.c.unit.in_(chunk))

        # either side of a port may be what goes
        for table in (PORT_BLOCKER, PORT):
            is_named = or_(table.c.unit.in_(chunk), table.c.ported.in_(chunk))
            removed += _remove_rows(connection, table, is_named)

    # only now: a port of one chunk may name a unit of another
    for chunk in iter_chunks(units):
        removed += _remove_rows(connection, UNIT, UNIT.c.digest.in_(chunk))

    return removed


def _remove_memory_entries(connection: Connection, digests: frozenset[str]) -> None:
    """Remove what is remembered of parses and builds whose blobs go."""
    entries = select(MEMORY).where(~_IS_PURGE_PLAN)
    for row in connection.execute(entries).all():
        named_digests = find_digests([(row.value,)])
        if digests.isdisjoint(named_digests):
            continue

        is_entry = MEMORY.c.key == row.key
        connection.execute(delete(MEMORY).where(is_entry))


def _read_plan(connection: Connection) -> list[str]:
    """Return the blobs that a purge which was cut short has yet to erase."""
    statement = select(MEMORY.c.value).where(_IS_PURGE_PLAN)
    plan = connection.scalar(statement)
    if not plan:
        return []

    return list(json.loads(plan))


def _write_plan(connection: Connection, plan: Sequence[str]) -> None:
    _delete_plan(connection)
    encoded = json.dumps(plan).encode()
    row = {
        "key": PURGE_PLAN_KEY,
        "value": encoded,
        "remembered_at": 0.0,
    }
    connection.execute(MEMORY.insert().values(row))


def _delete_plan(connection: Connection) -> None:
    connection.execute(delete(MEMORY).where(_IS_PURGE_PLAN))
