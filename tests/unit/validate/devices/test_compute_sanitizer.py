"""Logs of NVIDIA's compute-sanitizer, and the folder that its program needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.validate.devices.compute_sanitizer import _parse_log, _program_mounts

CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
INVALID = """========= Invalid __global__ read of size 4 bytes
=========     at k(float *)+0x70
=========     by thread (3,0,0) in block (0,0,0)
========= ERROR SUMMARY: 2 errors
"""


@pytest.mark.parametrize(
    ("log", "has_completed", "finding"),
    [
        ("", False, ""),
        ("========= Error: unable to launch the target application\n", False, ""),
        (CLEAN, True, ""),
        (INVALID, True, "Invalid __global__ read of size 4 bytes: at k(float *)+0x70"),
        # Several processes, of which one found something.
        (CLEAN + INVALID, True, "Invalid __global__ read of size 4 bytes: at k"),
        ("========= ERROR SUMMARY: 1 error\n", True, "it does not say what"),
    ],
)
def test_a_log_says_whether_it_is_complete_and_what_was_found(
    log: str, has_completed: bool, finding: str
) -> None:
    completed, message = _parse_log(log)
    assert completed is has_completed
    assert message.startswith(finding)
    assert bool(message) == bool(finding)


def test_a_program_outside_the_system_brings_its_folder() -> None:
    assert _program_mounts(Path("/usr/bin/compute-sanitizer")) == ()
    (mount,) = _program_mounts(Path("/opt/cuda/bin/compute-sanitizer"))
    assert (str(mount.source), mount.target) == ("/opt/cuda/bin", "/opt/cuda/bin")
    assert not mount.writable
