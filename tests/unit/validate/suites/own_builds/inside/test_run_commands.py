"""Tests that are commands, run one by one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from crawler.validate.suites.own_builds.inside.run_commands import Runner


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("KERNELSET_RECORDS", str(tmp_path / "records"))
    monkeypatch.setenv("KERNELSET_LOG", str(tmp_path / "log"))
    return tmp_path


def run(results: Path, *scripts: str, kind: str = "program", **plan: Any) -> Any:
    """Return the records of tests that are shell scripts."""
    tests = [
        {
            "name": f"test{number}",
            "kind": kind,
            "command": ["sh", "-c", script],
            "directory": str(results),
            "variables": {"OWN": "own"},
        }
        for number, script in enumerate(scripts, start=1)
    ]
    whole_plan = {"tests": None, "first": 0, "changes": {}, "test_seconds": 30, **plan}
    Runner(whole_plan, tests).run()
    lines = (results / "records").read_text().splitlines()
    records = [json.loads(line) for line in lines]
    assert [record["outcome"] for record in records[::2]] == ["begun"] * (
        len(records) // 2
    )
    return records[1::2]


def list_outcomes(records: list[dict[str, Any]]) -> list[str]:
    return [record["outcome"] for record in records]


def test_the_exit_code_says_what_came_of_a_program(results: Path) -> None:
    records = run(results, "true", "echo no; exit 1", "kill -SEGV $$", "exit 134")

    assert list_outcomes(records) == ["passed", "failed", "crashed", "crashed"]
    assert records[1]["message"] == "no\n"
    assert [record["number"] for record in records] == [1, 2, 3, 4]


def test_googletest_and_ctest_say_what_they_skip(results: Path) -> None:
    skipped = "echo '[  SKIPPED ] 1 test.'"
    assert list_outcomes(run(results, skipped, "true", kind="googletest")) == [
        "skipped",
        "passed",
    ]


@pytest.mark.parametrize(
    ("output", "outcome"),
    [
        ("1/1 Test #3: a ....***Skipped 0.0 sec", "skipped"),
        ("1/1 Test #3: a ....***Exception: SegFault 0.1 sec", "crashed"),
        ("1/1 Test #3: a ....***Timeout 10 sec", "crashed"),
        ("1/1 Test #3: a ....***Failed 0.1 sec", "failed"),
    ],
)
def test_ctest_tells_of_its_tests(results: Path, output: str, outcome: str) -> None:
    assert list_outcomes(run(results, f"echo '{output}'; exit 8", kind="ctest")) == [
        outcome
    ]


def test_a_test_without_end_is_ended_with_what_it_started(results: Path) -> None:
    script = "sleep 1000 & echo $! > child; wait"
    records = run(results, script, "true", test_seconds=1)

    assert list_outcomes(records) == ["too slow", "passed"]
    child = Path("/proc", (results / "child").read_text().strip(), "stat")
    # it may still have to be reaped
    assert not child.is_file() or child.read_text().split()[2] == "Z"


def test_a_process_that_ends_within_a_kernel_has_crashed(results: Path) -> None:
    end = "echo 'end 1 {} 500' >> $KERNELSET_LOG; exit 3"
    records = run(results, end.format(0), end.format(1))

    assert list_outcomes(records) == ["crashed", "failed"]
    log = (results / "log").read_text().splitlines()
    assert log == ["test 1", "end 1 0 500", "test 0", "test 2", "end 1 1 500", "test 0"]


def test_a_planned_change_is_made_and_the_test_then_run_plain(results: Path) -> None:
    script = 'test -z "$KERNELSET_SPOIL" || test "$KERNELSET_CHANGED_ARGUMENTS" != "[T = int]"'
    change = ["spoil", 3, "[T = int]"]
    records = run(results, "true", script, tests=[2], changes={"2": [change]})

    assert [
        (record["number"], record["change"], record["outcome"]) for record in records
    ] == [
        (2, change, "failed"),
        (2, None, "passed"),
    ]


def test_a_run_goes_on_behind_a_test(results: Path) -> None:
    records = run(results, "true", "true", "test $OWN$KERNELSET_TEST = own3", first=3)

    assert [(record["number"], record["outcome"]) for record in records] == [
        (3, "passed")
    ]


def test_only_the_standard_library_is_needed() -> None:
    module = sys.modules[Runner.__module__]
    assert module.__file__ is not None
    assert "crawler" not in Path(module.__file__).read_text()
