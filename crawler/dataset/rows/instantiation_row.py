"""Published form of an instantiation, with the verdicts of its own runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crawler.model import Instantiation, Run, select_run_per_device


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
    """Device to status; empty where this instantiation was not run, whatever others did."""
    pass_perf: dict[str, str]
    """Device to status; empty where this instantiation was not timed."""


def to_instantiation_row(
    instantiation: Instantiation, runs: Iterable[Run]
) -> InstantiationRow:
    """Return an instantiation as it is published, with those of the kernel's `runs` that are
    its own.
    """
    own_runs = [run for run in runs if run.instantiation == instantiation.label]
    run_per_device = select_run_per_device(own_runs)
    return InstantiationRow(
        arguments=instantiation.arguments,
        label=instantiation.label,
        symbol=instantiation.symbol,
        origin=instantiation.origin.value,
        pass_exe=list_execution_statuses(run_per_device),
        pass_perf=list_performance_statuses(run_per_device),
    )


def list_execution_statuses(runs: Iterable[Run]) -> dict[str, str]:
    """Return the status of each run by its device."""
    return {run.device: run.pass_exe.status.value for run in runs}


def list_performance_statuses(runs: Iterable[Run]) -> dict[str, str]:
    """Return the status by device of those runs that were timed."""
    return {run.device: run.pass_perf.status.value for run in runs if run.pass_perf}
