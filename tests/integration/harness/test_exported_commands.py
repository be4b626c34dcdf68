"""Each command that an exported page tells a reader to type does what the page says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from crawler.dataset.exporters.tree import PLUGIN
from crawler.dataset.texts.depth import Depth
from crawler.dataset.views.kernels import PLUGIN as KERNELS
from crawler.toolchains import discovery
from tests.integration.harness.validated_record import validate_record

pytestmark = [pytest.mark.apt, pytest.mark.slow]


@pytest.fixture(scope="module")
def dataset_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel that was run, with its tests, as a folder in a folder of its own."""
    ran, context = validate_record("axpy_kernel", Depth.FULL)
    root = tmp_path_factory.mktemp("exported") / "dataset"
    PLUGIN.write(
        KERNELS,
        [ran],
        root,
        context,
    )
    return root


def read_commands(page: Path) -> list[str]:
    """Return the indented lines of a page."""
    return re.findall(r"^ {4}(\S.*)$", page.read_text(), re.MULTILINE)


def run_command(
    command: str, folder: Path, path: str = "", **variables: str
) -> subprocess.CompletedProcess[str]:
    """Type a command into a shell that knows pytest and a clang by the name that pages use."""
    clang = discovery.find_clang()
    assert clang is not None
    environment = {
        **os.environ,
        "PATH": f"{path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "CXX": str(clang.path),
        # what this project tests itself with takes seconds to load
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        **variables,
    }
    return subprocess.run(
        ["/bin/bash", "-euc", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_the_page_compiles_a_source_of_each_dialect(dataset_folder: Path) -> None:
    (source,) = dataset_folder.glob("*/axpy_kernel/axpy_kernel.cu")
    kernel = str(source.relative_to(dataset_folder).with_suffix(""))
    cuda, hip = read_commands(dataset_folder / "README.md")
    for command in (cuda, hip):
        ended = run_command(command, dataset_folder, KERNEL=kernel)
        assert ended.returncode == 0, ended.stderr
    assert ".visible .entry" in (dataset_folder.parent / "kernel.ptx").read_text()
    assert (dataset_folder.parent / "kernel.co").read_bytes().startswith(b"\x7fELF")


def test_the_page_names_the_compiler_that_the_bootstrap_installs(
    dataset_folder: Path,
) -> None:
    bootstrap = Path(__file__).parents[3] / "deploy" / "bootstrap"
    page = dataset_folder / "README.md"
    (version,) = set(re.findall(r"CXX:-clang\+\+-(\d+)\}", page.read_text()))
    assert f"clang-{version} " in bootstrap.read_text()


@pytest.mark.apt("cmake", "g++")
def test_the_page_beside_tests_builds_and_runs_them(dataset_folder: Path) -> None:
    commands = read_commands(dataset_folder / "tests/README.md")
    assert [command.split()[0] for command in commands] == ["cmake", "cmake", "pytest"]
    for command in commands:
        ended = run_command(command, dataset_folder / "tests")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"\b3 passed", ended.stdout), (
        "two kernels, and that there are some"
    )


def test_a_machine_without_any_compiler_judges_nothing_and_says_what_to_install(
    dataset_folder: Path,
) -> None:
    words = f"{sys.executable} -m pytest -p no:cacheprovider"
    ended = run_command(words, dataset_folder / "tests", PATH="/nowhere", CXX="")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "skipped" not in ended.stdout
    assert "nothing was judged: there is no compiler of C++: install clang" in (
        ended.stdout
    )


@pytest.mark.apt("cmake")
def test_cmake_without_any_compiler_stops_and_says_what_to_install(
    dataset_folder: Path, tmp_path: Path
) -> None:
    cmake = shutil.which("cmake")
    command = (
        f"unset CXX; {cmake} -S . -B {tmp_path}/build -DCMAKE_FIND_ROOT_PATH=/nowhere"
    )
    command += " -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=ONLY"
    ended = run_command(command, dataset_folder / "tests")
    assert ended.returncode != 0
    assert "There is no compiler of C++: install clang" in ended.stderr


@pytest.mark.apt("cmake", "make")
def test_a_clang_of_a_numbered_name_alone_is_enough(
    dataset_folder: Path, tmp_path: Path
) -> None:
    clang = discovery.find_clang()
    assert clang is not None
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "clang++-19").symlink_to(clang.path)
    for name in ("cmake", "make", "ld", "sh", "uname"):
        (programs / name).symlink_to(shutil.which(name) or name)
    build = tmp_path / "build"
    command = f"unset CXX; export PATH={programs}; cmake -S . -B {build}"
    ended = run_command(f"{command} && cmake --build {build}", dataset_folder / "tests")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"={programs}/clang++-19\n" in (build / "CMakeCache.txt").read_text()
