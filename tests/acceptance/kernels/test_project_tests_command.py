"""Projects' own tests by the command line: alone, and as judges of a crawl."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.extension_project import write_extension_project
from tests.own_build_project import write_make_project

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
PYTHON = os.environ.get("TESTS_TORCH_PYTHON", "")
needs_torch = pytest.mark.skipif(
    not Path(PYTHON).is_file(),
    reason="TESTS_TORCH_PYTHON names no Python with PyTorch",
)


def test_a_python_without_torch_is_refused(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    result = kernelset.run("test", tmp_path, code=2)

    assert "cannot import torch" in result.stderr
    assert "--python" in result.stderr


def test_a_project_that_builds_itself_needs_no_python(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    folder = tmp_path / "filling"
    write_make_project(folder)
    result = kernelset.run("test", folder)

    assert "tests: passed 1; 1 launch kernels" in result.stdout
    assert "checked by make check" in result.stdout


@pytest.mark.timeout(600)
def test_own_builds_judge_the_kernels_of_a_crawl(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    folder = tmp_path / "filling"
    write_make_project(folder)
    kernelset.run(
        "crawl", folder, "--device", "cpu", "--targets", "sm_80",
        "--project-tests", "native", "--workers", "1", seconds=600,
    )  # fmt: skip

    (row,) = kernelset.rows("query", "oracle = project_tests")
    assert (row["name"], row["pass_exe"]) == ("fill_kernel", {"cpu": "pass"})


@needs_torch
def test_a_project_without_extensions_has_nothing_to_test(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    (tmp_path / "k.cu").write_text("__global__ void k() {}\n")
    result = kernelset.run("test", tmp_path, "--python", PYTHON, code=4)

    assert "no-extension: no setup.py declares device code" in result.stdout


# compiles an extension against PyTorch's headers
@pytest.mark.timeout(900)
@needs_torch
def test_tests_judge_the_kernels_of_a_crawl(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    folder = tmp_path / "scaling"
    write_extension_project(folder)
    kernelset.run(
        "crawl", folder, "--device", "cpu", "--targets", "sm_80",
        "--project-tests", PYTHON, "--workers", "1", seconds=900,
    )  # fmt: skip

    (row,) = kernelset.rows("query", "oracle = project_tests")
    assert (row["name"], row["pass_exe"]) == ("scale_kernel", {"cpu": "pass"})

    (row,) = kernelset.rows("query", "name = shift_kernel")
    assert row["pass_exe"] == {"cpu": "fail"}
    assert "out-of-bounds" in row["reasons"]
