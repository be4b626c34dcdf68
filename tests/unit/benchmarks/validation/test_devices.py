"""The report of packages on a GPU counts those that pass on the CPU, and names each that does
not there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.validation.devices import format_report
from crawler.validate.devices.gpu_detection import Gpu

H200 = Gpu(
    runtime="cuda",
    index=0,
    name="NVIDIA H200",
    arch="sm_90",
    driver="12080",
    library=Path("/lib/none.so"),
)


def make_line(
    kernel: str, cpu: str, status: str, code: str = "", message: str = ""
) -> dict[str, Any]:
    fields = {
        "package": "mmcv",
        "unit": kernel,
        "kernel": kernel,
        "cpu": cpu,
        "status": status,
        "code": code,
    }
    return {
        **fields,
        "message": message,
        "seconds": 2.0,
        "pass_perf": "no-baseline",
        "sanitized": ("memcheck",),
    }


def test_what_passes_on_the_cpu_is_what_counts() -> None:
    lines = [
        make_line("one", "consistent", "pass"),
        make_line("two", "pass", "pass"),
        make_line("three", "consistent", "fail", "wrong-value", "out[3] is 1 | 2"),
        {
            "package": "mmcv",
            "unit": "four",
            "kernel": "four",
            "cpu": "unsupported",
            "code": "extent",
        },
    ]
    text = "\n".join(format_report(lines, H200))
    assert (
        "2 of 3 units that pass on the CPU pass there (67 %; 95 % are wanted), of 4 that were tried"
        in text
    )
    assert "by compute-sanitizer: 3" in text
    assert "Those that do not pass, by code: wrong-value 1." in text
    assert (
        "| mmcv | three | consistent | fail | wrong-value | out[3] is 1 / 2 |" in text
    )
    assert "four" not in text
    assert "0 of 0" in "\n".join(format_report([], H200))
