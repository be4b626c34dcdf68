"""Processes are told apart by when they began."""

from __future__ import annotations

import os
import subprocess
import sys

from crawler.sandbox.process_identity import read_pid_namespace, read_start_time


def test_a_process_has_a_start_time_as_long_as_it_runs() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE
    ) as child:
        running = read_start_time(str(child.pid))
        assert int(running) >= int(read_start_time(str(os.getpid())))
        child.kill()
    assert read_start_time(str(child.pid)) == ""


def test_this_process_is_in_a_namespace() -> None:
    assert int(read_pid_namespace()) > 0
