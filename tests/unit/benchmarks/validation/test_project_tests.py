"""Figures of projects' own tests."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.validation.project_tests import format_report, summarise
from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.programs.runs.launch_faults import LaunchFault
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_report import SuiteReport

FLOAT = InstanceTests(
    place=KernelPlace(path="k.cu", line=3),
    arguments="[T = float]",
    launches=4,
    passing=2,
    checking_test="test_k.py::test_it",
)
DOUBLE = replace(
    FLOAT,
    arguments="[T = double]",
    checking_test="",
    fault=LaunchFault(code="race", message="race in launch 1"),
)
REPORT = SuiteReport(
    kernels=(FLOAT, DOUBLE),
    outcomes={"passed": 5, "skipped": 1},
    launching=4,
    modules=("ops._C",),
    broken={"ops._D": "csrc/d.cu: no such header"},
)


def test_a_kernel_is_checked_where_one_of_its_instantiations_is() -> None:
    outcome = summarise("ops", REPORT, 12.34)

    assert (outcome.kernels, outcome.checked_kernels) == (1, 1)
    assert (outcome.instantiations, outcome.checked) == (2, 1)
    assert (outcome.modules, outcome.broken, outcome.seconds) == (1, 1, 12.3)


def test_a_row_has_the_tests_and_a_line_each_fault() -> None:
    lines = list(format_report([summarise("ops", REPORT, 12.34)], "2.13.0+cpu"))

    assert "| ops | 1 of 2 | 5 passed, 1 skipped | 4 | 1, 1 | 2, 1 | 12 |" in lines
    assert lines[-1] == "- ops: k.cu:3 [T = double]: race in launch 1"
