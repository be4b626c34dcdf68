"""Projects that build themselves, and their tests, with their kernels on the CPU model."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.model import CaseOrigin
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.own_builds.own_build import build_project
from crawler.validate.suites.suite_report import SuiteReport, observe_suite
from tests.own_build_project import (
    write_clang_project,
    write_cmake_project,
    write_hip_project,
    write_make_project,
    write_meson_project,
    write_unchecked_project,
)

pytestmark = [pytest.mark.apt, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> SuiteReport:
    folder = tmp_path_factory.mktemp("scaling")
    write_cmake_project(folder)
    return observe_suite(open_tree(folder), None)


def find_kernel(report: SuiteReport, path: str, arguments: str) -> InstanceTests:
    """Return what the tests showed of the instantiation with these arguments."""
    (kernel,) = (
        kernel
        for kernel in report.kernels
        if (kernel.place.path, kernel.arguments) == (path, arguments)
    )
    return kernel


def test_tests_of_ctest_and_googletest_are_counted(report: SuiteReport) -> None:
    assert (report.code, report.broken) == ("", {})
    # those of the program that CTest has as one count by themselves
    assert report.outcomes == {"passed": 7, "skipped": 1, "failed": 1, "crashed": 1}
    assert report.launching == 5
    assert {failure.name for failure in report.failures} == {
        "scaling_tests::Host.Fails",
        "scaling_tests::Host.Ends",
    }


def test_each_instantiation_has_its_own_tests(report: SuiteReport) -> None:
    for name, test in (("float", "Floats"), ("double", "Doubles")):
        kernel = find_kernel(report, "src/scaling.cu", f"[T = {name}]")
        assert (kernel.launches, kernel.passing, kernel.failing) == (1, 1, ())
        assert kernel.checking_test == f"scaling_tests::Scale.{test}"
        assert kernel.fault is None

    assert find_kernel(report, "tests/filled.cu", "").checking_test == "filled"


def test_what_a_test_builds_has_its_kernels_told(report: SuiteReport) -> None:
    kernel = find_kernel(report, "tests/later.cu", "")

    assert (kernel.passing, kernel.checking_test) == (1, "later_test")


def test_a_fault_that_its_test_does_not_see_is_told(report: SuiteReport) -> None:
    kernel = find_kernel(report, "src/scaling.cu", "")

    assert kernel.passing == 1
    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert "of an allocation of 40" in kernel.fault.message


def test_launches_of_passing_tests_are_recorded(report: SuiteReport) -> None:
    kernel = find_kernel(report, "src/scaling.cu", "[T = double]")

    (launch,) = kernel.recordings
    assert launch.origin is CaseOrigin.PROJECT_TEST
    assert launch.source == "scaling_tests::Scale.Doubles"
    assert [len(parameter.content) for parameter in launch.parameters] == [8, 8, 8, 4]


def test_make_builds_and_checks_a_project(tmp_path: Path) -> None:
    write_make_project(tmp_path)
    report = observe_suite(open_tree(tmp_path), None)

    assert (report.code, report.outcomes) == ("", {"passed": 1})
    (kernel,) = report.kernels
    assert kernel.place.path == "filled.cu"
    assert kernel.checking_test == "make check"


@pytest.mark.parametrize(
    ("system", "test"), [("make", "make test"), ("cmake", "filled")]
)
def test_a_project_in_hip_builds_and_tests_itself(
    tmp_path: Path, system: str, test: str
) -> None:
    write_hip_project(tmp_path, system)
    report = observe_suite(open_tree(tmp_path), None)

    assert (report.broken, report.outcomes) == ({}, {"passed": 1})
    (kernel,) = report.kernels
    assert (kernel.place.path, kernel.checking_test) == ("filled.hip", test)


def test_clang_compiles_kernels_where_it_is_told_to(tmp_path: Path) -> None:
    write_clang_project(tmp_path)
    report = observe_suite(open_tree(tmp_path), None)

    assert (report.broken, report.outcomes) == ({}, {"passed": 1})
    (kernel,) = report.kernels
    assert (kernel.place.path, kernel.checking_test) == ("filled.cc", "make check")


def test_meson_builds_and_tests_a_project(tmp_path: Path) -> None:
    write_meson_project(tmp_path)
    report = observe_suite(open_tree(tmp_path), None)

    assert (report.broken, report.outcomes) == ({}, {"passed": 1})
    (kernel,) = report.kernels
    assert (kernel.place.path, kernel.checking_test) == ("filled.cu", "filled")


def test_programs_are_run_where_there_are_no_tests(tmp_path: Path) -> None:
    write_unchecked_project(tmp_path)
    report = observe_suite(open_tree(tmp_path), None)

    assert (report.broken, report.outcomes) == ({}, {"passed": 1})
    (kernel,) = report.kernels
    assert kernel.checking_test == "filled"


def test_a_project_that_does_not_compile_says_why(tmp_path: Path) -> None:
    write_make_project(tmp_path)
    (tmp_path / "filled.cu").write_text("__global__ void k() { missing(); }\n")
    report = observe_suite(open_tree(tmp_path), None)

    assert report.code == "no-launch"
    assert "filled.o" in report.broken
    assert "missing" in report.broken["filled.o"]


FETCHING = """
cmake_minimum_required(VERSION 3.18)
project(fetching LANGUAGES NONE)
include(FetchContent)
FetchContent_Declare(small_list URL https://example.org/releases/list-1.2.tar.gz)
FetchContent_MakeAvailable(small_list)
include(${small_list_SOURCE_DIR}/list.cmake)
"""


def test_a_project_is_given_what_it_would_fetch(tmp_path: Path) -> None:
    project, library, scratch = (tmp_path / name for name in ("a", "b", "scratch"))
    for folder in (project, library, scratch):
        folder.mkdir()
        folder.chmod(0o755)
    (project / "CMakeLists.txt").write_text(FETCHING)
    (project / "k.cu").write_text("__global__ void k() {}\n")
    (library / "CMakeLists.txt").write_text("project(small_list LANGUAGES NONE)\n")
    (library / "list.cmake").write_text('message(STATUS "it is there")\n')
    build = build_project(
        open_tree(project), scratch, needed=[open_tree(library)], seconds=60
    )

    assert "-- it is there" in build.log

    # without it CMake makes no build, and says why
    report = observe_suite(open_tree(project), None)
    assert report.code == "build-failed"
    assert "list.cmake" in report.broken["configure"]


HOSTILE = """
cmake_minimum_required(VERSION 3.18)
project(hostile LANGUAGES NONE)
execute_process(COMMAND sh -c "cat /etc/shadow > {target}/stolen; touch {target}/written")
file(WRITE /results/tests.json "[[[[")
execute_process(COMMAND sh -c "while :; do sleep 1000 & sleep 0.01; done")
"""


def test_a_build_without_end_is_ended_and_leaves_nothing(tmp_path: Path) -> None:
    project, scratch = tmp_path / "project", tmp_path / "scratch"
    project.mkdir()
    scratch.mkdir()
    scratch.chmod(0o755)
    (project / "CMakeLists.txt").write_text(HOSTILE.format(target=project))
    (project / "k.cu").write_text("__global__ void k() {}\n")
    build = build_project(open_tree(project), scratch, seconds=5)

    assert "error: it took over" in build.log
    assert (build.tests, build.kernels) == ((), ())
    assert sorted(path.name for path in project.iterdir()) == ["CMakeLists.txt", "k.cu"]
