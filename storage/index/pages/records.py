"""Kernel records assembled from index rows and stored blobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, func, select

from crawler.codec import decode
from crawler.model import (
    Build,
    Kernel,
    KernelRecord,
    KernelUnit,
    Provenance,
    Repo,
    Run,
    Suite,
)
from storage.index.kernel_rows.kernel_units import decode_unit
from storage.index.pages.kernel_page import KernelPage, KernelRows
from storage.index.pages.page_reading import read_rows_beside
from storage.interfaces import BlobStore
from storage.ledger.interface import State
from storage.reviews.review_rows import read_histories
from storage.tables import REVISION, REVISION_TASK, SPAWN, TASK, UNIT

Contents = Mapping[str, bytes]
"""Blobs by digest."""


class RecordPage(KernelPage):
    """A page with what records need beside rows: commits, stage versions and stored units."""

    def __init__(self, connection: Connection, kernels: KernelRows) -> None:
        super().__init__(kernels, read_rows_beside(connection, kernels))
        revisions = {kernel.revision for kernel in kernels}
        units = {kernel.unit for kernel in kernels if kernel.unit}

        commits = select(REVISION).where(REVISION.c.id.in_(revisions))
        self._revisions = {row.id: row for row in connection.execute(commits).all()}
        self._stage_versions = {
            revision: _read_stage_versions(connection, revision)
            for revision in revisions
        }
        self._reviews = read_histories(connection, units)
        is_chosen = UNIT.c.digest.in_(units)
        encoded = select(UNIT.c.digest, UNIT.c.encoded).where(is_chosen)
        self._encoded_units: dict[str, str] = {
            row.digest: row.encoded for row in connection.execute(encoded).all()
        }

    def records(self, blobs: BlobStore) -> Iterator[KernelRecord]:
        """Yield the record of each kernel; the blobs of all are read together."""
        # kernels of one page share units and suites: each blob is read once
        digests: set[str] = set()
        for kernel in self.kernels:
            digests.update(self._iter_blobs(kernel))

        ordered = sorted(digests)
        contents = dict(zip(ordered, blobs.get_many(ordered), strict=True))

        for kernel in self.kernels:
            yield self._make_record(kernel, contents)

    def _iter_blobs(self, kernel: Row[Any]) -> Iterator[str]:
        """Yield the digest of each blob that the record of a kernel needs."""
        yield kernel.encoded
        if kernel.unit:
            yield kernel.unit
            yield self._encoded_units[kernel.unit]

        for port in self.ports(kernel):
            yield port.ported
            yield port.encoded

        for build in self.builds(kernel):
            yield build.encoded

        for run in self.runs(kernel):
            yield run.encoded
            if run.suite:
                yield run.suite

    def _make_record(self, row: Row[Any], contents: Contents) -> KernelRecord:
        kernel = self._decode_kernel(row, contents)
        revision = self._revisions[row.revision]
        provenance = Provenance(
            repo=decode(revision.encoded, Repo),
            span=kernel.span,
            snapshot=revision.snapshot,
            flags_origin=kernel.flags_origin,
            borrowed_from=kernel.borrowed_from,
            stages=self._stage_versions[row.revision],
        )

        ports: list[KernelUnit] = []
        for port in self.ports(row):
            unit = decode_unit(contents[port.encoded], contents[port.ported])
            ports.append(unit)

        builds: list[Build] = []
        for build in self.builds(row):
            builds.append(decode(contents[build.encoded], Build))

        runs: list[Run] = []
        for run in self.runs(row):
            runs.append(decode(contents[run.encoded], Run))

        return KernelRecord(
            kernel=kernel,
            provenance=provenance,
            ports=tuple(ports),
            builds=tuple(builds),
            runs=tuple(runs),
            suites=self._decode_suites(row, contents),
            cluster=row.cluster,
            near_cluster=self.near_cluster(row),
            reasons=self.reasons(row),
            reviews=self._reviews.get(row.unit, ()),
        )

    def _decode_kernel(self, row: Row[Any], contents: Contents) -> Kernel:
        # a kernel is stored without its unit, and a unit without its text
        kernel = decode(contents[row.encoded], Kernel)
        if not row.unit:
            return kernel

        encoded = contents[self._encoded_units[row.unit]]
        unit = decode_unit(encoded, contents[row.unit])
        return replace(kernel, unit=unit)

    def _decode_suites(
        self, row: Row[Any], contents: Contents
    ) -> tuple[tuple[str, Suite], ...]:
        """Return the suites of the runs with their digests, each once."""
        suites: dict[str, Suite] = {}
        for run in self.runs(row):
            if run.suite and run.suite not in suites:
                suites[run.suite] = decode(contents[run.suite], Suite)

        return tuple(suites.items())


def _read_stage_versions(
    connection: Connection, revision: int
) -> tuple[tuple[str, str], ...]:
    """Return (stage, version) of the last finished task of each stage for a commit.

    They are in the order in which those tasks were inserted.
    """
    is_of_revision = REVISION_TASK.c.revision == revision
    found_by = select(REVISION_TASK.c.task).where(is_of_revision)
    # what found the commit, and all that was spawned by that directly or indirectly
    reach = found_by.cte("reach", recursive=True)
    is_spawned = SPAWN.c.spawned_by == reach.c.task
    reach = reach.union(select(SPAWN.c.task).where(is_spawned))

    # ids only grow: the largest belongs to the version that ran last
    is_reached = TASK.c.id.in_(select(reach.c.task))
    is_done = TASK.c.state == State.DONE.value
    last_tasks = select(func.max(TASK.c.id))
    last_tasks = last_tasks.where(is_reached, is_done).group_by(TASK.c.stage)

    is_last = TASK.c.id.in_(last_tasks)
    versions = select(TASK.c.stage, TASK.c.stage_version)
    versions = versions.where(is_last).order_by(TASK.c.id)
    rows = connection.execute(versions)

    return tuple((stage, version) for stage, version in rows)
