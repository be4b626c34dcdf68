"""What a stranger's code can see and do inside the real sandbox."""

from __future__ import annotations

import os
import platform
import sys
import time
from pathlib import Path

import psutil
import pytest

from crawler import sandbox
from crawler.process import Finished, Limits
from crawler.sandbox import Mount, seccomp

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


CALLS = """
import ctypes, errno, os, platform, sys
libc = ctypes.CDLL(None, use_errno=True)
for words in sys.argv[1:]:
    number, *arguments = (int(word, 0) for word in words.split(","))
    done = libc.syscall(number, *arguments)
    print(errno.errorcode[ctypes.get_errno()] if done < 0 else "done")
"""


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("unshare", "0x10000000", "EPERM"),
        ("clone", "0x10000011", "EPERM"),
        ("clone3", "0,0", "ENOSYS"),
        ("setns", "0,0", "EPERM"),
        ("mount", "0,0,0,0,0", "EPERM"),
        ("fsopen", "0,0", "EPERM"),
        ("open_tree", "-100,0,1", "EPERM"),
        ("ptrace", "0,0,0,0", "EPERM"),
        ("process_vm_readv", "1,0,0,0,0,0", "EPERM"),
        ("keyctl", "0,-3,1", "EPERM"),
        ("bpf", "0,0,0", "EPERM"),
        ("perf_event_open", "0,0,-1,-1,0", "EPERM"),
        ("userfaultfd", "0", "EPERM"),
        ("io_uring_setup", "8,0", "ENOSYS"),
        ("open_by_handle_at", "0,0,0", "EPERM"),
        ("socket", "2,1,0", "EAFNOSUPPORT"),
        ("socket", "1,1,0", "done"),
        ("ioctl", "0,0x5412,0", "EPERM"),
        ("personality", "0x0400000", "EPERM"),
    ],
)
def test_the_kernel_refuses_the_call(name: str, arguments: str, answer: str) -> None:
    numbers = seccomp.MACHINES[platform.machine()].numbers
    ended = sandbox.run(["python3", "-c", CALLS, f"{numbers[name]},{arguments}"])
    assert ended.output.decode().split() == [answer], ended.text
