"""Published form of an instantiation, with the verdicts of its own runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crawler.dataset.rows.object_symbols import ObjectSymbols
from crawler.model import (
    Instantiation,
    KernelRecord,
    Run,
    Status,
    select_run_per_instantiation,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstantiationRow:
    """One set of template arguments, and what is known of a kernel that was run with them."""

    arguments: tuple[str, ...]
    """As they are spelled in a unit: `float`, `c10::Half`, `256`."""
    label: str
    """Short, safe for file names, unique within the kernel; empty for a plain kernel."""
    symbol: str
    """Mangled name in the unit's object; empty where it is not known."""
    origin: str
    """Why it is among them: `launch`, `explicit`, `dispatch` or `default`."""
    pass_exe: dict[str, str]
    """Device to status; `not-run` where others of its kernel were run and this one was not."""
    extents: dict[str, str]
    """Device to where the sizes of its run's memory come from: `launcher`, `inferred` or
    `unproven`.
    """
    strength: dict[str, str]
    """Device to how much the cases of its own run can tell: `strong`, `weak` or `unmeasured`;
    without a device where it was not run.
    """
    pass_perf: dict[str, str]
    """Device to status; empty where this instantiation was not timed."""


def list_instantiation_rows(record: KernelRecord) -> tuple[InstantiationRow, ...]:
    """Return the instantiations of a kernel as they are published."""
    symbols = ObjectSymbols(record)
    return tuple(
        to_instantiation_row(instantiation, record.runs, symbols)
        for instantiation in record.kernel.instantiations
    )


def to_instantiation_row(
    instantiation: Instantiation, runs: Iterable[Run], symbols: ObjectSymbols
) -> InstantiationRow:
    """Return an instantiation as it is published, with those of the kernel's `runs` that are
    its own, and its name among the `symbols` of the kernel's objects.
    """
    label = instantiation.label
    run_per_instantiation = select_run_per_instantiation([label], runs)
    own_runs = {
        device: run_per_label[label]
        for device, run_per_label in run_per_instantiation.items()
    }
    made_runs = [run for run in own_runs.values() if run is not None]
    return InstantiationRow(
        arguments=instantiation.arguments,
        label=instantiation.label,
        symbol=symbols.find_in_unit(label, instantiation.symbol),
        origin=instantiation.origin.value,
        pass_exe={
            device: run.pass_exe.status.value if run else Status.NOT_RUN.value
            for device, run in own_runs.items()
        },
        extents=list_extents(made_runs),
        strength=list_strength_classes(made_runs),
        pass_perf=list_performance_statuses(made_runs),
    )


def list_execution_statuses(runs: Iterable[Run]) -> dict[str, str]:
    """Return the status of each run by its device."""
    return {run.device: run.pass_exe.status.value for run in runs}


def list_performance_statuses(runs: Iterable[Run]) -> dict[str, str]:
    """Return the status by device of those runs that were timed."""
    return {run.device: run.pass_perf.status.value for run in runs if run.pass_perf}


def list_extents(runs: Iterable[Run]) -> dict[str, str]:
    """Return by device where the sizes of memory came from, where a launch ran cleanly."""
    return {run.device: run.extents.value for run in runs if run.extents}


def list_strength_classes(runs: Iterable[Run]) -> dict[str, str]:
    """Return by device how much the cases of each run can tell."""
    return {run.device: run.strength.strength_class.value for run in runs}
