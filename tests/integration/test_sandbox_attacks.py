"""Attacks on the real sandbox: each is held by a barrier, ends within its limits, and leaves
nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crawler import process, sandbox
from crawler.builds.setup_py import stand_in_run
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.builds.systems import setuptools
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from crawler.process import CompletedProcess
from crawler.process_limits import Limits
from crawler.sandbox import Mount, cgroups

pytestmark = pytest.mark.apt("bwrap")
MARK = f"attacked-by-{os.getpid()}"
SMALL = Limits(
    seconds=15,
    processes=24,
    resident_bytes=256 << 20,
    scratch_bytes=16 << 20,
    inodes=3000,
    file_bytes=32 << 20,
)


def attack(
    program: str, *mounts: Mount, by: str = "python3", limits: Limits = SMALL
) -> CompletedProcess:
    """Run a hostile program, in Python or in the shell, and return what became of it."""
    return sandbox.run(
        [by, "-c", program], mounts=mounts, limits=limits, env={"MARK": MARK}
    )


def mount_folder(folder: Path, name: str, *brings: str) -> Mount:
    (folder / name).mkdir()
    return Mount(
        source=folder / name, target=f"/{name}", writable=True, copy_back=brings
    )


def alive() -> list[str]:
    """The command lines of what still runs of an attack."""
    command_lines = []
    for process_folder in Path("/proc").glob("[0-9]*"):
        try:
            if MARK.encode() in (process_folder / "environ").read_bytes():
                command_lines.append((process_folder / "cmdline").read_text())
        except OSError:
            continue
    return command_lines


def groups() -> list[Path]:
    place = cgroups.find_cgroup_parent()
    folders = set(place.folders.values()) if place else set()
    return [
        path
        for folder in folders
        for path in folder.glob(f"kernelset-*-{os.getpid()}-*")
    ]


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After each attack no process, no group, no open file and no temporary file of it is there."""
    assert sandbox.run_self_test().works
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    before = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert alive() == []
    assert groups() == []
    assert list(place.iterdir()) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.fixture(params=["cgroup", "watchdog"])
