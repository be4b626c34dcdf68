"""Tests of a project that extends PyTorch, run with its kernels on the CPU model."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.model import CaseOrigin
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_report import SuiteReport, observe_suite
from crawler.validate.suites.torch_environment import open_torch_environment
from tests.extension_project import write_extension_project

pytestmark = pytest.mark.apt
PYTHON = os.environ.get("TESTS_TORCH_PYTHON", "")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> SuiteReport:
    if not Path(PYTHON).is_file():
        pytest.skip("TESTS_TORCH_PYTHON names no Python with PyTorch")

    folder = tmp_path_factory.mktemp("scaling")
    folder.chmod(0o755)
    write_extension_project(folder)
    return observe_suite(open_tree(folder), open_torch_environment(PYTHON))


def find_kernel(report: SuiteReport, arguments: str) -> InstanceTests:
    """Return what the tests showed of the instantiation with these arguments."""
    (kernel,) = (kernel for kernel in report.kernels if kernel.arguments == arguments)
    return kernel


def test_the_extension_is_built_and_its_tests_are_counted(report: SuiteReport) -> None:
    assert report.code == ""
    assert report.modules == ("scaling._C",)
    assert report.outcomes == {"passed": 5, "crashed": 1, "failed": 1, "skipped": 1}
    assert report.launching == 4


def test_a_source_that_does_not_build_is_missed_where_it_is_called(
    report: SuiteReport,
) -> None:
    assert list(report.broken) == ["csrc/tiles.cu"]
    assert "tiles_of_another_library.h" in report.broken["csrc/tiles.cu"]

    (failure,) = (each for each in report.failures if each.name.endswith("test_tile"))
    assert "no source that was built has tile(at::Tensor)" in failure.message


def test_each_instantiation_has_its_own_tests(report: SuiteReport) -> None:
    for name, tests in (("float", 2), ("double", 1)):
        kernel = find_kernel(report, f"[scalar_t = {name}]")
        assert (kernel.launches, kernel.passing, kernel.failing) == (tests, tests, ())
        assert kernel.place.path == "csrc/kernels.cu"


def test_a_test_that_looks_at_results_notices_that_they_change(
    report: SuiteReport,
) -> None:
    kernel = find_kernel(report, "[scalar_t = float]")

    assert kernel.checking_test == "tests/test_scaling.py::test_scale[dtype0]"
    assert kernel.fault is None


def test_a_fault_that_its_test_does_not_see_is_told(report: SuiteReport) -> None:
    kernel = find_kernel(report, "")

    assert kernel.passing == 1
    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert "of an allocation of 40" in kernel.fault.message


def test_launches_of_passing_tests_are_recorded(report: SuiteReport) -> None:
    launches = find_kernel(report, "[scalar_t = float]").recordings

    assert {launch.origin for launch in launches} == {CaseOrigin.PROJECT_TEST}
    assert "tests/test_scaling.py::test_scale[dtype0]" in {
        launch.source for launch in launches
    }
    for launch in launches:
        assert [len(parameter.content) for parameter in launch.parameters] == [
            8,
            8,
            4,
            8,
        ]
        # the second one is what the first is scaled to
        source, target = (launch.buffers[pointer.buffer] for pointer in launch.pointers)
        assert source.read_before() == source.read_after()
        assert target.read_before() != target.read_after()
    # the kernel that fails has none: what it does wrong is no case
    assert find_kernel(report, "").recordings == ()
