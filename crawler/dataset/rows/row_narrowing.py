"""Narrow a row to one of its instantiations: what was run of others says nothing of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from crawler.dataset.rows.row import Row
from crawler.dataset.rows.run_row import RunRow
from crawler.dataset.texts.depth import TEST_PARTS
from crawler.model import Status, select_run_per_device


def narrow_verdicts(row: Row, label: str) -> Row:
    """Return the row with the runs, cases and tests of the instantiation called `label` alone;
    on devices where only others were run, its status is `not-run`.

    A run that does not say which instantiation it was of is one of a plain kernel.
    """
    own_runs = tuple(run for run in row.runs if run.instantiation == label)
    if own_runs == row.runs:
        return row

    own_suites = {run.suite for run in own_runs}
    suites = tuple(suite for suite in row.suites if suite.digest in own_suites)
    run_per_device = select_run_per_device(own_runs)
    # where others of its kernel were run, it has a verdict, too: that nobody ran it
    pass_exe = dict.fromkeys(row.pass_exe, Status.NOT_RUN.value)
    pass_exe |= {run.device: run.status for run in run_per_device}
    lost_reasons = _list_foreign_reasons(row, own_runs)
    tests, absent = row.tests, row.absent
    if tests and not any(run.suite and not run.is_further for run in own_runs):
        tests = ()
        absent = (*absent, *TEST_PARTS)

    return replace(
        row,
        runs=own_runs,
        suites=suites,
        pass_exe=pass_exe,
        extents={run.device: run.extents for run in run_per_device if run.extents},
        strength={
            run.device: run.strength.strength_class.value for run in run_per_device
        },
        pass_perf={
            run.device: run.perf.status.value for run in run_per_device if run.perf
        },
        reasons=tuple(code for code in row.reasons if code not in lost_reasons),
        tests=tests,
        absent=absent,
    )


def _list_foreign_reasons(row: Row, own_runs: Iterable[RunRow]) -> set[str]:
    """Return the codes that only the runs of other instantiations gave."""
    foreign_codes = {run.code for run in row.runs}
    foreign_codes -= {run.code for run in own_runs}
    foreign_codes -= {build.code for build in row.builds}

    return foreign_codes
