"""Runs of a suite whose processes end within a test, in the sandbox."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from crawler.sandbox import Mount
from crawler.validate.suites.suite_runs import (
    CHECKOUT_MOUNT,
    SuitePlan,
    SuiteProject,
    run_suite,
)

pytestmark = pytest.mark.apt
SCRIPT = """
grep -q '"first":0' $KERNELSET_PLAN || exit 0
echo '{"number": 1, "test": "a", "outcome": "collected"}' > $KERNELSET_RECORDS
echo '{"number": 1, "test": "a", "outcome": "begun"}' >> $KERNELSET_RECORDS
kill -SIGNAL $$
"""


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (signal.SIGALRM, "too slow"),
        (signal.SIGPROF, "too slow"),
        (signal.SIGSEGV, "crashed"),
    ],
)
def test_a_test_whose_time_is_up_is_no_crash(
    tmp_path: Path, ending: signal.Signals, outcome: str
) -> None:
    script = SCRIPT.replace("SIGNAL", str(int(ending)))
    project = SuiteProject(
        folder=tmp_path,
        command=("sh", "-c", script),
        mounts=(Mount(source=tmp_path, target=CHECKOUT_MOUNT),),
        variables={},
    )

    run = run_suite(project, SuitePlan(test_seconds=7))

    assert [record.outcome for record in run.records] == [outcome]
    assert ("7 s" in run.records[0].message) == (outcome == "too slow")
