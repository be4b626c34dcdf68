"""A unit run on the CPU from the command line: what its cases tell, and tests that are handed
out.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
__global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
"""


def test_a_unit_is_measured_and_its_tests_are_written(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    file, target = tmp_path / "saxpy.cu", tmp_path / "tests"
    file.write_text(SOURCE)
    (row,) = kernelset.rows(
        "validate", file, "--device", "cpu", "--strength", "--tests", target
    )
    assert row["behaviour"] == "deterministic"
    assert (row["pass_exe"]["status"], row["oracle"]) == ("pass", "library")
    assert "AXPY" in row["pass_exe"]["message"]
    assert (row["strength"]["branches_reached"], row["strength"]["branches"]) == (2, 2)
    assert row["strength"]["killed"] >= 8
    names = {path.relative_to(target).as_posix() for path in target.rglob("*")}
    assert names >= {
        "test_saxpy.cu",
        "CMakeLists.txt",
        "test_kernels.py",
        "include/cpu/kernelset/cpu/host.h",
    }
    assert names >= {
        "google_test_saxpy.cpp",
        "extension/saxpy.cu",
        "extension/test_saxpy.py",
    }
    assert "ordinary" not in (target / "test_saxpy.cu").read_text()
    assert "\ncase ordinary " in (target / "judge/test_saxpy.cases").read_text()
    assert "-lgtest" in (target / "google_test_saxpy.cpp").read_text()
    again = kernelset.run(
        "validate", file, "--device", "cpu", "--tests", target, code=2
    )
    assert "is there already" in again.stderr


def test_a_name_alone_makes_no_verdict(kernelset: Kernelset, tmp_path: Path) -> None:
    file = tmp_path / "saxpy.cu"
    file.write_text(SOURCE.replace("+ y[i]", "+ y[i / 2]"))
    (row,) = kernelset.rows("validate", file, "--device", "cpu")
    assert (row["pass_exe"]["status"], row["oracle"]) == ("consistent", "cpu_simt")
