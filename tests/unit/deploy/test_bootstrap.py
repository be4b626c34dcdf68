"""The program that installs system packages, with stand-ins for package managers that write down
how they are called.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

BOOTSTRAP = Path(__file__).resolve().parents[3] / "deploy/bootstrap"
NEEDED = ("bash", "grep", "id", "cat")
STAND_IN = """#!/bin/sh
echo "{name} $*" >> {calls}
{ending}
"""


class Machine:
    """A system with these managers of packages and no other program."""

    def __init__(self, folder: Path) -> None:
        self.programs, self.calls = folder / "programs", folder / "calls"
        self.programs.mkdir()
        self.calls.touch()
        for name in NEEDED:
            path = shutil.which(name)
            assert path
            (self.programs / name).symlink_to(path)

    def add(self, name: str, ending: str) -> None:
        program = self.programs / name
        # a link leads to the program of this machine
        program.unlink(missing_ok=True)
        text = STAND_IN.format(name=name, calls=self.calls, ending=ending)
        program.write_text(text)
        program.chmod(0o755)

    def bootstrap(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.programs / "bash", BOOTSTRAP, *words],
            env={"PATH": str(self.programs)},
            capture_output=True,
            text=True,
            check=False,
        )

    def list_calls(self, name: str) -> list[str]:
        lines = self.calls.read_text().splitlines()
        return [line for line in lines if line.startswith(f"{name} ")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def fedora(machine: Machine) -> Machine:
    """A system of dnf on which nothing but git is installed, and whose user is root."""
    machine.add("dnf", "exit 0")
    machine.add("rpm", '[ "$4" = git ]')
    machine.add("id", "echo 0")
    return machine


def test_on_fedora_packages_have_its_own_names(fedora: Machine) -> None:
    ended = fedora.bootstrap("--check")
    assert ended.returncode == 1
    names = ended.stdout.split()[1:]
    assert {"gcc-c++", "bubblewrap", "clang", "eigen3-devel", "python3-libs"} <= {
        *names
    }
    # none of Debian's, none that is there, and none that Fedora does not have
    assert not [name for name in names if name.endswith("-dev")]
    assert "git" not in names
    assert not fedora.list_calls("dnf")


def test_on_fedora_dnf_installs_them_at_once(fedora: Machine) -> None:
    ended = fedora.bootstrap("--without", "chromium", "--with", "crun")
    assert ended.returncode == 0, ended.stderr
    (call,) = fedora.list_calls("dnf")
    assert call.startswith("dnf install --quiet --assumeyes ")
    words = call.split()
    assert {"gcc-c++", "crun"} <= {*words}
    assert "chromium" not in words


def test_what_dnf_does_not_have_is_left_out_and_said(fedora: Machine) -> None:
    # it installs neither all at once, nor what is called so
    fedora.add("dnf", '[ $# = 5 ] && [ "$5" != bear ]')
    ended = fedora.bootstrap()
    assert ended.returncode == 0
    assert "not available here: bear" in ended.stderr
    assert "gcc-c++" not in ended.stderr
    assert fedora.bootstrap("--strict").returncode == 1


def test_without_root_the_command_is_said(fedora: Machine) -> None:
    fedora.add("id", "echo 1000")
    ended = fedora.bootstrap()
    assert ended.returncode == 0
    assert "Run: sudo dnf install " in ended.stderr
    assert not fedora.list_calls("dnf")


def test_the_command_is_printed_and_nothing_installed(fedora: Machine) -> None:
    ended = fedora.bootstrap("--print")
    assert ended.stdout.startswith("sudo dnf install ")
    assert not fedora.list_calls("dnf")


def test_where_all_is_there_nothing_is_printed(fedora: Machine) -> None:
    fedora.add("rpm", "exit 0")
    ended = fedora.bootstrap("--print")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize("words", [(), ("--print",)])
def test_elsewhere_it_names_what_to_install(
    machine: Machine, words: tuple[str, ...]
) -> None:
    ended = machine.bootstrap(*words)
    assert ended.returncode == 0
    assert "neither apt-get nor dnf here" in ended.stderr
    assert "bubblewrap" in ended.stderr
    assert machine.bootstrap("--strict").returncode == 1


def test_apt_reads_its_lists_and_installs_by_debians_names(machine: Machine) -> None:
    machine.add("apt-get", "exit 0")
    machine.add("dpkg-query", "echo not-installed")
    machine.add("id", "echo 0")
    assert machine.bootstrap().returncode == 0
    lists, packages = machine.list_calls("apt-get")
    assert lists == "apt-get update --quiet=2"
    assert packages.startswith("apt-get install ")
    assert {"clang-19", "g++"} <= {*packages.split()}
