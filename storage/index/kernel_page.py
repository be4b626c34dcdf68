"""One page of kernels with their tags, ports, builds and runs, read in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, select

from crawler.model import select_run_per_device
from storage.index.derived_values import reason_codes
from storage.index.sql_filters import (
    BLOCKER,
    BUILD,
    INSTANTIATION,
    PORT,
    RUN,
    TAG,
    is_newest_build,
    is_newest_run,
)
from storage.interfaces import KernelRow
from storage.tables import Revision, RevisionTask, Unit, table

REVISION: Final = table(Revision)
REVISION_TASK: Final = table(RevisionTask)
UNIT: Final = table(Unit)


class KernelPage:
    """Some kernels, and everything that their rows and records need beside them."""

    def __init__(self, connection: Connection, kernels: Sequence[Row[Any]]) -> None:
        self.kernels = kernels
        ids = [kernel.id for kernel in kernels]
        revisions = REVISION.c.id.in_({kernel.revision for kernel in kernels})
        self._urls = {
            row.id: row.url
            for row in connection.execute(
                select(REVISION.c.id, REVISION.c.url).where(revisions)
            )
        }
        units = {kernel.unit for kernel in kernels if kernel.unit}
        self._tags = _gather(connection, _within(TAG.c.kernel, ids, TAG.c.tag))
        # a plain kernel's only instantiation has no label
        labelled = _within(INSTANTIATION.c.kernel, ids, INSTANTIATION.c.label).where(
            INSTANTIATION.c.label != ""
        )
        self._labels = _gather(
            connection,
            labelled.order_by(INSTANTIATION.c.kernel, INSTANTIATION.c.position),
        )
        ports = (
            select(PORT.c.unit, PORT)
            .where(PORT.c.unit.in_(units))
            .order_by(PORT.c.ported)
        )
        self._ports: dict[str, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(ports).all():
            self._ports[row.unit].append(row)
        self._blockers = _gather(
            connection, _within(BLOCKER.c.unit, units, BLOCKER.c.code)
        )
        built = units | {
            port.ported for found in self._ports.values() for port in found
        }
        self._builds: dict[str, list[Row[Any]]] = defaultdict(list)
        builds = (
            select(BUILD)
            .where(BUILD.c.unit.in_(built), is_newest_build(BUILD))
            .order_by(BUILD.c.target)
        )
        for row in connection.execute(builds).all():
            self._builds[row.unit].append(row)
        self._runs: dict[str, list[Row[Any]]] = defaultdict(list)
        runs = (
            select(RUN)
            .where(RUN.c.unit.in_(built), is_newest_run(RUN))
            .order_by(RUN.c.device)
        )
        for row in connection.execute(runs).all():
            self._runs[row.unit].append(row)

    def ports(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the rows of the ports of the kernel's unit."""
        return self._ports[kernel.unit]

    def builds(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the newest builds of the kernel's unit, then those of its ports."""
        return [
            build for digest in self._family(kernel) for build in self._builds[digest]
        ]

    def runs(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the newest runs of the kernel's unit, then those of its ports."""
        return [run for digest in self._family(kernel) for run in self._runs[digest]]

    def _family(self, kernel: Row[Any]) -> list[str]:
        return [kernel.unit, *(port.ported for port in self.ports(kernel))]

    def reasons(self, kernel: Row[Any]) -> tuple[str, ...]:
        """Return the codes of what is wrong with the kernel."""
        verdicts = [(build.status, build.code) for build in self.builds(kernel)]
        verdicts += [(run.exe_status, run.exe_code) for run in self.runs(kernel)]
        return reason_codes(kernel.unit_problem, verdicts, self._blockers[kernel.unit])

    def query_row(self, kernel: Row[Any]) -> KernelRow:
        """Return the kernel as a query shows it."""
        builds = self.builds(kernel)
        spoken = select_run_per_device(self.runs(kernel))
        return KernelRow(
            digest=kernel.unit,
            name=kernel.name,
            qualified_name=kernel.qualified_name,
            repo=kernel.repo,
            url=self._urls[kernel.revision],
            commit=kernel.pinned,
            path=kernel.path,
            line=kernel.line,
            end_line=kernel.end_line,
            dialect=kernel.dialect,
            found_by=kernel.found_by,
            reason=kernel.reason,
            flags_origin=kernel.flags_origin,
            is_template=kernel.is_template,
            superseded=kernel.superseded,
            instantiations=tuple(self._labels[kernel.id]),
            launches=kernel.launches,
            licence=kernel.licence,
            licence_class=kernel.licence_class,
            cluster=kernel.cluster,
            tags=tuple(sorted(self._tags[kernel.id])),
            ports=tuple(port.ported for port in self.ports(kernel)),
            waves=tuple(port.wave for port in self.ports(kernel) if port.wave),
            pass_call={build.target: build.status for build in builds},
            pass_exe={run.device: run.exe_status for run in spoken},
            pass_perf={
                run.device: run.perf_status for run in spoken if run.perf_status
            },
            reasons=self.reasons(kernel),
        )


def _within(
    key: ColumnElement[Any], wanted: Iterable[Any], value: ColumnElement[Any]
) -> Select[Any]:
    return select(key, value).where(key.in_(wanted))


def _gather(connection: Connection, statement: Select[Any]) -> dict[Any, list[str]]:
    found: dict[Any, list[str]] = defaultdict(list)
    for key, value in connection.execute(statement).all():
        found[key].append(value)
    return found
