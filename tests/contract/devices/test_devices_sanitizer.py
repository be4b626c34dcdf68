"""What NVIDIA's sanitizer says of a kernel that passes, where one is installed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.validate.devices.compute_sanitizer import run_sanitizer
from crawler.validate.devices.unit_runs import RunOptions
from tests.stand_ins import kernels
from tests.stand_ins.bench import Bench
from tests.stand_ins.kernels import Does

pytestmark = pytest.mark.apt


SANITIZER = """#!/bin/sh
# stands for NVIDIA's: it runs what it is given, and says what its folder has for the tool
while :; do
  case $1 in
    --tool) tool=$2 ;;
    --log-file) log=$(echo "$2" | sed "s/%p/$$/") ;;
    --*) ;;
    *) break ;;
  esac
  shift 2
done
"$@" || exit 1
[ ! -f /results/unit/report ] || cat "$(dirname "$0")/$tool.log" > "$log"
"""
CLEAN = """========= COMPUTE-SANITIZER
========= {} SUMMARY: 0 hazards displayed (0 errors, 0 warnings)
"""
INVALID = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at k(float *, int)+0x70
=========     by thread (3,0,0) in block (0,0,0)
=========     Address 0x7f1d5ba00190 is out of bounds
=========
========= ERROR SUMMARY: 1 error
"""
HAZARD = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at k(float *, int)+0x30
=========     and Read access at k(float *, int)+0x90 [124 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""


@pytest.mark.parametrize(
    ("logs", "completed_count", "code", "message"),
    [
        (
            {"memcheck": CLEAN.format("ERROR"), "racecheck": CLEAN.format("RACECHECK")},
            2,
            "",
            "",
        ),
        (
            {"memcheck": INVALID},
            1,
            "sanitizer-memcheck",
            "Invalid __global__ write of size 4 bytes: at k(float *, int)",
        ),
        (
            {"memcheck": CLEAN.format("ERROR"), "racecheck": HAZARD},
            2,
            "sanitizer-racecheck",
            "Race reported between",
        ),
        # One that cannot work here, as under a driver that it does not know, has looked at
        # nothing
        (
            {"memcheck": "========= Error: unable to launch the target application\n"},
            0,
            "",
            "",
        ),
    ],
)
def test_what_a_sanitizer_finds_fails_and_what_it_did_not_look_at_is_not_claimed(
    stand_in: Callable[..., Bench],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    logs: dict[str, str],
    completed_count: int,
    code: str,
    message: str,
) -> None:
    bench = stand_in("cuda")
    tmp_path.chmod(0o755)
    for name, text in {
        "compute-sanitizer": SANITIZER,
        **{f"{tool}.log": log for tool, log in logs.items()},
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    suite = kernels.suite(bench.unit, [kernels.case(Does.ITS_WORK, bench.blobs)])
    result = run_sanitizer(
        bench.gpu, bench.bundle(suite), bench.blobs.get, RunOptions(seconds=20.0)
    )
    assert result.completed_tools == ("memcheck", "racecheck")[:completed_count]
    assert (result.verdict.code if result.verdict else "") == code
    assert message in (result.verdict.message if result.verdict else "")
    # There is none for AMD's devices
    assert (
        run_sanitizer(
            replace(bench.gpu, runtime="rocm"),
            bench.bundle(suite),
            bench.blobs.get,
            RunOptions(),
        ).completed_tools
        == ()
    )
