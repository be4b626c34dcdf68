"""Sweep phase of garbage collection: mark unreferenced blobs, and erase them after a grace period.

A running task references what it has stored only when it ends. So an unreferenced blob is doomed
at first, and erased when a collection finds it still unreferenced a grace period later; storing
it again saves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Engine, func, or_, select, update

from crawler.errors import Misconfigured
from storage.blobs.blob_locations import IS_DOOMED, IS_PRESENT
from storage.blobs.indexed_blobs import IndexedBlobStore
from storage.database.chunks import iter_chunks
from storage.database.engine import read_transaction, write_transaction
from storage.ledger.task_queries import has_running_task
from storage.maintenance.live_blobs import live_digests
from storage.tables import BLOB

_ROWS_PER_PAGE: Final = 5000
_NOT_DOOMED: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionResult:
    """What a collection erased, and what it left for a later one."""

    blobs: int = 0
    bytes: int = 0
    """As they were stored."""
    strays: int = 0
    """Objects that no row named: killed writers left them."""
    doomed: int = 0
    """Unreferenced blobs whose grace is not over, or whose pack holds live ones."""


def collect_garbage(
    engine: Engine,
    blobs: IndexedBlobStore,
    *,
    grace_seconds: float,
    now: float,
    task_seconds: float = 0.0,
    dry_run: bool = False,
) -> CollectionResult:
    """Erase blobs that nothing has referenced for `grace_seconds`, and stray objects as old.

    Without any grace one collection is enough, and a `dry_run` changes nothing. Raises
    `Misconfigured` where a running task, which may take `task_seconds`, could still reference
    what would go.
    """
    _require_idle(engine, grace_seconds, task_seconds)
    with read_transaction(engine) as connection:
        live = live_digests(connection, blobs)

    before = now - grace_seconds
    if dry_run:
        return _preview(engine, live, before, now)

    _mark_blobs(engine, live, now)
    expired = _find_expired(engine, before, partial_packs=blobs.reclaims_partial_packs)
    expired_digests = [row.digest for row in expired]
    # one that was stored again in the meantime is live
    is_still_doomed = BLOB.c.doomed_at != _NOT_DOOMED
    is_expired = BLOB.c.doomed_at <= before
    erased = blobs.erase(expired_digests, is_still_doomed, is_expired)

    return CollectionResult(
        blobs=erased,
        bytes=_sum_bytes(expired),
        strays=blobs.delete_unreferenced_objects(before),
        doomed=_count_doomed(engine),
    )


def _require_idle(engine: Engine, grace_seconds: float, task_seconds: float) -> None:
    with read_transaction(engine) as connection:
        if grace_seconds < task_seconds and has_running_task(connection):
            raise Misconfigured(
                f"tasks are running that may take {task_seconds / 3600:g} h:"
                " give a longer grace, or let them end",
                code="gc-too-early",
            )


def _preview(
    engine: Engine, live: set[str], before: float, now: float
) -> CollectionResult:
    """Return what a collection would do."""
    unreferenced: list[Any] = []
    expired: list[Any] = []

    for page in _iter_pages(engine):
        for row in page:
            if row.digest in live:
                continue

            unreferenced.append(row)
            # one that is not doomed yet would be doomed now
            doomed_at = row.doomed_at or now
            if doomed_at <= before:
                expired.append(row)

    return CollectionResult(
        blobs=len(expired),
        bytes=_sum_bytes(expired),
        doomed=len(unreferenced) - len(expired),
    )


def _mark_blobs(engine: Engine, live: set[str], now: float) -> None:
    """Doom blobs that are not `live`, and save doomed ones that are."""
    for page in _iter_pages(engine):
        doomed: list[str] = []
        saved: list[str] = []

        for row in page:
            is_live = row.digest in live
            if is_live and row.doomed_at > 0:
                saved.append(row.digest)
            if not is_live and not row.doomed_at:
                doomed.append(row.digest)

        _set_doom_time(engine, doomed, now)
        _set_doom_time(engine, saved, 0.0)


def _iter_pages(engine: Engine) -> Iterator[Sequence[Any]]:
    """Yield (digest, length, doomed_at) of all blobs by digest, a transaction for each page."""
    columns = BLOB.c.digest, BLOB.c.length, BLOB.c.doomed_at
    after = ""

    while True:
        statement = (
            select(*columns)
            .where(BLOB.c.digest > after, IS_PRESENT)
            .order_by(BLOB.c.digest)
            .limit(_ROWS_PER_PAGE)
        )

        with read_transaction(engine) as connection:
            page = connection.execute(statement).all()

        if page:
            yield page
        if len(page) < _ROWS_PER_PAGE:
            return

        after = page[-1].digest


def _set_doom_time(engine: Engine, digests: Sequence[str], doomed_at: float) -> None:
    if not digests:
        return

    with write_transaction(engine) as connection:
        for chunk in iter_chunks(digests):
            present = update(BLOB).where(BLOB.c.digest.in_(chunk), IS_PRESENT)
            connection.execute(present.values(doomed_at=doomed_at))


def _find_expired(
    engine: Engine, before: float, *, partial_packs: bool
) -> Sequence[Any]:
    """Return (digest, length) of blobs that were doomed before that time.

    What an earlier collection that was cut short had begun to erase is among them. Without
    `partial_packs`, members of packs that hold live blobs are not.
    """
    doomed_at = BLOB.c.doomed_at
    is_expired = doomed_at != _NOT_DOOMED, doomed_at <= before
    statement = select(BLOB.c.digest, BLOB.c.length).where(*is_expired)

    if not partial_packs:
        other = BLOB.alias("other")
        is_in_same_pack = other.c.pack == BLOB.c.pack
        is_live = other.c.doomed_at == _NOT_DOOMED
        has_grace = other.c.doomed_at > before
        staying = select(other.c.digest)
        staying = staying.where(is_in_same_pack, or_(is_live, has_grace))
        statement = statement.where(~staying.exists())

    ordered = statement.order_by(BLOB.c.pack, BLOB.c.digest)

    with read_transaction(engine) as connection:
        return connection.execute(ordered).all()


def _count_doomed(engine: Engine) -> int:
    statement = select(func.count())
    statement = statement.select_from(BLOB).where(IS_DOOMED)
    with read_transaction(engine) as connection:
        number = connection.scalar(statement)

    return number or 0


def _sum_bytes(rows: Sequence[Any]) -> int:
    return sum(row.length for row in rows)
