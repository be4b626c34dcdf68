"""A worker is measured, and ended, with all that came of it."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psutil

from workers.execution.process_tree import resident_bytes

HOLD = "held = bytearray(64 << 20); print('ready', flush=True); import time; time.sleep(60)"
END_WITH_A_CHILD = """
import subprocess, sys
from workers.execution.process_tree import kill_process_tree
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print(child.pid, flush=True)
try:
    kill_process_tree(75)
finally:
    print("too late", flush=True)
"""


def test_memory_of_a_child_counts() -> None:
    before = resident_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdout=subprocess.PIPE
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == b"ready\n"
        assert resident_bytes() - before > 48 << 20
        child.kill()


def test_a_child_in_a_session_of_its_own_ends_with_its_parent() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", END_WITH_A_CHILD],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert ended.returncode == 75, ended.stderr
    child_id, *more_output = ended.stdout.split()
    assert not more_output

    deadline = time.monotonic() + 10
    while is_running(int(child_id)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_running(int(child_id))


def is_running(process_id: int) -> bool:
    try:
        return psutil.Process(process_id).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
