"""From a new user's empty home to a first exported row, by the lines that the pages show."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.apt
ROOT = Path(__file__).resolve().parents[2]
# a text block of a page, and what stands in it
BLOCK = re.compile(r"```(?:sh|text)\n(.*?)```", re.DOTALL)
SOURCE = """__global__ void gather_rows(float* to, const float* from, const int* rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[rows[i]];
}
void gather(float* to, const float* from, const int* rows, int n) {
  gather_rows<<<(n + 127) / 128, 128>>>(to, from, rows, n);
}
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the programs of an environment into which the wheel was installed, not the checkout.

    What Kernelset depends on is ours: a registry is asked for nothing.
    """
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
    )
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    (wheel,) = folder.glob("*.whl")
    words = ["-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run([folder / "venv/bin/python", *words], check=True)
    (packages,) = (folder / "venv/lib").glob("python*/site-packages")
    # a path that is added so brings packages, but nothing that is installed as editable
    (packages / "ours.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "venv/bin"


@pytest.fixture
def newcomer(tmp_path: Path) -> Path:
    """Give the home of somebody who has nothing but a project."""
    project = tmp_path / "my/project"
    project.mkdir(parents=True)
    (project / "gather.cu").write_text(SOURCE)
    shutil.copy(ROOT / "tests/fixtures/projects/rollers/LICENSE", project)
    return tmp_path


def read_lines(page: str, heading: str, exchange: Mapping[str, str]) -> list[str]:
    """Return the lines of the first block below a heading, with words of ours for the page's.

    What stands two spaces behind a command explains it, as a comment does.
    """
    _, _, below = (ROOT / page).read_text().partition(f"\n{heading}\n")
    block = BLOCK.search(below)
    assert block, heading
    lines = [re.split(r"  +|  #", line)[0] for line in block[1].splitlines()]
    for shown, ours in exchange.items():
        assert any(shown in line for line in lines), shown
        lines = [line.replace(shown, ours) for line in lines]
    return lines


def run_lines(lines: list[str], home: Path, programs: Path) -> str:
    """Run lines as a shell of a new user does, whose environment is empty."""
    ended = subprocess.run(
        ["bash", "-e", "-c", "\n".join(lines)],
        cwd=home,
        env={
            "HOME": str(home),
            "PATH": f"{programs}:/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{lines}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def read_records(dataset: Path) -> list[dict[str, object]]:
    return [json.loads(path.read_text()) for path in dataset.rglob("*.json")]


@pytest.mark.timeout(900)
def test_the_readme_leads_to_a_first_exported_row(
    installed: Path, newcomer: Path
) -> None:
    exchange = {
        ".venv/bin/kernelset": "kernelset",
        "pypi:torch_scatter==2.1.2": "./my/project",
    }
    lines = read_lines("README.md", "## Quick start", exchange)

    printed = run_lines(lines, newcomer, installed)

    assert "gather_rows" in printed
    assert re.search(r"^compiled for gfx90a +1 of 1 \(pass 1\)$", printed, re.MULTILINE)
    names = {record.get("name") for record in read_records(newcomer / "dataset")}
    assert "gather_rows" in names
