"""Which tests a build has left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from crawler.validate.suites.own_builds.inside import build_project

LISTING = """Running main() from gtest_main.cc
Scale.
  Floats
  DISABLED_Later
Typed/0.  # TypeParam = float
  Sum/1  # GetParam() = 3
DISABLED_All.
  One
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return what stands for a program of GoogleTest."""
    path = tmp_path / "all_tests"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{LISTING}END\n")
    path.chmod(0o755)
    monkeypatch.setattr(build_project, "_is_googletest", lambda each: each == path)
    return path


def make_plan(**changes: Any) -> dict[str, Any]:
    """Return a plan of a build without tests."""
    return {
        **{"ctest_folder": "", "meson_command": [], "check_command": []},
        **changes,
    }


def expand(program: Path, *words: str, **properties: Any) -> list[dict[str, Any]]:
    test = {
        "name": "whole",
        "properties": [
            {"name": name, "value": value} for name, value in properties.items()
        ],
    }
    command = [str(program), *words]
    return build_project._expand_ctest(test, command, 3, str(program.parent))


def test_all_of_a_program_is_each_of_its_tests(program: Path) -> None:
    tests = expand(program, ENVIRONMENT=["A=1=2"], WORKING_DIRECTORY="/tmp")

    assert [test["name"] for test in tests] == [
        "all_tests::Scale.Floats",
        "all_tests::Typed/0.Sum/1",
    ]
    assert tests[0]["command"] == [str(program), "--gtest_filter=Scale.Floats"]
    assert (tests[0]["directory"], tests[0]["variables"]) == ("/tmp", {"A": "1=2"})


def test_a_test_of_its_own_stays_one(program: Path) -> None:
    (test,) = expand(
        program, "--gtest_filter=Scale.Floats", SKIP_REGULAR_EXPRESSION=["SKIPPED"]
    )

    assert (test["name"], test["kind"]) == ("whole", "googletest")
    assert test["command"][1:] == ["--gtest_filter=Scale.Floats"]


def test_ctest_runs_what_is_judged_by_more_than_its_exit_code(program: Path) -> None:
    (test,) = expand(program, "3", WILL_FAIL=True)

    assert test["kind"] == "ctest"
    assert test["command"][:3] == ["ctest", "-I", "3,3"]


def test_programs_that_ctest_does_not_have_are_found(program: Path) -> None:
    tests = build_project._list_tests([program.parent], make_plan())

    assert [test["name"] for test in tests] == [
        "all_tests::Scale.Floats",
        "all_tests::Typed/0.Sum/1",
    ]


def test_a_rule_that_checks_is_a_test_where_there_is_no_other(tmp_path: Path) -> None:
    command = ["make", "-C", "/checkout", "check", "NVCC=nvcc"]
    plan = make_plan(check_command=command)
    (test,) = build_project._list_tests([tmp_path], plan)

    assert (test["name"], test["kind"], test["command"]) == (
        "make check",
        "program",
        command,
    )


def test_tests_of_meson_are_told(tmp_path: Path) -> None:
    listing = tmp_path / "introspect"
    listing.write_text(
        "#!/bin/sh\n"
        'echo \'[{"name": "sums", "cmd": ["/bin/true", "-v"], "workdir": null,'
        ' "env": {"COUNT": "3"}}]\'\n'
    )
    listing.chmod(0o755)
    plan = make_plan(meson_command=[str(listing), str(tmp_path)])
    (test,) = build_project._list_tests([], plan)

    assert (test["name"], test["kind"]) == ("sums", "program")
    assert test["command"] == ["/bin/true", "-v"]
    assert (test["directory"], test["variables"]) == (str(tmp_path), {"COUNT": "3"})


def test_programs_with_kernels_are_run_where_nothing_checks(tmp_path: Path) -> None:
    for name, content in {
        "bin/sums": b"\x7fELF libkernelset.so",
        "bin/sums.o": b"\x7fELF libkernelset.so",
        "bin/libsums.so.1": b"\x7fELF libkernelset.so",
        "bin/host": b"\x7fELF",
        "CMakeFiles/try": b"\x7fELF libkernelset.so",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755)
    (test,) = build_project._list_tests([tmp_path], make_plan())

    assert (test["name"], test["kind"]) == ("bin/sums", "program")
    assert test["directory"] == str(tmp_path / "bin")


def test_text_that_names_googletest_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    path.write_text("gtest_list_tests")
    path.chmod(0o755)

    assert not build_project._is_googletest(path)
    assert not build_project._is_googletest(tmp_path / "missing")
