"""The wheel holds everything that an installed Kernelset needs, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out],
        cwd=ROOT,
        check=True,
    )
    (built,) = out.glob("kernelset-*.whl")
    return built


def test_the_wheel_carries_headers_and_migrations(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    headers = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "crawler" / "headers").rglob("*.*h")
        if "__pycache__" not in path.parts
    }
    assert headers
    assert headers <= names
    assert any(name.startswith("storage/migrations/versions/") for name in names)
    # what `kernelset doctor --fix` runs
    assert "workers/bootstrap" in names


def test_the_wheel_has_only_our_packages(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "crawler",
        # which libraries that evaluate models look for
        "kernelset_tasks",
        "storage",
        "workers",
    }


def test_a_fresh_environment_finds_its_headers(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = "from crawler import headers; print(len(headers.list_header_files()), headers.headers_digest(), headers.ROOT)"
    out = subprocess.run(
        [sys.executable, "-P", "-S", "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    count, digest, root = out.stdout.split()
    assert int(count) > 3
    assert len(digest) == 64
    assert Path(root).is_relative_to(tmp_path)
