"""What a stranger's code can see and do inside the real sandbox."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import psutil
import pytest

from crawler import sandbox
from crawler.process import Finished, Limits
from crawler.sandbox import Mount

pytestmark = pytest.mark.apt("bwrap")


def sh(script: str, *mounts: Mount, seconds: float = 20, memory: int = 0, **env: str) -> Finished:
    limits = Limits(seconds=seconds, memory_bytes=memory)
    return sandbox.run(["/bin/sh", "-c", script], mounts=mounts, limits=limits, env=env)


def test_the_self_test_passes_here() -> None:
    assert sandbox.self_test() == sandbox.SelfTest(works=True)


def test_no_credential_of_ours_is_readable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2-secret")
    seen = sh("env; cat /proc/*/environ | tr '\\0' '\\n'").text
    assert "PATH=/usr/bin:/bin" in seen
    assert "hunter2" not in seen


def test_only_given_environment_is_there() -> None:
    assert "COLOUR=green" in sh("env", COLOUR="green").text


def test_the_host_is_not_in_view(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    assert sh(f"test -e {tmp_path}/secret || test -e /etc/passwd || test -e /root || test -e /home").exit_code == 1


def test_there_is_no_network() -> None:
    code = "import socket; s = socket.socket(); s.settimeout(3); s.connect(('127.0.0.1', 22))"
    ended = sh(f'python3 -c "{code}"; ls /sys/class/net 2>&1; sed 1,2d /proc/net/dev')
    assert "Error" in ended.text
    assert "eth" not in ended.text


def test_mounts_are_read_only_unless_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    shown, given = tmp_path / "shown", tmp_path / "given"
    shown.mkdir()
    given.mkdir()
    mounts = (Mount(source=shown, target="/shown"), Mount(source=given, target="/given", writable=True))
    ended = sh("echo a > /given/new && ! echo b > /shown/new 2>/dev/null && ! touch /usr/new 2>/dev/null", *mounts)
    assert ended.exit_code == 0, ended.text
    assert (given / "new").read_text() == "a\n"
    assert not (shown / "new").exists()


def test_an_endless_loop_and_its_daemon_end_with_the_time(tmp_path: Path) -> None:
    mark = f"9{os.getpid()}"
    began = time.monotonic()
    ended = sh(f"(setsid sleep {mark} &) ; while :; do :; done", seconds=1)
    assert ended.timed_out
    assert time.monotonic() - began < 10
    time.sleep(0.2)
    assert not [child for child in psutil.process_iter(["cmdline"]) if mark in (child.info["cmdline"] or [])]


def test_memory_is_bounded() -> None:
    ended = sh("python3 -c 'x = bytearray(2 << 30)'", memory=1 << 30)
    assert ended.exit_code != 0
    assert "MemoryError" in ended.text


def test_our_python_runs_inside() -> None:
    argv = [sys.executable, "-c", "import crawler.model, msgspec; print('here')"]
    assert sandbox.run(argv, mounts=sandbox.python_mounts()).output == b"here\n"


def test_it_starts_in_a_blink() -> None:
    sh("true")
    began = time.monotonic()
    for _ in range(5):
        sh("true")
    assert (time.monotonic() - began) / 5 < 0.5
