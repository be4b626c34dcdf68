"""One page of kernels with their tags, ports, builds and runs, read in one transaction."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from crawler.model import (
    ReviewState,
    Status,
    select_run_per_device,
    select_run_per_instantiation,
)
from storage.index.derived_values import reason_codes
from storage.index.newest_verdicts import is_newest_build, is_newest_run
from storage.interfaces import KernelRow
from storage.tables import (
    BUILD,
    DEFINITION,
    INSTANTIATION,
    KERNEL_OPERATOR,
    KERNEL_TAG,
    PORT,
    PORT_BLOCKER,
    REVIEW_STATE,
    REVISION,
    RUN,
)

KernelRows = Sequence[Row[Any]]


class KernelPage:
    """Some rows of the kernel table, with all that query rows and records show beside them."""

    def __init__(self, connection: Connection, kernels: KernelRows) -> None:
        self.kernels = kernels
        ids: list[int] = []
        units: set[str] = set()
        revisions: set[int] = set()

        for kernel in kernels:
            ids.append(kernel.id)
            revisions.add(kernel.revision)
            if kernel.unit:
                units.add(kernel.unit)

        definitions = {kernel.definition for kernel in kernels}

        self._urls = _read_urls(connection, revisions)
        self._near_clusters = _read_near_clusters(connection, definitions)
        self._tags = _read_texts(connection, _select_tags(ids))
        self._operators = _read_texts(connection, _select_operators(ids))
        self._labels = _read_texts(connection, _select_labels(ids))
        self._blockers = _read_texts(connection, _select_blockers(units))
        self._ports = _read_rows(connection, _select_ports(units))
        self._review_states = _read_texts(connection, _select_review_states(units))

        # verdicts of a port count for the kernel that it was ported from
        built_units = set(units)

        for ports in self._ports.values():
            built_units.update(port.ported for port in ports)

        self._builds = _read_rows(connection, _select_builds(built_units))
        self._runs = _read_rows(connection, _select_runs(built_units))

    def near_cluster(self, kernel: Row[Any]) -> str:
        """Return what the kernel shares with its near copies; empty for one without a text."""
        return self._near_clusters.get(kernel.definition, "")

    def ports(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the rows of the ports of the kernel's unit."""
        return self._ports[kernel.unit]

    def builds(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the newest builds of the kernel's unit, then those of its ports."""
        builds: list[Row[Any]] = []
        for unit in self._own_units(kernel):
            builds += self._builds[unit]

        return builds

    def runs(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the newest runs of the kernel's unit, then those of its ports."""
        runs: list[Row[Any]] = []
        for unit in self._own_units(kernel):
            runs += self._runs[unit]

        return runs

    def _own_units(self, kernel: Row[Any]) -> list[str]:
        ported_units = [port.ported for port in self.ports(kernel)]
        return [kernel.unit, *ported_units]

    def reasons(self, kernel: Row[Any]) -> tuple[str, ...]:
        """Return the codes of what is wrong with the kernel."""
        verdicts: list[tuple[str, str]] = []
        for build in self.builds(kernel):
            verdicts.append((build.status, build.code))
        for run in self.runs(kernel):
            verdicts.append((run.exe_status, run.exe_code))

        blockers = self._blockers[kernel.unit]
        return reason_codes(kernel.unit_problem, verdicts, blockers)

    def query_row(self, kernel: Row[Any]) -> KernelRow:
        """Return the kernel as a query shows it."""
        builds = self.builds(kernel)
        ports = self.ports(kernel)
        labels = self._labels[kernel.id]
        tags = self._tags[kernel.id]
        # a kernel and its ports may have run on the same device: the first speaks for it
        runs = select_run_per_device(self.runs(kernel))

        waves = [port.wave for port in ports if port.wave]
        pass_call = {build.target: build.status for build in builds}
        fidelity = {build.target: build.fidelity for build in builds if build.fidelity}
        pass_exe = {run.device: run.exe_status for run in runs}
        extents = {run.device: run.extents for run in runs if run.extents}
        mutants_killed = {
            run.device: run.killed / run.mutants for run in runs if run.mutants > 0
        }
        pass_perf = {run.device: run.perf_status for run in runs if run.perf_status}

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
            offset=kernel.offset,
            dialect=kernel.dialect,
            found_by=kernel.found_by,
            reason=kernel.reason,
            flags_origin=kernel.flags_origin,
            is_template=kernel.is_template,
            superseded=kernel.superseded,
            # a plain kernel's only instantiation has no label
            instantiations=tuple(label for label in labels if label),
            launches=kernel.launches,
            licence=kernel.licence,
            licence_class=kernel.licence_class,
            cluster=kernel.cluster,
            near_cluster=self.near_cluster(kernel),
            tags=tuple(sorted(tags)),
            operators=tuple(sorted(self._operators[kernel.id])),
            ports=tuple(port.ported for port in ports),
            waves=tuple(waves),
            pass_call=pass_call,
            fidelity=fidelity,
            pass_exe=pass_exe,
            instantiation_exe=_list_instantiation_statuses(labels, self.runs(kernel)),
            extents=extents,
            oracle={run.device: run.oracle for run in runs},
            strength={run.device: run.strength for run in runs},
            mutants_killed=mutants_killed,
            pass_perf=pass_perf,
            reasons=self.reasons(kernel),
            review=self._review_state(kernel),
        )

    def _review_state(self, kernel: Row[Any]) -> str:
        """Return what people came to; one without a unit cannot be reviewed."""
        (state,) = self._review_states[kernel.unit] or [ReviewState.UNREVIEWED.value]
        return state


def _list_instantiation_statuses(
    labels: Sequence[str], runs: Sequence[Row[Any]]
) -> dict[str, dict[str, str]]:
    """Return device to label to status."""
    statuses: dict[str, dict[str, str]] = {}
    run_per_instantiation = select_run_per_instantiation(labels, runs)

    for device, run_per_label in run_per_instantiation.items():
        statuses[device] = {
            label: run.exe_status if run else Status.NOT_RUN.value
            for label, run in run_per_label.items()
        }

    return statuses


def _read_urls(connection: Connection, revisions: set[int]) -> dict[int, str]:
    is_shown = REVISION.c.id.in_(revisions)
    statement = select(REVISION.c.id, REVISION.c.url).where(is_shown)
    rows = connection.execute(statement)

    return {row.id: row.url for row in rows}


def _read_near_clusters(
    connection: Connection, definitions: set[str]
) -> dict[str, str]:
    columns = DEFINITION.c
    is_shown = columns.digest.in_(definitions)
    statement = select(columns.digest, columns.near_cluster).where(is_shown)
    rows = connection.execute(statement)

    return {row.digest: row.near_cluster for row in rows}


def _read_texts(connection: Connection, statement: Select[Any]) -> dict[Any, list[str]]:
    """Return the second column of the rows by the first."""
    # a kernel without rows has an empty list, not a KeyError
    texts: dict[Any, list[str]] = defaultdict(list)
    rows = connection.execute(statement).all()

    for key, text in rows:
        texts[key].append(text)

    return texts


def _read_rows(
    connection: Connection, statement: Select[Any]
) -> dict[str, list[Row[Any]]]:
    """Return rows by their unit."""
    rows_by_unit: dict[str, list[Row[Any]]] = defaultdict(list)
    rows = connection.execute(statement).all()

    for row in rows:
        rows_by_unit[row.unit].append(row)

    return rows_by_unit


def _select_tags(kernels: Collection[int]) -> Select[Any]:
    columns = KERNEL_TAG.c
    tags = select(columns.kernel, columns.tag)
    return tags.where(columns.kernel.in_(kernels))


def _select_operators(kernels: Collection[int]) -> Select[Any]:
    columns = KERNEL_OPERATOR.c
    operators = select(columns.kernel, columns.name)
    return operators.where(columns.kernel.in_(kernels))


def _select_labels(kernels: Collection[int]) -> Select[Any]:
    columns = INSTANTIATION.c
    is_shown = columns.kernel.in_(kernels)
    labels = select(columns.kernel, columns.label).where(is_shown)

    return labels.order_by(columns.kernel, columns.position)


def _select_blockers(units: Collection[str]) -> Select[Any]:
    columns = PORT_BLOCKER.c
    blockers = select(columns.unit, columns.code)
    return blockers.where(columns.unit.in_(units))


def _select_review_states(units: Collection[str]) -> Select[Any]:
    columns = REVIEW_STATE.c
    states = select(columns.unit, columns.state)
    return states.where(columns.unit.in_(units))


def _select_ports(units: Collection[str]) -> Select[Any]:
    is_of_unit = PORT.c.unit.in_(units)
    ports = select(PORT).where(is_of_unit)
    return ports.order_by(PORT.c.ported)


def _select_builds(units: Collection[str]) -> Select[Any]:
    is_of_unit = BUILD.c.unit.in_(units)
    builds = select(BUILD).where(is_of_unit, is_newest_build(BUILD))
    return builds.order_by(BUILD.c.target)


def _select_runs(units: Collection[str]) -> Select[Any]:
    is_of_unit = RUN.c.unit.in_(units)
    runs = select(RUN).where(is_of_unit, is_newest_run(RUN))
    return runs.order_by(RUN.c.device, RUN.c.id)
