"""Query rows and totals made from whole records in memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

from crawler.codec import encode
from crawler.model import (
    Build,
    Kernel,
    KernelRecord,
    KernelUnit,
    Run,
    Status,
    decide_review_state,
    select_run_per_device,
    select_run_per_instantiation,
)
from storage.index.derived_values import (
    instantiation_labels,
    is_template,
    operator_names,
    port_blocker_codes,
    port_wave,
    reason_codes,
    summarise_shares,
    unit_problem_code,
)
from storage.interfaces import KernelRow, Place
from storage.kernel_counts import StepTotals, Totals


def make_row(record: KernelRecord, superseded: bool) -> KernelRow:
    """Return a record as a query shows it."""
    kernel = record.kernel
    repo = record.provenance.repo
    runs = select_run_per_device(record.runs)

    waves = [wave for wave in map(port_wave, record.ports) if wave]
    pass_call = {build.target: build.pass_call.status.value for build in record.builds}
    fidelity = {
        build.target: build.fidelity.value for build in record.builds if build.fidelity
    }
    pass_exe: dict[str, str] = {}
    pass_perf: dict[str, str] = {}

    for run in runs:
        pass_exe[run.device] = run.pass_exe.status.value
        if run.pass_perf:
            pass_perf[run.device] = run.pass_perf.status.value

    return KernelRow(
        digest=kernel.unit.digest if kernel.unit else "",
        name=kernel.name,
        qualified_name=kernel.qualified_name,
        repo=repo.label,
        url=repo.url,
        commit=repo.commit,
        path=kernel.span.path,
        line=kernel.span.line,
        end_line=kernel.span.end_line,
        offset=kernel.span.offset,
        dialect=kernel.dialect.value,
        found_by=kernel.found_by.value,
        reason=kernel.reason,
        flags_origin=kernel.flags_origin.value,
        is_template=is_template(kernel),
        superseded=superseded,
        instantiations=instantiation_labels(kernel),
        launches=len(kernel.launches),
        licence=kernel.licence.spdx,
        licence_class=kernel.licence.kind.value,
        cluster=record.cluster,
        near_cluster=record.near_cluster,
        tags=tuple(sorted(set(kernel.tags))),
        operators=operator_names(kernel),
        ports=tuple(port.digest for port in record.ports),
        waves=tuple(waves),
        pass_call=pass_call,
        fidelity=fidelity,
        pass_exe=pass_exe,
        instantiation_exe=_list_instantiation_statuses(record),
        extents={run.device: run.extents.value for run in runs if run.extents},
        oracle={run.device: run.oracle.value for run in runs},
        strength={run.device: run.strength.strength_class.value for run in runs},
        mutants_killed=_list_killed_shares(runs),
        pass_perf=pass_perf,
        reasons=record.reasons,
        review=decide_review_state(record.reviews).value,
    )


def place_in(row: KernelRow) -> Place:
    """Return where the kernel of a row stands."""
    return Place(row.repo, row.commit, row.path, row.offset)


def _list_instantiation_statuses(record: KernelRecord) -> dict[str, dict[str, str]]:
    """Return device to label to status."""
    labels = [instantiation.label for instantiation in record.kernel.instantiations]
    statuses: dict[str, dict[str, str]] = {}
    run_per_instantiation = select_run_per_instantiation(labels, record.runs)

    for device, run_per_label in run_per_instantiation.items():
        statuses[device] = {
            label: run.pass_exe.status.value if run else Status.NOT_RUN.value
            for label, run in run_per_label.items()
        }

    return statuses


def _list_killed_shares(runs: Iterable[Run]) -> dict[str, float]:
    shares: dict[str, float] = {}
    for run in runs:
        killed_share = run.strength.killed_share
        if killed_share is not None:
            shares[run.device] = killed_share

    return shares


def list_reasons(
    kernel: Kernel, ports: list[KernelUnit], builds: list[Build], runs: list[Run]
) -> tuple[str, ...]:
    """Return the codes of what is wrong with a kernel, as it and its verdicts are stored."""
    verdicts: list[tuple[str, str]] = []
    for build in builds:
        verdicts.append((build.pass_call.status, build.pass_call.code))
    for run in runs:
        verdicts.append((run.pass_exe.status, run.pass_exe.code))

    blockers: list[str] = []
    for port in ports:
        blockers.extend(port_blocker_codes(port))

    problem = unit_problem_code(kernel)
    return reason_codes(problem, verdicts, blockers)


def count_rows(
    rows: Sequence[KernelRow], ports_by_unit: Iterable[Collection[KernelUnit]]
) -> Totals:
    """Count query rows; `ports_by_unit` has the ports of each of their distinct units."""
    ported = 0
    classified = 0

    for ports in ports_by_unit:
        if ports:
            ported += 1
        if any(port_blocker_codes(port) for port in ports):
            classified += 1

    files = {(row.repo, row.commit, row.path) for row in rows}
    units = {row.digest for row in rows if row.digest}
    layers = (row.found_by for row in rows)
    reasons = (code for row in rows for code in row.reasons)

    return Totals(
        files=len(files),
        by_layer=_count_sorted(layers),
        units=len(units),
        ported=ported,
        classified=classified,
        compiled=_count_units(rows, lambda row: row.pass_call),
        fidelity=_count_units(rows, lambda row: row.fidelity),
        ran=_count_units(rows, lambda row: row.pass_exe),
        instantiations=_count_instantiations(rows),
        extents=_count_units(rows, lambda row: row.extents),
        strength=_count_units(rows, lambda row: row.strength),
        mutants_killed=summarise_shares(
            {
                (row.digest, device, share)
                for row in rows
                for device, share in row.mutants_killed.items()
            }
        ),
        reasons=_count_sorted(reasons),
    )


def select_steps(totals: Totals) -> StepTotals:
    """Return what of totals is counted as steps."""
    return StepTotals(
        files=totals.files,
        kernels=sum(totals.by_layer.values()),
        units=totals.units,
        ported=totals.ported,
        compiled=totals.compiled,
        ran=totals.ran,
    )


def _count_sorted(words: Iterable[str]) -> dict[str, int]:
    counts = Counter(words)
    return dict(sorted(counts.items()))


def _count_units(
    rows: Sequence[KernelRow], read: Callable[[KernelRow], dict[str, str]]
) -> dict[str, dict[str, int]]:
    """Count distinct units by place and by what `read` says of them there."""
    verdicts: set[tuple[str, str, str]] = set()
    for row in rows:
        for place, status in read(row).items():
            verdicts.add((row.digest, place, status))

    return _count_statuses(verdicts)


def _count_instantiations(rows: Sequence[KernelRow]) -> dict[str, dict[str, int]]:
    """Count distinct instantiations of units by device and status."""
    verdicts: set[tuple[str, str, str, str]] = set()
    for row in rows:
        for device, statuses in row.instantiation_exe.items():
            for label, status in statuses.items():
                verdicts.add((row.digest, label, device, status))

    return _count_statuses(verdicts)


def _count_statuses(
    verdicts: Iterable[tuple[str, ...]],
) -> dict[str, dict[str, int]]:
    """Count distinct (…, place, status) by place, then by status."""
    numbers = Counter((place, status) for *_, place, status in verdicts)
    statuses: dict[str, dict[str, int]] = {}

    for (place, status), number in sorted(numbers.items()):
        numbers_of_place = statuses.setdefault(place, {})
        numbers_of_place[status] = number

    return statuses


def digest_values(values: Iterable[object]) -> str:
    """Return sha256 over values as JSON."""
    digest = hashlib.sha256()
    for value in values:
        digest.update(encode(value))
    return digest.hexdigest()
