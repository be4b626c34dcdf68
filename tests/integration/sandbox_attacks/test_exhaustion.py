"""Attacks that want to use up the machine: its processes, memory, disk and time."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from crawler.builds.setup_py import stand_in_run
from crawler.builds.systems import setuptools
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from tests.integration.sandbox_attacks.attack import SMALL, attack, mount_folder

pytestmark = pytest.mark.apt("bwrap")


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
