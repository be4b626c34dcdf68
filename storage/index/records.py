"""Kernel records assembled from index rows and stored blobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
from storage.index.kernel_page import REVISION, REVISION_TASK, UNIT, KernelPage
from storage.interfaces import BlobStore
from storage.ledger.dependencies import TASK
from storage.ledger.enqueue import SPAWN
from storage.ledger.interface import State


class RecordPage(KernelPage):
    """A page with what records need beside rows: commits, their stages' versions, and where
    units are stored.
    """

    def __init__(self, connection: Connection, kernels: Sequence[Row[Any]]) -> None:
        super().__init__(connection, kernels)
        revisions = {kernel.revision for kernel in kernels}
        units = {kernel.unit for kernel in kernels if kernel.unit}
        found = connection.execute(select(REVISION).where(REVISION.c.id.in_(revisions)))
        self._revisions = {row.id: row for row in found.all()}
        self._stages = {
            revision: _stages(connection, revision) for revision in revisions
        }
        stored = connection.execute(
            select(UNIT.c.digest, UNIT.c.encoded).where(UNIT.c.digest.in_(units))
        )
        self._units: dict[str, str] = {row.digest: row.encoded for row in stored.all()}

    def records(self, blobs: BlobStore) -> Iterator[KernelRecord]:
        """Yield the record of each kernel; its blobs are read in one look for all."""
        wanted = sorted(
            {digest for kernel in self.kernels for digest in self._blobs_of(kernel)}
        )
        contents = dict(zip(wanted, blobs.get_many(wanted), strict=True))
        for kernel in self.kernels:
            yield self._record(kernel, contents)

    def _blobs_of(self, kernel: Row[Any]) -> Iterator[str]:
        yield kernel.encoded
        if kernel.unit:
            yield from (kernel.unit, self._units[kernel.unit])
        for port in self.ports(kernel):
            yield from (port.ported, port.encoded)
        yield from (build.encoded for build in self.builds(kernel))
        for run in self.runs(kernel):
            yield run.encoded
            yield from (run.suite,) if run.suite else ()

    def _suites(self, kernel: Row[Any]) -> Iterator[str]:
        return iter(dict.fromkeys(run.suite for run in self.runs(kernel) if run.suite))

    def _record(self, row: Row[Any], contents: Mapping[str, bytes]) -> KernelRecord:
        kernel = decode(contents[row.encoded], Kernel)
        if row.unit:
            kernel = replace(
                kernel, unit=_unit(contents[self._units[row.unit]], contents[row.unit])
            )
        revision = self._revisions[row.revision]
        provenance = Provenance(
            repo=decode(revision.encoded, Repo),
            span=kernel.span,
            snapshot=revision.snapshot,
            flags_origin=kernel.flags_origin,
            borrowed_from=kernel.borrowed_from,
            stages=self._stages[row.revision],
        )
        return KernelRecord(
            kernel=kernel,
            provenance=provenance,
            ports=tuple(
                _unit(contents[port.encoded], contents[port.ported])
                for port in self.ports(row)
            ),
            builds=tuple(
                decode(contents[build.encoded], Build) for build in self.builds(row)
            ),
            runs=tuple(decode(contents[run.encoded], Run) for run in self.runs(row)),
            suites=tuple(
                (suite, decode(contents[suite], Suite)) for suite in self._suites(row)
            ),
            cluster=row.cluster,
            reasons=self.reasons(row),
        )


def load_units(
    blobs: BlobStore, digest_pairs: Sequence[tuple[str, str]]
) -> Iterator[KernelUnit]:
    """Yield the units that are stored as (digest of the text, digest of the JSON without it)."""
    texts = blobs.get_many([digest for digest, _ in digest_pairs])
    encoded = blobs.get_many([digest for _, digest in digest_pairs])
    return (_unit(*pair) for pair in zip(encoded, texts, strict=True))


def _unit(encoded: bytes, text: bytes) -> KernelUnit:
    return replace(decode(encoded, KernelUnit), source=text.decode())


def _stages(connection: Connection, revision: int) -> tuple[tuple[str, str], ...]:
    """Return the version of the last task of each stage that is done and came of the commit, in
    that order.
    """
    reach = (
        select(REVISION_TASK.c.task)
        .where(REVISION_TASK.c.revision == revision)
        .cte("reach", recursive=True)
    )
    reach = reach.union(select(SPAWN.c.task).where(SPAWN.c.spawned_by == reach.c.task))
    done = TASK.c.id.in_(select(reach.c.task)), TASK.c.state == State.DONE.value
    last = select(func.max(TASK.c.id)).where(*done).group_by(TASK.c.stage)
    stages = (
        select(TASK.c.stage, TASK.c.stage_version)
        .where(TASK.c.id.in_(last))
        .order_by(TASK.c.id)
    )
    return tuple((stage, version) for stage, version in connection.execute(stages))
