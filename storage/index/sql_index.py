"""The kernel index in SQL: rows hold what is queried, blobs hold texts and whole values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    bindparam,
    delete,
    func,
    select,
    tuple_,
    union,
    update,
)

from crawler.codec import decode, encode
from crawler.model import Build, Kernel, KernelRecord, KernelUnit, Repo, Run, Suite
from storage.database.base import upsert
from storage.database.bulk_insert import insert_all
from storage.database.engine import AdvisoryLock, read_transaction, write_transaction
from storage.index import repository_rename, rows
from storage.index import runs as store
from storage.index.kernel_page import REVISION, REVISION_TASK, UNIT, KernelPage
from storage.index.query_language import Term, parse_query
from storage.index.records import RecordPage, load_units
from storage.index.sql_filters import (
    BLOCKER,
    BUILD,
    INSTANTIATION,
    KERNEL,
    PORT,
    TAG,
    query_conditions,
)
from storage.index.totals import count_totals
from storage.interfaces import BlobStore, KernelRow, Totals
from storage.ledger.enqueue import CRAWL_TASK
from storage.tables import KernelLaunch, table

_LAUNCH: Final = table(KernelLaunch)
PageType = TypeVar("PageType", bound=KernelPage)
_PAGE: Final = 500
_RECORDS: Final = 100
"""Records held at once: each has some eight blobs."""
_WINDOW: Final = 50_000
"""Places held at once."""
_PLACE: Final = (
    KERNEL.c.repo,
    KERNEL.c.pinned,
    KERNEL.c.path,
    KERNEL.c.offset,
    KERNEL.c.id,
)


class SqlKernelIndex:
    """The index in an SQL database and a blob store; see `KernelIndex`."""

    def __init__(self, engine: Engine, blobs: BlobStore) -> None:
        self._engine = engine
        self._blobs = blobs

    def put_commit(
        self, repo: Repo, snapshot: str, database: str, *, task: int = 0
    ) -> None:
        """Record a commit; an empty digest changes nothing."""
        known = {
            name: value
            for name, value in (("snapshot", snapshot), ("database", database))
            if value
        }
        told = {
            name: value
            for name, value in rows.revision_row(repo).items()
            if name not in ("snapshot", "database")
        }
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            revision = _revision(connection, repo)
            connection.execute(
                update(REVISION)
                .where(REVISION.c.id == revision)
                .values(**told, **known)
            )
            if task:
                found = upsert(REVISION_TASK).values(task=task, revision=revision)
                connection.execute(found.on_conflict_do_nothing())

    def repos(self) -> tuple[Repo, ...]:
        """Return every commit that is here, by source, owner, name and commit."""
        columns = REVISION.c
        wanted = select(columns.encoded).order_by(
            columns.source, columns.owner, columns.name, columns.pinned
        )
        with read_transaction(self._engine) as connection:
            return tuple(
                decode(encoded, Repo) for encoded in connection.scalars(wanted)
            )

    def supersede(self, repo: Repo) -> None:
        """Mark the kernels of every other commit of the same repository and ref."""
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            _supersede(connection, repo)

    def reinstate(self, repo: Repo) -> None:
        """Let a superseded commit that is the newest again count, and no other of its ref."""
        own = KERNEL.c.revision.in_(select(REVISION.c.id).where(*_same(repo)))
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            again = (
                update(KERNEL)
                .where(own, KERNEL.c.superseded.is_(True))
                .values(superseded=False)
            )
            if connection.execute(again).rowcount:
                _supersede(connection, repo)

    def rename(self, old: Repo, new: Repo) -> None:
        """Give every commit of a repository another owner, name and address."""
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            repository_rename.rename_repository(connection, old, new)

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Make these the kernels of the commit, with their units."""
        listed = list(kernels)
        units = {kernel.unit.digest: kernel.unit for kernel in listed if kernel.unit}
        stored = self._stored(list(units.values()))
        encoded = self._blobs.put_many(
            encode(replace(kernel, unit=None)) for kernel in listed
        )
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            _put_units(connection, stored)
            revision = _revision(connection, repo)
            first = (connection.scalar(select(func.max(KERNEL.c.id))) or 0) + 1
            connection.execute(delete(KERNEL).where(KERNEL.c.revision == revision))
            numbered = list(enumerate(listed, first))
            places = zip(numbered, encoded, strict=True)
            insert_all(
                connection,
                KERNEL,
                (
                    rows.kernel_row(n, revision, repo, one, at)
                    for (n, one), at in places
                ),
            )
            for target, rows_of in _LINKED:
                insert_all(
                    connection,
                    target,
                    (row for n, one in numbered for row in rows_of(n, one)),
                )
            _supersede(connection, repo)

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the distinct units of the commit, ports included, ordered by digest."""
        after = ""
        while True:
            with read_transaction(self._engine) as connection:
                found = connection.execute(_units_of(repo, after)).all()
            yield from load_units(
                self._blobs, [(digest, encoded) for digest, encoded in found]
            )
            if len(found) < _PAGE:
                return
            after = found[-1][0]

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Make these the ports of the units that they name; a unit that was not ported is
        passed over.
        """
        listed = [unit for unit in ported if unit.ported_from not in {"", unit.digest}]
        stored = self._stored(listed)
        sources = sorted({unit.ported_from for unit in listed})
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            _put_units(connection, stored)
            for start in range(0, len(sources), _PAGE):
                _forget_ports(connection, sources[start : start + _PAGE])
            pairs = {
                (unit.ported_from, unit.digest): (unit, encoded)
                for unit, encoded in stored
            }
            insert_all(
                connection,
                PORT,
                (rows.port_row(unit, at) for unit, at in pairs.values()),
            )
            insert_all(
                connection,
                BLOCKER,
                (row for unit, _ in pairs.values() for row in rows.blocker_rows(unit)),
            )

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds; a newer one of the same (unit, target, toolchain) replaces the older."""
        newest: dict[tuple[str, str, str], Build] = {}
        for build in builds:
            key = build.unit, build.target, build.toolchain.digest
            newest.pop(key, None)
            newest[key] = build
        encoded = self._blobs.put_many(encode(build) for build in newest.values())
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            _forget_builds(connection, newest)
            # ids only grow, so the largest of a unit and target is the newest
            first = (connection.scalar(select(func.max(BUILD.c.id))) or 0) + 1
            pairs = zip(newest.values(), encoded, strict=True)
            numbered = enumerate(
                (rows.build_row(build, at) for build, at in pairs), first
            )
            insert_all(
                connection, BUILD, ({"id": number, **row} for number, row in numbered)
            )

    def put_runs(self, runs: Iterable[Run], suites: Iterable[Suite] = ()) -> None:
        """Store runs and the suites that they name; a newer one of the same place replaces the
        older.
        """
        listed, cases = list(runs), list(suites)
        digests = self._blobs.put_many(encode(suite) for suite in cases)
        encoded = self._blobs.put_many(encode(run) for run in listed)
        with write_transaction(self._engine, AdvisoryLock.INDEX) as connection:
            store.put_suites(connection, zip(cases, digests, strict=True))
            store.put_runs(connection, zip(listed, encoded, strict=True))

    def query(
        self, expression: str = "", *, crawl: str = "", limit: int = 0
    ) -> Iterator[KernelRow]:
        """Yield matching rows, page by page; raises `BadQuery` at once."""
        return self._rows(parse_query(expression), crawl, limit)

    def records(
        self, expression: str = "", *, crawl: str = ""
    ) -> Iterator[KernelRecord]:
        """Yield the whole records of the same kernels in the same order."""
        return self._records(parse_query(expression), crawl)

    def totals(self, *, crawl: str = "") -> Totals:
        """Count the kernels of a crawl, or of all."""
        with read_transaction(self._engine) as connection:
            return count_totals(
                connection,
                KERNEL.c.revision.in_(_revisions_of(crawl)) if crawl else None,
            )

    def _rows(
        self, terms: tuple[Term, ...], crawl: str, limit: int
    ) -> Iterator[KernelRow]:
        pages = self._pages(terms, crawl, min(limit or _PAGE, _PAGE), KernelPage)
        rows = (page.query_row(kernel) for page in pages for kernel in page.kernels)
        return islice(rows, limit or None)

    def _records(self, terms: tuple[Term, ...], crawl: str) -> Iterator[KernelRecord]:
        for page in self._pages(terms, crawl, _RECORDS, RecordPage):
            yield from page.records(self._blobs)

    def _pages(
        self,
        terms: tuple[Term, ...],
        crawl: str,
        size: int,
        kind: Callable[[Connection, Sequence[Row[Any]]], PageType],
    ) -> Iterator[PageType]:
        """Yield pages, each read in a transaction of its own, so that nobody waits for a slow
        reader.
        """
        wanted = list(query_conditions(terms))
        if crawl:
            wanted.append(KERNEL.c.revision.in_(_revisions_of(crawl)))
        for places in self._windows(wanted, size):
            for start in range(0, len(places), size):
                yield self._page(places[start : start + size], kind)

    def _page(
        self,
        places: Sequence[Any],
        kind: Callable[[Connection, Sequence[Row[Any]]], PageType],
    ) -> PageType:
        # by ids alone: with more conditions the planner may walk another index, once for each
        # page
        chosen = (
            select(KERNEL)
            .where(KERNEL.c.id.in_([place.id for place in places]))
            .order_by(*_PLACE)
        )
        still = {tuple(place) for place in places}
        with read_transaction(self._engine) as connection:
            found = connection.execute(chosen).all()
            # a kernel that was put in the meantime may have the id of one that is gone
            return kind(connection, [row for row in found if _place(row) in still])

    def _windows(
        self, wanted: Sequence[ColumnElement[bool]], size: int
    ) -> Iterator[Sequence[Any]]:
        """Yield the places of what is `wanted` in order, more and more at once.

        Each window may sort all that is left: with windows of one size, the time would grow
        with the square.
        """
        after: tuple[Any, ...] = ()
        while True:
            beyond = (tuple_(*_PLACE) > after,) if after else ()
            with read_transaction(self._engine) as connection:
                chosen = (
                    select(*_PLACE)
                    .where(*wanted, *beyond)
                    .order_by(*_PLACE)
                    .limit(size)
                )
                places = connection.execute(chosen).all()
            yield places
            if len(places) < size:
                return
            after = tuple(places[-1])
            size = min(size * 4, _WINDOW)

    def _stored(self, units: Sequence[KernelUnit]) -> list[tuple[KernelUnit, str]]:
        """Store the texts of `units` and their JSON without them, and return each with the
        digest of the latter.
        """
        digests = self._blobs.put_many(unit.source.encode() for unit in units)
        for unit, digest in zip(units, digests, strict=True):
            if unit.digest != digest:
                raise ValueError(
                    f"the unit of {unit.kernel_name} is not named by the digest of its text"
                )
        encoded = self._blobs.put_many(
            encode(replace(unit, source="")) for unit in units
        )
        return list(zip(units, encoded, strict=True))


_LINKED: Final = (
    (TAG, rows.tag_rows),
    (INSTANTIATION, rows.instantiation_rows),
    (_LAUNCH, rows.launch_rows),
)


def _put_units(
    connection: Connection, stored: Iterable[tuple[KernelUnit, str]]
) -> None:
    listed = [rows.unit_row(unit, encoded) for unit, encoded in stored]
    if listed:
        statement = upsert(UNIT)
        told = {name: statement.excluded[name] for name in listed[0]}
        connection.execute(
            statement.on_conflict_do_update(index_elements=["digest"], set_=told),
            listed,
        )


def _place(row: Row[Any]) -> tuple[Any, ...]:
    return row.repo, row.pinned, row.path, row.offset, row.id


def _forget_ports(connection: Connection, units: Sequence[str]) -> None:
    known = set(
        connection.scalars(select(UNIT.c.digest).where(UNIT.c.digest.in_(units)))
    )
    if not known.issuperset(units):
        raise KeyError(min(set(units) - known))
    connection.execute(delete(BLOCKER).where(BLOCKER.c.unit.in_(units)))
    connection.execute(delete(PORT).where(PORT.c.unit.in_(units)))


def _forget_builds(
    connection: Connection, keys: Collection[tuple[str, str, str]]
) -> None:
    # one look for many: a statement for each key costs more than all the rest of storing a
    # build
    units = sorted({unit for unit, _, _ in keys})
    for start in range(0, len(units), _PAGE):
        mine = BUILD.c.unit.in_(units[start : start + _PAGE])
        found = connection.execute(
            select(BUILD.c.id, BUILD.c.unit, BUILD.c.target, BUILD.c.toolchain).where(
                mine
            )
        )
        old = [
            {"old": row.id}
            for row in found.all()
            if (row.unit, row.target, row.toolchain) in keys
        ]
        if old:
            connection.execute(delete(BUILD).where(BUILD.c.id == bindparam("old")), old)


def _supersede(connection: Connection, repo: Repo) -> None:
    columns = REVISION.c
    mine = [
        columns.source == repo.source,
        columns.owner == repo.owner,
        columns.name == repo.name,
    ]
    mine += (
        [columns.pinned != repo.commit, columns.ref == repo.ref] if repo.commit else []
    )
    older = KERNEL.c.revision.in_(select(columns.id).where(*mine))
    connection.execute(
        update(KERNEL)
        .where(older, KERNEL.c.superseded.is_(False))
        .values(superseded=True)
    )


def _same(repo: Repo) -> tuple[Any, ...]:
    columns = REVISION.c
    named = (
        columns.source == repo.source,
        columns.owner == repo.owner,
        columns.name == repo.name,
    )
    return (*named, columns.pinned == repo.commit)


def _revision(connection: Connection, repo: Repo) -> int:
    connection.execute(
        upsert(REVISION).values(rows.revision_row(repo)).on_conflict_do_nothing()
    )
    return int(
        connection.execute(select(REVISION.c.id).where(*_same(repo))).scalar_one()
    )


def _revisions_of(crawl: str) -> Any:
    joined = REVISION_TASK.join(CRAWL_TASK, CRAWL_TASK.c.task == REVISION_TASK.c.task)
    return (
        select(REVISION_TASK.c.revision)
        .select_from(joined)
        .where(CRAWL_TASK.c.crawl == crawl)
    )


def _units_of(repo: Repo, after: str) -> Any:
    """Return the query for (digest, digest of the JSON) of a page of the commit's units and
    their ports.
    """
    revision = select(REVISION.c.id).where(*_same(repo)).scalar_subquery()
    mine = select(KERNEL.c.unit).where(
        KERNEL.c.revision == revision, KERNEL.c.unit != ""
    )
    own = select(UNIT.c.digest, UNIT.c.encoded).where(UNIT.c.digest.in_(mine))
    # told by the port: another commit's unit may have been ported to the same text
    ported = select(PORT.c.ported, PORT.c.encoded).where(
        PORT.c.unit.in_(mine), PORT.c.ported.not_in(mine)
    )
    both = union(own, ported).subquery()
    page = select(both.c.digest, func.min(both.c.encoded)).where(both.c.digest > after)
    return page.group_by(both.c.digest).order_by(both.c.digest).limit(_PAGE)
