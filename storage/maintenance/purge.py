"""Remove opted-out commits: their rows, their tasks, and the blobs that nothing else needs."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Engine, delete, or_, select

from crawler.codec import decode
from crawler.errors import Misconfigured
from crawler.model import Repo
from storage.database.engine import (
    AdvisoryLock,
    acquire_advisory_lock,
    write_transaction,
)
from storage.index.kernel_page import REVISION, REVISION_TASK, UNIT
from storage.index.sql_filters import BLOCKER, BUILD, KERNEL, PORT, RUN, SUITE
from storage.ledger.dependencies import TASK, WAIT, iter_chunks
from storage.ledger.enqueue import CRAWL_TASK, SPAWN
from storage.ledger.interface import Stage, State
from storage.maintenance.live_blobs import (
    MEMORY,
    PURGE_PLAN_KEY,
    find_digests,
    referenced_digests,
)
from storage.tables import HostedRepository, table

_REPOSITORY: Final = table(HostedRepository)


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeResult:
    """What a purge took."""

    repositories: int
    """Commits, that is."""
    kernels: int
    units: int
    tasks: int
    blobs: int


def purge_commits(
    engine: Engine,
    erase_blobs: Callable[[Sequence[str]], int],
    is_opted_out: Callable[[Repo], bool],
) -> PurgeResult:
    """Remove every commit that `is_opted_out` names; `erase_blobs` removes blobs.

    Raises `Misconfigured` while any task runs.
    """
    with write_transaction(engine, AdvisoryLock.TASKS) as connection:
        acquire_advisory_lock(connection, AdvisoryLock.INDEX)
        _refuse_while_working(connection)
        commits = [
            row
            for row in connection.execute(select(REVISION)).all()
            if is_opted_out(decode(row.encoded, Repo))
        ]
        taken = _take(connection, [row.id for row in commits]) if commits else _Taken()
        for row in commits:
            gone = (
                _REPOSITORY.c.source == row.source,
                _REPOSITORY.c.owner == row.owner,
                _REPOSITORY.c.name == row.name,
            )
            connection.execute(delete(_REPOSITORY).where(*gone))
        plan = sorted(
            {*_planned(connection), *taken.digests} - referenced_digests(connection)
        )
        _write_plan(connection, plan)
    erased = erase_blobs(plan)
    with write_transaction(engine) as connection:
        connection.execute(delete(MEMORY).where(MEMORY.c.key == PURGE_PLAN_KEY))
    return PurgeResult(
        repositories=len(commits),
        kernels=taken.kernels,
        units=taken.units,
        tasks=taken.tasks,
        blobs=erased,
    )


@dataclass(slots=True)
class _Taken:
    kernels: int = 0
    units: int = 0
    tasks: int = 0
    digests: frozenset[str] = frozenset()


def _take(connection: Connection, revisions: Sequence[int]) -> _Taken:
    """Remove the rows of commits and of all that only they need; return the digests that these
    rows named.
    """
    mine = KERNEL.c.revision.in_(revisions)
    kernels = connection.execute(select(KERNEL).where(mine)).all()
    commits = connection.execute(
        select(REVISION).where(REVISION.c.id.in_(revisions))
    ).all()
    tasks = _tasks(connection, revisions)
    connection.execute(delete(KERNEL).where(mine))
    connection.execute(
        delete(REVISION_TASK).where(REVISION_TASK.c.revision.in_(revisions))
    )
    connection.execute(delete(REVISION).where(REVISION.c.id.in_(revisions)))
    units = _orphans(connection, {row.unit for row in kernels if row.unit})
    rows = [
        *kernels,
        *commits,
        *_forget_units(connection, units),
        *_forget_tasks(connection, tasks),
    ]
    digests = frozenset(find_digests(rows))
    _forget_parses(connection, digests)
    return _Taken(len(kernels), len(units), len(tasks), digests)


def _refuse_while_working(connection: Connection) -> None:
    # what runs now may be about to name a content that is on its way out
    if connection.scalar(
        select(TASK.c.id).where(TASK.c.state == State.RUNNING.value).limit(1)
    ):
        raise Misconfigured(
            "a crawl is at work: let it end, or stop it, then purge",
            code="purge-too-early",
        )


def _tasks(connection: Connection, revisions: Sequence[int]) -> set[int]:
    """Return the tasks that found the commits, those that asked for these alone, and all that
    came of them.
    """
    found = set(
        connection.scalars(
            select(REVISION_TASK.c.task).where(REVISION_TASK.c.revision.in_(revisions))
        )
    )
    spawned = [
        (row.spawned_by, row.task) for row in connection.execute(select(SPAWN)).all()
    ]
    asking = select(TASK.c.id).where(
        TASK.c.stage == Stage.LIST.value, TASK.c.parent.is_not(None)
    )
    pins = set(connection.scalars(asking))
    found |= {parent for parent, child in spawned if child in found and parent in pins}
    grown = True
    while grown:
        down = {child for parent, child in spawned if parent in found}
        others = {child for parent, child in spawned if parent not in found}
        grown = bool(down - others - found)
        found |= down - others
    return found


def _orphans(connection: Connection, units: set[str]) -> set[str]:
    """Return those of `units`, and of their ports, that no other kernel has."""
    used = set(
        connection.scalars(select(KERNEL.c.unit).where(KERNEL.c.unit.in_(units)))
    )
    lost = units - used
    ports = set(connection.scalars(select(PORT.c.ported).where(PORT.c.unit.in_(lost))))
    shared = set(
        connection.scalars(
            select(PORT.c.ported).where(
                PORT.c.ported.in_(ports), PORT.c.unit.not_in(lost)
            )
        )
    )
    own = set(connection.scalars(select(KERNEL.c.unit).where(KERNEL.c.unit.in_(ports))))
    return lost | (ports - shared - own)


def _forget_units(connection: Connection, units: set[str]) -> list[Any]:
    rows: list[Any] = []
    for some in iter_chunks(units):
        for target, where in (
            (RUN, RUN.c.unit.in_(some)),
            (SUITE, SUITE.c.unit.in_(some)),
            (BUILD, BUILD.c.unit.in_(some)),
            (BLOCKER, or_(BLOCKER.c.unit.in_(some), BLOCKER.c.ported.in_(some))),
            (PORT, or_(PORT.c.unit.in_(some), PORT.c.ported.in_(some))),
        ):
            rows += connection.execute(select(target).where(where)).all()
            connection.execute(delete(target).where(where))
    for some in iter_chunks(units):
        rows += connection.execute(select(UNIT).where(UNIT.c.digest.in_(some))).all()
        connection.execute(delete(UNIT).where(UNIT.c.digest.in_(some)))
    return rows


def _forget_tasks(connection: Connection, tasks: set[int]) -> list[Any]:
    rows: list[Any] = []
    for some in iter_chunks(tasks):
        rows += connection.execute(select(TASK).where(TASK.c.id.in_(some))).all()
        connection.execute(delete(CRAWL_TASK).where(CRAWL_TASK.c.task.in_(some)))
        connection.execute(
            delete(SPAWN).where(
                or_(SPAWN.c.spawned_by.in_(some), SPAWN.c.task.in_(some))
            )
        )
        connection.execute(
            delete(WAIT).where(or_(WAIT.c.task.in_(some), WAIT.c.child.in_(some)))
        )
        connection.execute(
            TASK.update().where(TASK.c.parent.in_(some)).values(parent=None)
        )
    for some in iter_chunks(tasks):
        connection.execute(delete(TASK).where(TASK.c.id.in_(some)))
    return rows


def _forget_parses(connection: Connection, digests: frozenset[str]) -> None:
    """Remove what is remembered of parses and builds whose blobs go."""
    for row in connection.execute(
        select(MEMORY).where(MEMORY.c.key != PURGE_PLAN_KEY)
    ).all():
        if not digests.isdisjoint(find_digests([(row.value,)])):
            connection.execute(delete(MEMORY).where(MEMORY.c.key == row.key))


def _planned(connection: Connection) -> list[str]:
    kept = connection.scalar(
        select(MEMORY.c.value).where(MEMORY.c.key == PURGE_PLAN_KEY)
    )
    return list(json.loads(kept)) if kept else []


def _write_plan(connection: Connection, plan: Sequence[str]) -> None:
    connection.execute(delete(MEMORY).where(MEMORY.c.key == PURGE_PLAN_KEY))
    row = {
        "key": PURGE_PLAN_KEY,
        "value": json.dumps(plan).encode(),
        "remembered_at": 0.0,
    }
    connection.execute(MEMORY.insert().values(row))
