"""One page of kernels with their tags, ports, builds and runs, however they were read.

A small index is read without SQLAlchemy (`small_index`), which nothing here may import.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crawler.model import (
    ReviewState,
    Status,
    select_run_per_device,
    select_run_per_instantiation,
)
from storage.index.derived_values import reason_codes
from storage.interfaces import KernelRow

if TYPE_CHECKING:
    from sqlalchemy import Row

KernelRows = Sequence["Row[Any]"]
_RowsByUnit = Mapping[str, Sequence["Row[Any]"]]


@dataclass(frozen=True, slots=True)
class RowsBeside:
    """What stands in other tables of the kernels of a page."""

    commits_and_copies: Mapping[int, Row[Any]]
    """By the id of a kernel."""
    texts: Mapping[tuple[str, Any], Sequence[str]]
    """By their kind and the id of a kernel or the digest of a unit."""
    ports: _RowsByUnit
    builds: _RowsByUnit
    runs: _RowsByUnit


class KernelPage:
    """Some rows of the kernel table, with all that query rows and records show beside them."""

    def __init__(self, kernels: KernelRows, beside: RowsBeside) -> None:
        self.kernels = kernels
        self._beside = beside

    def near_cluster(self, kernel: Row[Any]) -> str:
        """Return what the kernel shares with its near copies; empty for one without a text."""
        near_cluster: str = (
            self._beside.commits_and_copies[kernel.id].near_cluster or ""
        )
        return near_cluster

    def ports(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the rows of the ports of the kernel's unit."""
        return list(self._beside.ports.get(kernel.unit, ()))

    def builds(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the newest builds of the kernel's unit, then those of its ports."""
        builds: list[Row[Any]] = []
        for unit in self._own_units(kernel):
            builds += self._beside.builds.get(unit, ())

        return builds

    def runs(self, kernel: Row[Any]) -> list[Row[Any]]:
        """Return the newest runs of the kernel's unit, then those of its ports."""
        runs: list[Row[Any]] = []
        for unit in self._own_units(kernel):
            runs += self._beside.runs.get(unit, ())

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

        blockers = self._beside.texts.get(("blocker", kernel.unit), ())
        return reason_codes(kernel.unit_problem, verdicts, blockers)

    def query_row(self, kernel: Row[Any]) -> KernelRow:
        """Return the kernel as a query shows it."""
        builds = self.builds(kernel)
        ports = self.ports(kernel)
        labels = self._beside.texts.get(("label", kernel.id), [])
        tags = self._beside.texts.get(("tag", kernel.id), ())
        operators = self._beside.texts.get(("operator", kernel.id), ())
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
            url=self._beside.commits_and_copies[kernel.id].url,
            commit=kernel.pinned,
            path=kernel.path,
            line=kernel.line,
            end_line=kernel.end_line,
            offset=kernel.offset,
            dialect=kernel.dialect,
            found_by=kernel.found_by,
            reason=kernel.reason,
            flags_origin=kernel.flags_origin,
            is_template=bool(kernel.is_template),
            superseded=bool(kernel.superseded),
            # a plain kernel's only instantiation has no label
            instantiations=tuple(label for label in labels if label),
            launches=kernel.launches,
            licence=kernel.licence,
            licence_class=kernel.licence_class,
            cluster=kernel.cluster,
            near_cluster=self.near_cluster(kernel),
            tags=tuple(sorted(tags)),
            operators=tuple(sorted(operators)),
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
        unreviewed = [ReviewState.UNREVIEWED.value]
        (state,) = self._beside.texts.get(("review", kernel.unit), unreviewed)
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


def collect_texts(
    texts_of_kernels: Iterable[tuple[str, int, int, str]],
    texts_of_units: Iterable[tuple[str, str, str]],
) -> dict[tuple[str, Any], list[str]]:
    """Return (kind, id of a kernel or digest of a unit) to its texts of the kind."""
    texts: dict[tuple[str, Any], list[str]] = defaultdict(list)
    labels: list[tuple[int, int, str]] = []
    for kind, kernel, position, text in texts_of_kernels:
        if kind == "label":
            labels.append((kernel, position, text))
        else:
            texts[kind, kernel].append(text)

    for kernel, _, text in sorted(labels):
        texts["label", kernel].append(text)

    for kind, unit, text in texts_of_units:
        texts[kind, unit].append(text)

    return texts


def group_by_unit(rows: Iterable[Any]) -> dict[str, list[Any]]:
    """Return rows by their unit."""
    rows_by_unit: dict[str, list[Any]] = defaultdict(list)
    for row in rows:
        rows_by_unit[row.unit].append(row)

    return rows_by_unit
