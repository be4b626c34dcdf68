"""Programs are run to their end, or to their limits, and nothing of them stays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crawler import process
from crawler.errors import MissingTool
from crawler.process_limits import Limits


def shell(
    script: str, limits: Limits | None = None, stdin: bytes = b"", keep: int = 1 << 16
) -> process.CompletedProcess:
    return process.run(["sh", "-c", script], limits=limits, stdin=stdin, keep=keep)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_what_it_said_and_how_it_went() -> None:
    ended = shell("cat; echo wrong >&2; exit 3", stdin=b"given")
    assert (ended.exit_code, ended.output, ended.errors, ended.timed_out) == (
        3,
        b"given",
        b"wrong\n",
        False,
    )


def test_only_the_end_of_a_long_answer_is_kept() -> None:
    assert shell("yes | head -c 1000000; printf end", keep=5).output == b"y\nend"


@pytest.mark.parametrize("pidfd", [True, False])
def test_a_limit_of_time_ends_the_whole_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pidfd: bool
) -> None:
    if not pidfd:

        def forbidden(_pid: int, _flags: int = 0) -> int:
            raise PermissionError

        monkeypatch.setattr(os, "pidfd_open", forbidden)
    pid_file = tmp_path / "pid"
    ended = shell(f"sleep 60 & echo $! > {pid_file}; wait", Limits(seconds=0.5))
    assert ended.timed_out
    assert ended.exit_code < 0
    assert not alive(int(pid_file.read_text()))


def test_what_a_program_leaves_behind_ends_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    ended = shell(f"sleep 60 & echo $! > {pid_file}")
    assert ended.exit_code == 0
    assert not ended.timed_out
    assert not alive(int(pid_file.read_text()))


def test_limits_of_memory_and_files_hold() -> None:
    hungry = [sys.executable, "-c", "bytearray(1 << 30)"]
    assert process.run(hungry, limits=Limits(memory_bytes=256 << 20)).exit_code != 0
    assert (
        shell("head -c 4096 /dev/zero > /dev/stdout", Limits(file_bytes=1024)).exit_code
        != 0
    )


def test_a_child_dies_with_its_parent(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = f"from crawler import process; process.run(['sh', '-c', 'echo $$ > {pid_file}; exec sleep 60'])"
    parent = subprocess.Popen([sys.executable, "-c", script])
    while not pid_file.is_file() or not pid_file.read_text().strip():
        time.sleep(0.01)
    child = int(pid_file.read_text())
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not alive(child)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(MissingTool, match="no-such-program"):
        process.run(["no-such-program"])
