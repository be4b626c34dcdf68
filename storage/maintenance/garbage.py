"""Sweep phase of garbage collection: mark unreferenced blobs, and erase them after a grace
period.

What a running task has stored it names only when it ends. So what has no name is doomed at
first, and goes when a later
look, a grace period on, finds it still without one; storing it once more saves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Engine, func, or_, select, update

from crawler.errors import Misconfigured
from storage.blobs.indexed_blobs import BLOB, IS_DOOMED, IndexedBlobStore
from storage.database.engine import read_transaction, write_transaction
from storage.ledger.dependencies import TASK, iter_chunks
from storage.ledger.interface import State
from storage.maintenance.live_blobs import live_digests

_PAGE: Final = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionResult:
    """What a collection took, and what it left for a later one."""

    blobs: int = 0
    bytes: int = 0
    """As they were stored."""
    strays: int = 0
    """Objects that no row named: killed writers left them."""
    doomed: int = 0
    """Blobs without a name whose grace is not over, or whose pack holds others that are wanted."""


def collect_garbage(
    engine: Engine,
    blobs: IndexedBlobStore,
    *,
    grace_seconds: float,
    now: float,
    task_seconds: float = 0.0,
    dry_run: bool = False,
) -> CollectionResult:
    """Erase every blob that nothing has named for `grace_seconds` seconds, and objects as old
    that no row names.

    Without any grace one look is enough, and if `dry_run` nothing is changed. Raises
    `Misconfigured` where a running task,
    which may take `task_seconds`, could still name what would go.
    """
    _refuse_while_working(engine, grace_seconds, task_seconds)
    wanted, before = _wanted(engine, blobs), now - grace_seconds
    if dry_run:
        nameless = [
            row for page in _pages(engine) for row in page if row.digest not in wanted
        ]
        ripe = [row for row in nameless if (row.doomed_at or now) <= before]
        return CollectionResult(
            blobs=len(ripe), bytes=_stored(ripe), doomed=len(nameless) - len(ripe)
        )
    for page in _pages(engine):
        _mark(
            engine,
            [
                row.digest
                for row in page
                if row.digest not in wanted and not row.doomed_at
            ],
            now,
        )
        _mark(
            engine,
            [row.digest for row in page if row.digest in wanted and row.doomed_at > 0],
            0.0,
        )
    going = _ripe(engine, before, parts=blobs.reclaims_partial_packs)
    erased = blobs.erase(
        [row.digest for row in going], BLOB.c.doomed_at != 0, BLOB.c.doomed_at <= before
    )
    return CollectionResult(
        blobs=erased,
        bytes=_stored(going),
        strays=blobs.delete_unreferenced_objects(before),
        doomed=_left(engine),
    )


def _refuse_while_working(engine: Engine, grace: float, task_seconds: float) -> None:
    running = select(TASK.c.id).where(TASK.c.state == State.RUNNING.value).limit(1)
    with read_transaction(engine) as connection:
        if grace < task_seconds and connection.scalar(running):
            raise Misconfigured(
                f"tasks are running that may take {task_seconds / 3600:g} h: give a longer grace, or let them end",
                code="gc-too-early",
            )


def _wanted(engine: Engine, blobs: IndexedBlobStore) -> set[str]:
    with read_transaction(engine) as connection:
        return live_digests(connection, blobs)


def _pages(engine: Engine) -> Iterator[Sequence[Any]]:
    columns = BLOB.c.digest, BLOB.c.length, BLOB.c.doomed_at
    after = ""
    while True:
        with read_transaction(engine) as connection:
            chosen = select(*columns).where(
                BLOB.c.digest > after, BLOB.c.doomed_at >= 0
            )
            page = connection.execute(chosen.order_by(BLOB.c.digest).limit(_PAGE)).all()
        if page:
            yield page
        if len(page) < _PAGE:
            return
        after = page[-1].digest


def _mark(engine: Engine, digests: Sequence[str], at: float) -> None:
    if digests:
        with write_transaction(engine) as connection:
            for some in iter_chunks(digests):
                there = BLOB.c.digest.in_(some), BLOB.c.doomed_at >= 0
                connection.execute(update(BLOB).where(*there).values(doomed_at=at))


def _ripe(engine: Engine, before: float, *, parts: bool) -> Sequence[Any]:
    """Return what is to go, and what an earlier collection that was cut short had begun to
    erase.
    """
    chosen = select(BLOB.c.digest, BLOB.c.length).where(
        BLOB.c.doomed_at != 0, BLOB.c.doomed_at <= before
    )
    if not parts:
        other = BLOB.alias("other")
        stays = or_(other.c.doomed_at == 0, other.c.doomed_at > before)
        chosen = chosen.where(
            ~select(other.c.digest).where(other.c.pack == BLOB.c.pack, stays).exists()
        )
    with read_transaction(engine) as connection:
        return connection.execute(chosen.order_by(BLOB.c.pack, BLOB.c.digest)).all()


def _left(engine: Engine) -> int:
    with read_transaction(engine) as connection:
        return (
            connection.scalar(select(func.count()).select_from(BLOB).where(IS_DOOMED))
            or 0
        )


def _stored(rows: Sequence[Any]) -> int:
    return sum(row.length for row in rows)
