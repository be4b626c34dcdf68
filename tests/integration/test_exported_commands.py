"""Each command that an exported page tells a reader to type does what the page says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from crawler import codec
from crawler.dataset.exporters.tree import PLUGIN
from crawler.dataset.texts.depth import Depth
from crawler.model import KernelRecord
from crawler.toolchains import discovery
from crawler.validate.cpu.validation import validate_on_cpu

pytestmark = [pytest.mark.apt, pytest.mark.slow]
RECORDS = codec.decode(
    (Path(__file__).parents[1] / "fixtures/records.json").read_bytes(),
    tuple[KernelRecord, ...],
)
# a compiler of a machine without a GPU: what it builds finds no device
NVCC = """#!/bin/sh
for word; do program=$word; done
printf '#!/bin/sh\\necho no device here\\nexit 77\\n' > "$program"
chmod +x "$program"
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel that was run, with its tests, as a folder in a folder of its own."""
    record = next(record for record in RECORDS if record.kernel.name == "axpy_kernel")
    validation = validate_on_cpu(record.kernel)
    assert validation.suite is not None, validation.run.pass_exe
    digest = validation.blobs.put(codec.encode(validation.suite))
    ran = replace(
        record,
        runs=(replace(validation.run, suite=digest),),
        suites=((digest, validation.suite),),
    )
    root = tmp_path_factory.mktemp("exported") / "dataset"
    PLUGIN.write([ran], root, Depth.FULL, validation.blobs.get)
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


def test_the_page_compiles_a_source_of_each_dialect(exported: Path) -> None:
    (source,) = exported.glob("*/axpy_kernel*.cu")
    kernel = str(source.relative_to(exported).with_suffix(""))
    cuda, hip = read_commands(exported / "README.md")
    for command in (cuda, hip):
        ended = run_command(command, exported, KERNEL=kernel)
        assert ended.returncode == 0, ended.stderr
    assert ".visible .entry" in (exported.parent / "kernel.ptx").read_text()
    assert (exported.parent / "kernel.co").read_bytes().startswith(b"\x7fELF")


def test_the_page_names_the_compiler_that_the_bootstrap_installs(
    exported: Path,
) -> None:
    bootstrap = Path(__file__).parents[2] / "deploy" / "bootstrap"
    for page in (exported / "README.md", exported / "tests/README.md"):
        (version,) = set(re.findall(r"CXX:-clang\+\+-(\d+)\}", page.read_text()))
        assert f"clang-{version} " in bootstrap.read_text()


@pytest.mark.apt("cmake", "g++")
def test_the_page_beside_tests_builds_and_runs_them(exported: Path) -> None:
    commands = read_commands(exported / "tests/README.md")
    assert [command.split()[0] for command in commands] == ["cmake", "cmake", "pytest"]
    for command in commands:
        ended = run_command(command, exported / "tests")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    assert re.search(r"\b2 passed", ended.stdout), "none is skipped without a GPU"


def test_a_test_says_itself_how_it_is_built(exported: Path) -> None:
    tests = exported / "tests"
    for source in (*tests.glob("*.cu"), *tests.glob("*.hip")):
        (command,) = re.findall(r"^//   (\$.+)$", source.read_text(), re.MULTILINE)
        ended = run_command(f"{command} && ./{source.stem}", source.parent)
        assert "All tests passed!" in ended.stdout, ended.stderr


def test_a_compiler_without_a_gpu_leaves_the_test_to_the_cpu(
    exported: Path, tmp_path: Path
) -> None:
    (tmp_path / "nvcc").write_text(NVCC)
    (tmp_path / "nvcc").chmod(0o755)
    command = "pytest -k 'not hip' -rs"
    ended = run_command(command, exported / "tests", path=str(tmp_path))
    assert "1 passed" in ended.stdout, ended.stdout


def test_a_machine_without_any_compiler_is_told_what_is_missing(
    exported: Path,
) -> None:
    words = f"{sys.executable} -m pytest -rs -p no:cacheprovider"
    ended = run_command(words, exported / "tests", PATH="/nowhere", CXX="")
    assert "2 skipped" in ended.stdout, ended.stdout + ended.stderr
    assert "no nvcc is here; no ${CXX:-clang++-19} is here" in ended.stdout
