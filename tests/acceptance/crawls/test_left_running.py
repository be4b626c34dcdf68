"""A verb that outlasts a test's patience leaves nothing running."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

PATIENCE_SECONDS = 5.0
"""Less than the rest of the crawl takes, and far more than to die."""


def processes_of(home: Path) -> list[int]:
    processes: list[int] = []
    for process in psutil.process_iter():
        try:
            environment = process.environ()
        except psutil.Error:
            continue
        if environment.get("KERNELSET_HOME") == str(home):
            processes.append(process.pid)
    return processes


def test_a_verb_that_is_given_up_is_ended_with_its_processes(
    kernelset: Kernelset, project: Path
) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        kernelset.run("crawl", project, seconds=1.0)
    ends_at = time.monotonic() + PATIENCE_SECONDS
    while processes_of(kernelset.home):
        assert time.monotonic() < ends_at, "something of it runs on"
        time.sleep(0.05)
