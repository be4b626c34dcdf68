"""The index of kernels in SQL; texts and whole records are blobs, rows hold what one asks about."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, Engine, Row, delete, or_, select, tuple_, update
from sqlalchemy.dialects.sqlite import insert

from crawler.codec import decode, encode
from crawler.model import Build, Kernel, KernelRecord, KernelUnit, Provenance, Repo, Status
from storage import query as language
from storage.engine import reading, writing
from storage.ports import BlobStore, KernelRow
from storage.tables import (
    CrawlTask,
    KernelDefinition,
    KernelInstantiation,
    KernelLaunch,
    KernelTag,
    Port,
    PortBlocker,
    Revision,
    RevisionTask,
    Unit,
    UnitBuild,
    table,
)

_PAGE: Final = 500
_REVISION: Final = table(Revision)
_KERNEL: Final = table(KernelDefinition)
_UNIT: Final = table(Unit)
_PORT: Final = table(Port)
_BLOCKER: Final = table(PortBlocker)
_BUILD: Final = table(UnitBuild)
_PLACE: Final = (_KERNEL.c.repo, _KERNEL.c.pinned, _KERNEL.c.path, _KERNEL.c.offset, _KERNEL.c.id)


class SqlIndex:
    """`KernelIndex` over SQL and a blob store."""

    def __init__(self, engine: Engine, blobs: BlobStore) -> None:
        self._engine = engine
        self._blobs = blobs

    def put_commit(self, repo: Repo, snapshot: str, database: str, *, task: int = 0) -> None:
        """Record a commit; an empty digest changes nothing."""
        with writing(self._engine) as connection:
            revision = _revision(connection, repo)
            values: dict[str, Any] = {"encoded": encode(repo).decode(), "licence": repo.licence.spdx}
            values |= {name: digest for name, digest in (("snapshot", snapshot), ("database", database)) if digest}
            connection.execute(update(_REVISION).where(_REVISION.c.id == revision).values(**values))
            if task:
                link = insert(table(RevisionTask)).values(task=task, revision=revision)
                connection.execute(link.on_conflict_do_nothing())

    def put_kernels(self, repo: Repo, kernels: Iterable[Kernel]) -> None:
        """Make these the kernels of the commit."""
        listed = list(kernels)
        self._put_units([kernel.unit for kernel in listed if kernel.unit])
        encoded = self._blobs.put_many([encode(replace(kernel, unit=None)) for kernel in listed])
        with writing(self._engine) as connection:
            revision = _revision(connection, repo)
            connection.execute(delete(_KERNEL).where(_KERNEL.c.revision == revision))
            for kernel, digest in zip(listed, encoded, strict=True):
                _insert_kernel(connection, revision, repo, kernel, digest)

    def units(self, repo: Repo) -> Iterator[KernelUnit]:
        """Yield the units of the commit and their ports, by digest."""
        with reading(self._engine) as connection:
            revision = connection.scalar(select(_REVISION.c.id).where(*_same(repo)))
            mine = select(_KERNEL.c.unit).where(_KERNEL.c.revision == revision, _KERNEL.c.unit != "")
            ported = select(_PORT.c.ported).where(_PORT.c.unit.in_(mine))
            chosen = select(_UNIT.c.digest, _UNIT.c.encoded).where(
                or_(_UNIT.c.digest.in_(mine), _UNIT.c.digest.in_(ported))
            )
            rows = connection.execute(chosen.order_by(_UNIT.c.digest)).all()
        for digest, encoded in rows:
            yield self._unit(digest, encoded)

    def put_ports(self, ported: Iterable[KernelUnit]) -> None:
        """Store units with `ported_from`."""
        listed = [unit for unit in ported if unit.ported_from and unit.ported_from != unit.digest]
        encoded = self._put_units(listed)
        with writing(self._engine) as connection:
            for unit, digest in zip(listed, encoded, strict=True):
                values = {"unit": unit.ported_from, "ported": unit.digest, "encoded": digest}
                statement = insert(_PORT).values(**values)
                connection.execute(statement.on_conflict_do_update(set_={"encoded": digest}))
                same = (_BLOCKER.c.unit == unit.ported_from, _BLOCKER.c.ported == unit.digest)
                connection.execute(delete(_BLOCKER).where(*same))
                report = unit.port_report
                for code in sorted({code for code, _ in report.blockers}) if report else ():
                    row = {"unit": unit.ported_from, "ported": unit.digest, "code": code}
                    connection.execute(insert(_BLOCKER).values(**row))

    def put_builds(self, builds: Iterable[Build]) -> None:
        """Store builds, the newest of each (unit, target, toolchain)."""
        listed = list(builds)
        encoded = self._blobs.put_many([encode(build) for build in listed])
        with writing(self._engine) as connection:
            for build, digest in zip(listed, encoded, strict=True):
                row = _build_row(build, digest)
                statement = insert(_BUILD).values(**row)
                connection.execute(
                    statement.on_conflict_do_update(index_elements=["unit", "target", "toolchain"], set_=row)
                )

    def query(self, expression: str = "", *, crawl: str = "", limit: int = 0) -> Iterator[KernelRow]:
        """Yield matching rows, page by page."""
        left = limit or None
        for page, details in self._pages(expression, crawl):
            for row in page:
                if left == 0:
                    return
                left = left - 1 if left is not None else None
                yield details.row(row)

    def records(self, expression: str = "", *, crawl: str = "") -> Iterator[KernelRecord]:
        """Yield whole records, page by page."""
        for page, details in self._pages(expression, crawl):
            for row in page:
                yield self._record(row, details)

    def _pages(self, expression: str, crawl: str) -> Iterator[tuple[Sequence[Row[Any]], _Details]]:
        wanted = language.where(expression)
        after: tuple[Any, ...] = ()
        while True:
            with reading(self._engine) as connection:
                page = select(_KERNEL).where(wanted).order_by(*_PLACE).limit(_PAGE)
                page = page.where(tuple_(*_PLACE) > after) if after else page
                page = page.where(_KERNEL.c.revision.in_(_of_crawl(crawl))) if crawl else page
                rows = connection.execute(page).all()
                details = _Details(connection, rows)
            if not rows:
                return
            yield rows, details
            last = rows[-1]
            after = (last.repo, last.pinned, last.path, last.offset, last.id)

    def _record(self, row: Row[Any], details: _Details) -> KernelRecord:
        kernel = decode(self._blobs.get(row.encoded), Kernel)
        unit = details.units.get(row.unit)
        if unit is not None:
            kernel = replace(kernel, unit=self._unit(row.unit, unit))
        revision = details.revisions[row.revision]
        repo = decode(revision.encoded, Repo)
        provenance = Provenance(
            repo=repo,
            span=kernel.span,
            snapshot=revision.snapshot,
            flags_origin=kernel.flags_origin,
            borrowed_from=kernel.borrowed_from,
        )
        return KernelRecord(
            kernel=kernel,
            provenance=provenance,
            ports=tuple(self._unit(ported, encoded) for ported, encoded in details.ports[row.unit]),
            builds=tuple(decode(self._blobs.get(build.encoded), Build) for build in details.builds_of(row.unit)),
            cluster=row.cluster,
            reasons=details.reasons(row),
        )

    def _put_units(self, units: Sequence[KernelUnit]) -> tuple[str, ...]:
        self._blobs.put_many([unit.source.encode() for unit in units])
        encoded = self._blobs.put_many([encode(replace(unit, source="")) for unit in units])
        with writing(self._engine) as connection:
            for unit, digest in zip(units, encoded, strict=True):
                row = {
                    "digest": unit.digest,
                    "dialect": unit.dialect,
                    "kernel_name": unit.kernel_name,
                    "prelude": unit.prelude,
                    "token_digest": unit.token_digest,
                    "encoded": digest,
                }
                connection.execute(insert(_UNIT).values(**row).on_conflict_do_update(set_=row))
        return encoded

    def _unit(self, digest: str, encoded: str) -> KernelUnit:
        unit = decode(self._blobs.get(encoded), KernelUnit)
        return replace(unit, source=self._blobs.get(digest).decode())


class _Details:
    """What stands in other tables for a page of kernels."""

    def __init__(self, connection: Connection, rows: Sequence[Row[Any]]) -> None:
        kernels = [row.id for row in rows]
        units = {row.unit for row in rows if row.unit}
        revisions = {row.revision for row in rows}
        tags, uses = table(KernelTag), table(KernelInstantiation)
        self.tags: dict[int, list[str]] = defaultdict(list)
        for kernel, tag in connection.execute(select(tags).where(tags.c.kernel.in_(kernels)).order_by(tags.c.tag)):
            self.tags[kernel].append(tag)
        self.labels: dict[int, list[str]] = defaultdict(list)
        chosen = select(uses.c.kernel, uses.c.label).where(uses.c.kernel.in_(kernels))
        for kernel, label in connection.execute(chosen.order_by(uses.c.kernel, uses.c.position)):
            self.labels[kernel].append(label)
        self.units: dict[str, str] = {
            row.digest: row.encoded for row in connection.execute(select(_UNIT).where(_UNIT.c.digest.in_(units)))
        }
        self.ports: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for port in connection.execute(select(_PORT).where(_PORT.c.unit.in_(units)).order_by(_PORT.c.ported)):
            self.ports[port.unit].append((port.ported, port.encoded))
        self.blockers: dict[str, list[str]] = defaultdict(list)
        for blocker in connection.execute(select(_BLOCKER).where(_BLOCKER.c.unit.in_(units)).order_by(_BLOCKER.c.code)):
            self.blockers[blocker.unit].append(blocker.code)
        built = units | {ported for ports in self.ports.values() for ported, _ in ports}
        self.builds: dict[str, list[Row[Any]]] = defaultdict(list)
        newest = select(_BUILD).where(_BUILD.c.unit.in_(built)).order_by(_BUILD.c.target, _BUILD.c.id)
        for build in connection.execute(newest):
            self.builds[build.unit].append(build)
        self.revisions = {
            row.id: row for row in connection.execute(select(_REVISION).where(_REVISION.c.id.in_(revisions)))
        }

    def builds_of(self, unit: str) -> list[Row[Any]]:
        """Return the builds of a unit and of its ports."""
        return [
            build for digest in (unit, *(ported for ported, _ in self.ports[unit])) for build in self.builds[digest]
        ]

    def reasons(self, row: Row[Any]) -> tuple[str, ...]:
        """Return the stable codes of what is wrong with a kernel."""
        failed = [build.code for build in self.builds_of(row.unit) if build.status != Status.PASS and build.code]
        return tuple(sorted({code for code in (row.unit_problem, *failed, *self.blockers[row.unit]) if code}))

    def row(self, row: Row[Any]) -> KernelRow:
        """Return a kernel's row."""
        return KernelRow(
            digest=row.unit,
            name=row.name,
            qualified_name=row.qualified_name,
            repo=row.repo,
            commit=row.pinned,
            path=row.path,
            line=row.line,
            end_line=row.end_line,
            dialect=row.dialect,
            found_by=row.found_by,
            reason=row.reason,
            flags_origin=row.flags_origin,
            is_template=row.is_template,
            instantiations=tuple(self.labels[row.id]),
            launches=row.launches,
            licence=row.licence,
            licence_class=row.licence_class,
            cluster=row.cluster,
            tags=tuple(self.tags[row.id]),
            ports=tuple(ported for ported, _ in self.ports[row.unit]),
            pass_call={build.target: build.status for build in self.builds_of(row.unit)},
            pass_exe={},
            pass_perf={},
            reasons=self.reasons(row),
        )


