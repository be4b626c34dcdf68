"""Limits that a process gets before its program begins."""

from __future__ import annotations

import resource
import sys

import pytest

from crawler import process
from crawler.process_limits import Limits

SHOW_LIMITS = """
import resource
for name in ("AS", "FSIZE", "NOFILE", "CPU", "CORE"):
    print(name, *resource.getrlimit(getattr(resource, f"RLIMIT_{name}")))
"""


def read_limits(limits: Limits) -> dict[str, tuple[int, int]]:
    completed = process.run([sys.executable, "-c", SHOW_LIMITS], limits=limits)
    assert completed.exit_code == 0, completed.text
    rlimits: dict[str, tuple[int, int]] = {}
    for line in completed.text.splitlines():
        name, soft, hard = line.split()
        rlimits[name] = (int(soft), int(hard))
    return rlimits


def test_every_bound_is_soft_and_hard() -> None:
    bounds = Limits(memory_bytes=1 << 32, file_bytes=4096, open_files=64, cpu_seconds=9)
    assert read_limits(bounds) == {
        "AS": (1 << 32, 1 << 32),
        "FSIZE": (4096, 4096),
        "NOFILE": (64, 64),
        "CPU": (9, 9),
        "CORE": (0, 0),
    }


def test_zero_leaves_a_limit_as_it_is() -> None:
    rlimits = read_limits(Limits(file_bytes=0, open_files=0))
    assert rlimits["AS"] == resource.getrlimit(resource.RLIMIT_AS)
    assert rlimits["NOFILE"] == resource.getrlimit(resource.RLIMIT_NOFILE)


def test_a_bound_above_the_hard_limit_is_lowered_to_it() -> None:
    nested = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
from crawler import process
from crawler.process import Limits
show = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
print(process.run([{sys.executable!r}, "-c", show], limits=Limits(open_files=4096)).text)
"""
    completed = process.run([sys.executable, "-c", nested])
    assert completed.text.strip() == "(100, 100)", completed.text


@pytest.mark.parametrize("name", ["stdin", "stdout"])
def test_terminate_closes_our_ends(name: str) -> None:
    child = process.start(["cat"], stdin=-1)
    process.terminate(child)
    assert child.returncode is not None
    assert getattr(child, name).closed