def fence(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to bound a run: here, and where no control group can be made."""
    if request.param == "watchdog":
        monkeypatch.setattr(cgroups, "find_cgroup_parent", lambda: None)
    elif cgroups.find_cgroup_parent() is None:
        pytest.skip("no control group can be made here")
    return str(request.param)


# --- to see ---


def test_secrets_in_the_environment_and_in_proc(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2-secret")
    output = attack(
        "import pathlib\n"
        "for name in ('environ', 'cmdline', 'mountinfo', 'maps'):\n"
        "    for path in pathlib.Path('/proc').glob('[0-9]*/' + name):\n"
        "        try: print(path, path.read_bytes())\n"
        "        except OSError as error: print(path, error)\n"
    ).text
    assert MARK in output
    assert "hunter2" not in output
    assert str(Path(tempfile.gettempdir())) not in output
    assert str(Path.cwd()) not in output


def test_files_of_the_host_and_of_a_neighbour(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private/key").write_text("hunter2-secret")
    (tmp_path / "private").chmod(0o755)
    theirs = Mount(source=tmp_path / "private", target="/private")
    neighbour = sandbox.start(["sleep", "30"], mounts=(theirs,), env={"MARK": MARK})
    try:
        output = attack(
            "find / -xdev \\( -name 'id_*' -o -name shadow -o -name passwd -o -name key \\) -not -path '/usr/*' 2>&-\n"
            "cat /private/key /proc/*/root/private/key /root/.ssh/* /etc/shadow /etc/passwd /sys/kernel/* 2>&1\n"
            "ls /home /root /var /run /sys /opt/kernelset /mnt 2>&1 | grep -v 'No such'; echo end",
            by="sh",
        ).text
    finally:
        process.terminate(neighbour)
    assert "hunter2" not in output
    assert "root:" not in output
    assert output.splitlines()[-1] == "end"
    assert set(output.splitlines()[-2].split()) & {"cannot", "No", "Permission", "cat:"}


def test_what_runs_of_others(tmp_path: Path) -> None:
    programs = attack("for each in /proc/[0-9]*; do cat $each/comm; done", by="sh").text
    assert set(programs.split()) <= {"bwrap", "sh", "cat"}


# --- to talk ---


def test_a_socket_of_any_family() -> None:
    opened = attack(
        "import socket\n"
        "for family in range(64):\n"
        "    for kind in (1, 2, 3, 5):\n"
        "        try: socket.socket(family, kind, 0).close()\n"
        "        except OSError: continue\n"
        "        print(family, kind)\n"
    ).text
    assert opened.splitlines() == ["1 1", "1 5"]


def test_sockets_of_the_host(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    source = tmp_path / "shown"
    source.mkdir()
    with (
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as named,
    ):
        abstract.bind(f"\0{MARK}")
        abstract.listen()
        with contextlib.chdir(source):
            named.bind("agent")
        (source / "agent").chmod(0o777)
        named.listen()
        tried = attack(
            "import socket\n"
            f"for name in ('\\0{MARK}', '/shown/agent'):\n"
            "    try: socket.socket(socket.AF_UNIX).connect(name); print('connected')\n"
            "    except OSError as error: print(error.strerror)\n",
            Mount(source=source, target="/shown"),
        ).text
    assert tried.splitlines() == ["Connection refused", "Connection refused"]


# --- to use up ---


def test_a_fork_bomb(fence: str) -> None:
    ended = attack(
        "bomb() { bomb | bomb & }; bomb; sleep 2",
        by="sh",
        limits=replace(SMALL, seconds=2),
    )
    assert ended.exit_code != 0 or "fork" in ended.text.lower()
    assert fence


def test_many_threads(fence: str) -> None:
    ended = attack(
        "import threading, time\n"
        "started = 0\n"
        "try:\n"
        "    for _ in range(4000): threading.Thread(target=time.sleep, args=(9,), daemon=True).start(); started += 1\n"
        "except RuntimeError: print(started, flush=True)\n"
        "import os; os._exit(0)\n"
    )
    assert int(ended.text or "0") < SMALL.processes + 8
    assert fence


def test_memory_of_one_process(fence: str) -> None:
    ended = attack("import time; hoard = bytearray(1 << 30); time.sleep(30)")
    assert ended.exceeded_limit == "memory"
    assert not ended.timed_out
    assert fence


def test_memory_of_many_processes(fence: str) -> None:
    ended = attack(
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        hoard = bytearray(64 << 20); time.sleep(30); os._exit(0)\n"
        "time.sleep(30)\n",
        limits=replace(SMALL, seconds=5),
    )
    assert ended.exceeded_limit == "memory"
    assert fence


def test_the_disk(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "result")
    ended = attack(
        "import os\n"
        "def fill(path):\n"
        "    written = 0\n"
        "    try:\n"
        "        with open(path, 'wb', 0) as file:\n"
        "            if path.endswith('hidden'): os.unlink(path)\n"
        "            while True: written += file.write(bytes(1 << 20))\n"
        "    except OSError as error: print(path, written >> 20, error.strerror)\n"
        "for path in ('/tmp/hidden', '/tmp/large', '/dev/shm/large', '/work/hidden', '/work/result', '/large'):\n"
        "    fill(path)\n",
        work,
    )
    assert all(
        int(line.split()[1]) <= SMALL.scratch_bytes >> 20
        for line in ended.text.splitlines()
    ), ended.text
    assert "/large 0 Read-only file system" in ended.text
    assert (tmp_path / "work/result").stat().st_size <= SMALL.scratch_bytes
    assert {path.name for path in (tmp_path / "work").iterdir()} == {"result"}


def test_results_without_an_end(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "*")
    attack(
        "import os\nos.chdir('/work')\nfor number in range(8): open(str(number), 'wb').write(bytes(1 << 20))\n"
        "os.symlink('/dev/zero', 'endless')\nos.truncate('7', 1 << 40)",
        work,
        limits=replace(SMALL, file_bytes=4 << 20),
    )
    results = list((tmp_path / "work").iterdir())
    assert results
    assert sum(path.stat().st_size for path in results) <= 4 << 20


def test_results_with_names_that_do_something(tmp_path: Path) -> None:
    names = [
        "\x1b]0;owned\x07",
        "a\nb",
        "-rf",
        ".hidden",
        "..a",
        "caf\udce9",
        "a" * 200,
        "$(reboot)",
        "\u202eb",
        "plain-1.txt",
    ]
    attack(
        f"import os\nfor name in {names!r}: open(os.fsencode('/work/' + name), 'w').write('x')",
        mount_folder(tmp_path, "work", "*"),
    )
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == sorted(
        ["-rf", "..a", ".hidden", "plain-1.txt", "$(reboot)", "a" * 200]
    )


def test_a_tree_of_results_is_bounded_and_has_no_links(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "**")
    (tmp_path / "work/kept").write_text("given")
    attack(
        "import os\nos.makedirs('/work/a/b')\nopen('/work/a/b/file', 'w').write('made')\n"
        "os.symlink('/etc', '/work/etc')\nos.symlink('../../..', '/work/a/up')\nos.symlink('/', '/work/a/b/root')\n"
        "os.chdir('/work')\nfor _ in range(300): os.mkdir('d'); os.chdir('d'); open('f', 'w').write('x')\n",
        work,
    )
    results = list((tmp_path / "work").rglob("*"))
    assert not [path for path in results if path.is_symlink()]
    assert (tmp_path / "work/a/b/file").read_text() == "made"
    assert (tmp_path / "work/kept").read_text() == "given"
    assert 10 < max(len(path.relative_to(tmp_path).parts) for path in results) < 100


def test_results_are_there_when_the_time_was_up(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "result")
    ended = attack(
        "echo so far > /work/result; sleep 60",
        work,
        by="sh",
        limits=replace(SMALL, seconds=2),
    )
    assert ended.timed_out
    assert (tmp_path / "work/result").read_text() == "so far\n"


def test_names_without_an_end(fence: str, tmp_path: Path) -> None:
    for where in ("/tmp", "/work"):
        ended = attack(
            f"import os\nos.chdir('{where}')\nfor number in range(1 << 30): os.mkdir(str(number))",
            mount_folder(tmp_path, f"work{where[1:]}")
            if where == "/tmp"
            else mount_folder(tmp_path, "work"),
        )
        assert ended.exceeded_limit in ("inodes", "memory"), ended.text
        assert not ended.timed_out
    assert fence


def test_a_flood_of_output() -> None:
    ended = attack("yes to this", by="sh", limits=replace(SMALL, file_bytes=4 << 20))
    assert ended.exit_code != 0
    assert len(ended.output) <= 64 << 10


def test_an_endless_loop_that_hears_no_signal() -> None:
    began = time.monotonic()
    ended = attack(
        "import signal\n"
        "for number in range(1, 65):\n"
        "    try: signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "while True: pass\n",
        limits=replace(SMALL, seconds=1),
    )
    assert ended.timed_out
    assert time.monotonic() - began < 15


def test_an_endless_loop_within_its_time_of_the_processor() -> None:
    ended = attack("while True: pass", limits=replace(SMALL, cpu_seconds=1))
    assert ended.exit_code != 0
    assert not ended.timed_out


# --- to stay ---


def test_a_daemon_forked_twice(fence: str) -> None:
    ended = attack(
        "import os, sys, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\ntime.sleep(60)\n"
    )
    assert ended.exit_code == 0
    assert alive() == []
    assert fence


def test_what_lies_in_wait_for_the_next_task(tmp_path: Path) -> None:
    source = tmp_path / "shown"
    source.mkdir()
    (source / "setup.py").write_text("honest")
    tmp_path.chmod(0o755)
    mounts = (Mount(source=source, target="/shown"), *sandbox.list_python_mounts())
    poison = (
        "import pathlib, sys, sysconfig\n"
        "places = ['/tmp', '/dev/shm', '/usr/bin', '/shown', '/opt', '/etc', sysconfig.get_paths()['purelib']]\n"
        "places += ['/shown/setup.py', sys.executable, *filter(None, sys.path)]\n"
        "for place in map(pathlib.Path, places):\n"
        "    for path in (place, place / 'sitecustomize.py', place / '__pycache__/os.cpython-311.pyc'):\n"
        "        try: path.write_text('poisoned'); print('wrote', path)\n"
        "        except OSError: pass\n"
    )
    wrote = attack(poison, *mounts).text
    assert {line.split("/")[1] for line in wrote.splitlines()} <= {"tmp", "dev"}
    output = attack(
        "cat /tmp/* /dev/shm/* 2>&1; cat /shown/setup.py; ls -A /shown /tmp /dev/shm",
        *mounts,
        by="sh",
    ).text
    assert "poisoned" not in output
    assert "sitecustomize" not in output
    assert (source / "setup.py").read_text() == "honest"


def test_writes_into_the_stub_toolchain(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    kit = cuda_toolkit.write_cuda_toolkit(tmp_path / "kit")
    ended = attack(
        f"echo '#!/bin/sh' > {cuda_toolkit.MOUNT_POINT}/bin/nvcc; rm -f {cuda_toolkit.MOUNT_POINT}/bin/nvcc; mv {cuda_toolkit.MOUNT_POINT} /tmp/old\n"
        f"ln -s /tmp {cuda_toolkit.MOUNT_POINT}/bin/new; chmod 777 {cuda_toolkit.MOUNT_POINT}/bin; {cuda_toolkit.MOUNT_POINT}/bin/nvcc --version",
        kit,
        by="sh",
    )
    assert "Cuda compilation tools" in ended.text
    assert "honest" not in ended.text
    assert sorted(path.name for path in (tmp_path / "kit/bin").iterdir()) == ["nvcc"]


# --- to become more ---


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


# --- to be read outside ---


@pytest.mark.parametrize(
    "statement",
    [
        "os.symlink('/etc/shadow', 'result')",
        "os.symlink('../secret', 'result')",
        "os.symlink('/proc/1/environ', 'result')",
        "os.mkfifo('result')",
        "os.mkdir('result')",
        "os.symlink('result', 'result')",
    ],
)
def test_a_result_that_is_something_else(tmp_path: Path, statement: str) -> None:
    (tmp_path / "secret").write_text("hunter2-secret")
    work = mount_folder(tmp_path, "work", "result")
    attack(
        f"import os; os.chdir('/work'); {statement}",
        work,
        limits=replace(SMALL, seconds=3),
    )
    assert list((tmp_path / "work").iterdir()) == []


def test_only_what_was_asked_for_comes_out(tmp_path: Path) -> None:
    work = mount_folder(tmp_path, "work", "result")
    (tmp_path / "work/source").write_text("ours")
    attack(
        "cd /work && echo theirs > source && echo more > extra && ln -s / link && mkdir -p a/b\n"
        "touch \"$(printf '\\033]0;title\\007\\n..')\" && cat source > result && chmod 6777 result",
        work,
        by="sh",
    )
    assert {path.name for path in (tmp_path / "work").iterdir()} == {"result", "source"}
    assert (tmp_path / "work/source").read_text() == "ours"
    result = tmp_path / "work/result"
    assert result.read_text() == "theirs\n"
    assert (result.stat().st_uid, result.stat().st_mode & 0o7777) == (
        os.geteuid(),
        0o755,
    )


def test_a_link_in_what_is_copied_in_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2-secret")
    work = mount_folder(tmp_path, "work", "result")
    (tmp_path / "work/link").symlink_to(tmp_path / "secret")
    tmp_path.chmod(0o755)
    ended = attack("cat /work/link; ls -l /work > /work/result", work, by="sh")
    assert "hunter2" not in ended.text
    assert "link ->" in (tmp_path / "work/result").read_text()


# --- before anything was asked of it ---


@pytest.mark.parametrize(
    "bomb",
    [
        "import time; time.sleep(60)",
        "while True: pass",
        "import os\nwhile True: os.fork()",
    ],
)
def test_a_bomb_at_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bomb: str
) -> None:
    project, scratch = tmp_path / "project", tmp_path / "scratch"
    project.mkdir()
    scratch.mkdir()
    (project / "setup.py").write_text(f"# Extension\n{bomb}\n")
    (project / "a.cu").write_text("__global__ void f() {}")
    monkeypatch.setattr(
        stand_in_run,
        "_LIMITS",
        replace(stand_in_run._LIMITS, seconds=1, processes=16),
    )
    began = time.monotonic()
    with pytest.raises(ConfigureFailed):
        setuptools.PLUGIN.find_commands(open_tree(project), scratch)
    assert time.monotonic() - began < 20
