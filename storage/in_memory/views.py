"""Query rows and totals made from whole records in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from crawler.model import KernelRecord, KernelUnit, select_run_per_device
from storage.index.derived_values import (
    instantiation_labels,
    is_template,
    port_blocker_codes,
    port_wave,
    repo_label,
)
from storage.interfaces import KernelRow, Totals


def make_row(record: KernelRecord, superseded: bool) -> KernelRow:
    """Return a record as a query shows it."""
    kernel = record.kernel
    repo = record.provenance.repo
    runs = select_run_per_device(record.runs)
    waves = [port_wave(port) for port in record.ports]

    return KernelRow(
        digest=kernel.unit.digest if kernel.unit else "",
        name=kernel.name,
        qualified_name=kernel.qualified_name,
        repo=repo_label(repo),
        url=repo.url,
        commit=repo.commit,
        path=kernel.span.path,
        line=kernel.span.line,
        end_line=kernel.span.end_line,
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
        tags=tuple(sorted(set(kernel.tags))),
        ports=tuple(port.digest for port in record.ports),
        waves=tuple(wave for wave in waves if wave),
        pass_call={
            build.target: build.pass_call.status.value for build in record.builds
        },
        pass_exe={run.device: run.pass_exe.status.value for run in runs},
        pass_perf={
            run.device: run.pass_perf.status.value for run in runs if run.pass_perf
        },
        reasons=record.reasons,
    )


def count_rows(
    rows: Sequence[KernelRow], ports_by_unit: Iterable[Sequence[KernelUnit]]
) -> Totals:
    """Count query rows; `ports_by_unit` has the ports of each of their distinct units."""
    compiled = set()
    ran = set()

    for row in rows:
        compiled |= {
            (row.digest, target, status) for target, status in row.pass_call.items()
        }
        ran |= {(row.digest, device, status) for device, status in row.pass_exe.items()}

    ported = [ports for ports in ports_by_unit if ports]
    classified = [ports for ports in ported if any(map(port_blocker_codes, ports))]

    return Totals(
        files=len({(row.repo, row.commit, row.path) for row in rows}),
        by_layer=_count_sorted(row.found_by for row in rows),
        units=len({row.digest for row in rows if row.digest}),
        ported=len(ported),
        classified=len(classified),
        compiled=_count_statuses(compiled),
        ran=_count_statuses(ran),
        reasons=_count_sorted(code for row in rows for code in row.reasons),
    )


def _count_sorted(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items()))


def _count_statuses(
    verdicts: Iterable[tuple[str, str, str]],
) -> dict[str, dict[str, int]]:
    """Count distinct (unit, place, status) by place, then by status."""
    numbers = Counter((place, status) for _, place, status in verdicts)
    statuses: dict[str, dict[str, int]] = {}
    for (place, status), number in sorted(numbers.items()):
        statuses.setdefault(place, {})[status] = number
    return statuses
