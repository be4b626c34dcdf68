"""Attacks that want to stay when their time is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler import sandbox
from crawler.builds.stub_toolchain import cuda_toolkit
from crawler.sandbox import Mount
from tests.integration.sandbox_attacks.attack import alive, attack

pytestmark = pytest.mark.apt("bwrap")


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
