"""Attacks that want to see, or to talk to, what is outside."""

from __future__ import annotations

import contextlib
import socket
import tempfile
from pathlib import Path

import pytest

from crawler import process, sandbox
from crawler.sandbox import Mount
from tests.integration.sandbox_attacks.attack import MARK, attack

pytestmark = pytest.mark.apt("bwrap")


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
