"""Attacks that want rights which nobody in the sandbox has."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from crawler import process, sandbox
from tests.integration.sandbox_attacks.attack import MARK, attack

pytestmark = pytest.mark.apt("bwrap")


@pytest.mark.parametrize(
    "program",
    [
        "import ctypes, os; libc = ctypes.CDLL(None); os._exit(libc.ptrace(16, os.getppid(), 0, 0) == 0)",
        "open('/proc/1/mem', 'rb').read(1)",
        "import os; os.setuid(0)",
        "import os; os.setgroups([0])",
        "import os; os.mknod('/tmp/disk', 0o060666, os.makedev(254, 0))",
        "import os; os.mknod('/tmp/memory', 0o020666, os.makedev(1, 1))",
        "import os; os.chroot('/tmp')",
        "import os; os.chown('/tmp/mine', 0, 0)",
        "open('/proc/sys/kernel/core_pattern', 'wb', 0).write(b'|/tmp/mine')",
        "open('/proc/sysrq-trigger', 'wb', 0).write(b'x')",
        "open('/proc/self/oom_score_adj', 'wb', 0).write(b'-1000')",
        "open('/proc/kcore', 'rb').read(1)",
        "open('/dev/mem', 'rb')",
        "open('/dev/kmsg', 'rb')",
        "import os; os.listdir('/sys/fs/cgroup')",
        "import os; os.nice(-5)",
        "import resource; resource.setrlimit(resource.RLIMIT_NPROC, (9999, 9999))",
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))",
        "import socket; socket.sethostname('mine')",
        "import os; os.link('/usr/bin/env', '/tmp/linked')",
        "import os; os.kill(1, 9)",
    ],
)
def test_what_needs_a_right_that_nobody_has(program: str) -> None:
    """Each line fails; the last but one since nothing links across mounts."""
    ended = attack(f"open('/tmp/mine', 'w').close()\n{program}\nprint('done')")
    assert "done" not in ended.text
    assert not ended.timed_out


def test_a_file_that_would_run_as_its_owner() -> None:
    ended = attack(
        "cp /usr/bin/id /tmp/id && chmod 6755 /tmp/id && /tmp/id -u; id -u; unshare -Ur id -u; mount -t tmpfs a /tmp\n"
        "find /usr/bin -perm -4000 -exec {} --version \\; > /dev/null 2>&1; grep -h '^Cap\\|^NoNew' /proc/self/status",
        by="sh",
    )
    identities = [line for line in ended.output.decode().splitlines() if line.isdigit()]
    assert len(set(identities)) == 1
    assert "0" not in identities
    assert "NoNewPrivs:\t1" in ended.text
    assert set(
        "".join(
            line.split()[1]
            for line in ended.text.splitlines()
            if line.startswith("Cap")
        )
    ) == {"0"}
    assert "denied" in ended.text or "permitted" in ended.text


def test_it_is_nobody_on_the_host_and_each_time_another() -> None:
    owners_of_runs = []
    for _ in range(2):
        running = sandbox.start(["sleep", "30"], env={"MARK": MARK})
        try:
            owners_of_runs.append(_owners())
        finally:
            process.terminate(running)
    assert all(owners and 0 not in owners for owners in owners_of_runs)
    if os.geteuid() == 0:
        assert not owners_of_runs[0] & owners_of_runs[1]


def _owners() -> set[int]:
    """Wait until the attack's own program runs, and say who it is to the host."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                ours = MARK.encode() in (folder / "environ").read_bytes()
                if ours and (folder / "comm").read_text() == "sleep\n":
                    return {int(_field(folder, "Uid"))}
            except OSError:
                continue
        time.sleep(0.01)
    return set()


def _field(folder: Path, name: str) -> str:
    lines = (folder / "status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith(f"{name}:"))


def test_signals_to_whoever_listens(tmp_path: Path) -> None:
    neighbour = sandbox.start(["sleep", "30"], env={"MARK": MARK})
    try:
        ended = attack(
            "import os, signal\n"
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "for pid in (*range(3, 70000), -1):\n"
            "    try:\n"
            "        if pid != os.getpid(): os.kill(pid, 15 if pid < 0 else 9)\n"
            "    except OSError: pass\n"
            "print('still here')\n"
        )
        assert ended.output == b"still here\n"
        assert neighbour.poll() is None
    finally:
        process.terminate(neighbour)


def test_calls_of_another_architecture(tmp_path: Path) -> None:
    program = 'int main(void) { long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return r > 0 ? 42 : 43; }'
    if os.uname().machine != "x86_64":
        pytest.skip("this machine has one kind of call")
    ended = attack(f"echo '{program}' | gcc -x c - -o /tmp/old && /tmp/old", by="sh")
    assert ended.exit_code not in (0, 42), ended.text
