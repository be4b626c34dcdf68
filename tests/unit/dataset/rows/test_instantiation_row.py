"""An instantiation is published with the verdicts of its own runs, and of no other's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from crawler.dataset.rows.instantiation_row import (
    list_extents,
    list_instantiation_rows,
    list_performance_statuses,
    list_strength_classes,
    to_instantiation_row,
)
from crawler.dataset.rows.object_symbols import ObjectSymbols
from crawler.dataset.rows.run_row import to_run_row, to_suite_row
from crawler.dataset.rows.unit_statuses import list_build_statuses, list_executions
from crawler.model import (
    Behaviour,
    Extents,
    Instantiation,
    InstantiationOrigin,
    Kernel,
    KernelRecord,
    Oracle,
    Run,
    Status,
    Toolchain,
    Verdict,
)
from tests.run_records import make_run_records
from tests.unit.storage.samples import make_kernel

UNIT, PORT = "a" * 64, "b" * 64
FLOAT = Instantiation(
    arguments=("float", "256"),
    label="float_256",
    symbol="_Z1kIfE",
    origin=InstantiationOrigin.LAUNCH,
)
HALF = Instantiation(arguments=("c10::Half", "256"), label="half_256")


def make_run(
    label: str,
    status: Status = Status.CONSISTENT,
    *,
    unit: str = UNIT,
    device: str = "cpu",
    timed: Status | None = None,
    extents: Extents | None = None,
) -> Run:
    return Run(
        unit=unit,
        device=device,
        toolchain=Toolchain(compiler="clang 19"),
        pass_exe=Verdict(status=status),
        behaviour=Behaviour.DETERMINISTIC,
        instantiation=label,
        pass_perf=Verdict(status=timed) if timed else None,
        extents=extents,
    )


def make_record(kernel: Kernel, runs: Sequence[Run] = ()) -> KernelRecord:
    record, _ = make_run_records()
    return replace(record, kernel=kernel, ports=(), builds=(), runs=tuple(runs))


def test_a_row_says_what_it_is() -> None:
    symbols = ObjectSymbols(make_record(make_kernel("k")))
    row = to_instantiation_row(FLOAT, [], symbols)
    assert (row.arguments, row.label, row.symbol, row.origin) == (
        ("float", "256"),
        "float_256",
        "_Z1kIfE",
        "launch",
    )
    assert row.pass_exe == row.extents == row.strength == row.pass_perf == {}


@pytest.mark.parametrize(
    ("runs", "floats", "halves"),
    [
        ([], {}, {}),
        ([make_run("float_256")], {"cpu": "consistent"}, {"cpu": "not-run"}),
        (
            [make_run("float_256"), make_run("half_256", Status.FAIL)],
            {"cpu": "consistent"},
            {"cpu": "fail"},
        ),
        # what ran on one device says nothing of another
        (
            [
                make_run("float_256"),
                make_run("half_256", Status.PASS, device="rocm:gfx90a"),
            ],
            {"cpu": "consistent", "rocm:gfx90a": "not-run"},
            {"cpu": "not-run", "rocm:gfx90a": "pass"},
        ),
        # the unit speaks for a device, and its port only where it alone ran
        (
            [make_run("float_256"), make_run("half_256", Status.PASS, unit=PORT)],
            {"cpu": "consistent"},
            {"cpu": "not-run"},
        ),
        # a label that is none of the kernel's is that of an older unit
        ([make_run("double")], {"cpu": "not-run"}, {"cpu": "not-run"}),
    ],
)
def test_each_has_the_status_of_its_own_run(
    runs: list[Run], floats: dict[str, str], halves: dict[str, str]
) -> None:
    kernel = make_kernel("k", instantiations=(FLOAT, HALF))
    rows = list_instantiation_rows(make_record(kernel, runs))
    assert [row.pass_exe for row in rows] == [floats, halves]


def test_a_plain_kernel_has_an_empty_label_and_its_run() -> None:
    record = make_record(make_kernel("k"), [make_run("", Status.PASS)])
    (row,) = list_instantiation_rows(record)
    assert (row.label, row.pass_exe) == ("", {"cpu": "pass"})


def test_what_was_not_measured_has_no_device() -> None:
    runs = [
        make_run("a", timed=Status.PASS, extents=Extents.LAUNCHER),
        make_run("a", device="rocm:gfx90a"),
    ]
    assert list_performance_statuses(runs) == {"cpu": "pass"}
    assert list_extents(runs) == {"cpu": "launcher"}
    assert list_strength_classes(runs) == {
        "cpu": "unmeasured",
        "rocm:gfx90a": "unmeasured",
    }


def test_a_run_is_published_with_its_verdict_in_fields_of_their_own() -> None:
    verdict = Verdict(status=Status.FAIL, code="race", message="two threads")
    run = replace(
        make_run("float_256", extents=Extents.INFERRED),
        pass_exe=verdict,
        oracle=Oracle.PROJECT_CPU,
        is_further=True,
    )
    row = to_run_row(run)
    assert (row.status, row.code, row.message) == ("fail", "race", "two threads")
    assert (row.oracle, row.extents, row.is_further) == (
        "project_cpu",
        "inferred",
        True,
    )
    assert (row.perf, row.performance) == (None, None)
    assert to_run_row(replace(run, extents=None)).extents == ""


def test_the_case_that_is_held_back_is_never_published() -> None:
    record, _ = make_run_records()
    ((digest, suite),) = record.suites
    assert any(case.hidden for case in suite.cases)
    row = to_suite_row(digest, suite)
    assert (row.digest, row.unit, row.seed) == (digest, suite.unit, suite.seed)
    assert [case.name for case in row.cases] == [
        case.name for case in suite.cases if not case.hidden
    ]
    assert row.cases


def test_a_unit_and_its_port_have_each_their_own_statuses() -> None:
    record, failed = make_run_records()
    unit, port = record.kernel.unit, record.ports[0]
    assert unit
    (own,) = list_executions(record, unit.digest)
    assert (own.device, own.status, own.code, own.oracle) == (
        "cpu",
        "pass",
        "",
        "project_cpu",
    )
    assert own.instantiation == unit.instantiations[1].label
    (ported,) = list_executions(record, port.digest)
    assert (ported.status, ported.code) == ("fail", "race")
    assert list_executions(record, "c" * 64) == ()

    targets = {build.target for build in failed.builds if build.unit == unit.digest}
    assert targets
    assert list_build_statuses(failed, unit.digest) == dict.fromkeys(targets, "fail")
    assert list_build_statuses(failed, "c" * 64) == {}
