"""Limits that a contained process has before its program begins, without a fork of ours."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from crawler import process
from crawler.errors import MissingTool
from crawler.process_launcher import build_launch_command, find_launcher
from crawler.process_limits import Limits

SHOW = """
import ctypes, os, resource
for name in ("AS", "FSIZE", "NOFILE", "CPU", "NPROC", "CORE"):
    print(name, *resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
signal = ctypes.c_int()
ctypes.CDLL(None).prctl(2, ctypes.byref(signal))
print("DEATH", signal.value, open("/proc/self/oom_score_adj").read().strip())
print("NAMES", *sorted(os.environ))
"""
BOUNDS = Limits(
    memory_bytes=1 << 32,
    file_bytes=4096,
    open_files=64,
    cpu_seconds=9,
    processes=500,
)


def launch(
    code: str, limits: Limits = BOUNDS, entry_files: Sequence[Path] = ()
) -> subprocess.CompletedProcess[str]:
    argv = (sys.executable, "-c", code)
    command = build_launch_command(find_launcher(), argv, limits, entry_files)
    return subprocess.run(command, env={}, capture_output=True, text=True, check=False)


def read_lines(limits: Limits) -> dict[str, list[str]]:
    completed = launch(SHOW, limits)
    assert completed.returncode == 0, completed.stderr
    words = (line.split() for line in completed.stdout.splitlines())
    return {name: values for name, *values in words}


def test_every_bound_is_soft_and_hard_and_it_dies_with_its_parent_and_first() -> None:
    lines = read_lines(BOUNDS)
    names = lines.pop("NAMES")
    assert lines == {
        "AS": [str(1 << 32)] * 2,
        "FSIZE": ["4096"] * 2,
        "NOFILE": ["64"] * 2,
        "CPU": ["9"] * 2,
        "NPROC": ["500"] * 2,
        "CORE": ["0"] * 2,
        "DEATH": ["9", "500"],
    }
    # Python's own, and what a shell says of itself
    assert {*names} <= {"LC_CTYPE", "_", "SHLVL"}


def test_zero_leaves_a_limit_and_one_above_the_hard_limit_is_lowered_to_it() -> None:
    own = resource.getrlimit(resource.RLIMIT_NOFILE)
    plain = read_lines(Limits(file_bytes=0, open_files=0))
    assert plain["NOFILE"] == [str(bound) for bound in own]
    assert plain["AS"] == [
        str(bound) for bound in resource.getrlimit(resource.RLIMIT_AS)
    ]
    highest = read_lines(Limits(open_files=own[1] + 1))
    assert highest["NOFILE"] == [str(own[1])] * 2


def test_it_enters_its_group_before_it_begins(tmp_path: Path) -> None:
    group = tmp_path / "a group's tasks"
    completed = launch(f"print(open({str(group)!r}).read())", entry_files=[group])
    assert completed.stdout.strip() == "0"


def test_what_cannot_be_contained_does_not_begin(tmp_path: Path) -> None:
    completed = launch("print('begun')", entry_files=[tmp_path / "gone" / "tasks"])
    assert (completed.returncode, completed.stdout) == (127, "")


def test_what_has_lost_its_parent_does_not_begin() -> None:
    command = build_launch_command(find_launcher(), ["echo", "begun"], Limits(), ())
    script = command[command.index("-c") + 1]
    elsewhere = script.replace(str(os.getpid()), str(os.getppid()), 1)
    orphan = [elsewhere if word == script else word for word in command]
    completed = subprocess.run(orphan, capture_output=True, text=True, check=False)
    assert (completed.returncode, completed.stdout) == (127, "")


class Uncontained:
    """A containment that holds nothing."""

    poll_interval = 0.0
    is_closed = False

    def list_entry_files(self) -> Sequence[Path]:
        return ()

    def attach(self, pid: int) -> None:
        pass

    def find_exceeded_limit(self) -> str:
        return ""

    def close(self) -> None:
        self.is_closed = True


def test_a_program_that_is_not_there_is_named_and_its_containment_closed() -> None:
    containment = Uncontained()
    with pytest.raises(MissingTool, match="no-such-program"):
        process.run(["/usr/bin/no-such-program"], containment=containment)
    assert containment.is_closed


def test_it_costs_no_copy_of_a_large_process() -> None:
    ballast = bytearray(b"1") * (400 << 20)

    def measure(containment: Uncontained | None) -> float:
        start = time.process_time()
        for _ in range(5):
            process.run(["/bin/true"], containment=containment)
        return time.process_time() - start

    plain, launched = measure(None), measure(Uncontained())
    assert launched < plain, len(ballast)