def _same(repo: Repo) -> tuple[Any, ...]:
    columns = _REVISION.c
    return (
        columns.source == repo.source,
        columns.owner == repo.owner,
        columns.name == repo.name,
        columns.pinned == repo.commit,
    )


def _revision(connection: Connection, repo: Repo) -> int:
    row = {
        "repo": f"{repo.owner}/{repo.name}" if repo.owner else repo.name,
        "source": repo.source,
        "owner": repo.owner,
        "name": repo.name,
        "pinned": repo.commit,
        "ref": repo.ref,
        "url": repo.url,
        "licence": repo.licence.spdx,
        "snapshot": "",
        "database": "",
        "encoded": encode(repo).decode(),
    }
    connection.execute(insert(_REVISION).values(**row).on_conflict_do_nothing())
    return int(connection.scalar(select(_REVISION.c.id).where(*_same(repo))) or 0)


def _of_crawl(crawl: str) -> Any:
    found, tasks = table(RevisionTask), table(CrawlTask)
    joined = found.join(tasks, tasks.c.task == found.c.task)
    return select(found.c.revision).select_from(joined).where(tasks.c.crawl == crawl)


def _insert_kernel(connection: Connection, revision: int, repo: Repo, kernel: Kernel, encoded: str) -> None:
    row = {
        "revision": revision,
        "repo": f"{repo.owner}/{repo.name}" if repo.owner else repo.name,
        "pinned": repo.commit,
        "path": kernel.span.path,
        "line": kernel.span.line,
        "end_line": kernel.span.end_line,
        "offset": kernel.span.offset,
        "name": kernel.name,
        "qualified_name": kernel.qualified_name,
        "dialect": kernel.dialect,
        "found_by": kernel.found_by,
        "reason": kernel.reason,
        "flags_origin": kernel.flags_origin,
        "is_template": bool(kernel.template_head),
        "launches": len(kernel.launches),
        "licence": kernel.licence.spdx,
        "licence_class": kernel.licence.kind,
        "unit": kernel.unit.digest if kernel.unit else "",
        "cluster": kernel.unit.token_digest if kernel.unit else "",
        "unit_problem": kernel.unit_problem.split(":")[0],
        "encoded": encoded,
    }
    number = connection.execute(insert(_KERNEL).values(**row).returning(_KERNEL.c.id)).scalar_one()
    for tag in sorted(set(kernel.tags)):
        connection.execute(insert(table(KernelTag)).values(kernel=number, tag=tag))
    for position, one in enumerate(kernel.instantiations):
        values: dict[str, Any] = {"kernel": number, "position": position, "label": one.label, "symbol": one.symbol}
        values |= {"arguments": json.dumps(one.arguments), "origin": one.origin}
        connection.execute(insert(table(KernelInstantiation)).values(**values))
    for position, launch in enumerate(kernel.launches):
        site = {
            "kernel": number,
            "position": position,
            "path": launch.span.path,
            "line": launch.span.line,
            "grid": launch.grid,
            "block": launch.block,
            "shared_bytes": launch.shared_bytes,
            "stream": launch.stream,
            "enclosing": launch.enclosing,
            "found_by": launch.found_by,
        }
        connection.execute(insert(table(KernelLaunch)).values(**site))


def _build_row(build: Build, encoded: str) -> dict[str, Any]:
    return {
        "unit": build.unit,
        "target": build.target,
        "toolchain": build.toolchain.digest,
        "compiler": build.toolchain.compiler,
        "status": build.pass_call.status,
        "code": build.pass_call.code,
        "message": build.pass_call.message,
        "form": build.form,
        "loaded": build.loaded,
        "object": build.object_digest,
        "seconds": build.seconds,
        "encoded": encoded,
    }
