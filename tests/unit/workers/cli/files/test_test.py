"""What `kernelset test` prints of a report."""

from __future__ import annotations

import json

from crawler.validate.programs.host_build.host_source import KernelPlace
from crawler.validate.recordings.recorded_launch import (
    RecordedBuffer,
    RecordedLaunch,
    pack_content,
)
from crawler.validate.suites.instance_tests import InstanceTests
from crawler.validate.suites.suite_report import SuiteReport
from workers.cli.files.test import _summarise


def test_json_counts_recorded_launches_and_holds_no_memory() -> None:
    launch = RecordedLaunch(
        kernel=0,
        arguments="",
        number=1,
        test=1,
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared_bytes=0,
        seconds=0.0,
        parameters=(),
        pointers=(),
        links=(),
        buffers=(RecordedBuffer(size=4, before=pack_content(b"1234")),),
    )
    tested = InstanceTests(
        place=KernelPlace(path="k.cu", line=3),
        arguments="",
        launches=5,
        passing=1,
        recordings=(launch, launch),
    )
    report = SuiteReport(kernels=(tested,), outcomes={"passed": 1}, broken={})

    printed = json.loads(json.dumps(_summarise(report)))

    (kernel,) = printed["kernels"]
    assert kernel["recordings"] == 2
    assert kernel["place"] == {"path": "k.cu", "line": 3}
    assert printed["outcomes"] == {"passed": 1}
