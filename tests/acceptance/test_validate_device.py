"""A stranger's kernel on a GPU from the command line, with no crawl; without a GPU it is skipped, and says why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from stand_ins import drivers

from crawler.model import Dialect
from crawler.validate.devices import health
from workers.unit_file import unit_of

if TYPE_CHECKING:
    from conftest import Kernelset

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
__global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "saxpy.cu"
    path.write_text(SOURCE)
    return path


def test_a_cuda_kernel_runs_as_hip(
    kernelset: Kernelset, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = drivers.install(tmp_path / "driver", "rocm")
    tmp_path.chmod(0o755)
    # a real device's object in all: the stand-in runs what was made of the same unit for this CPU
    units = {"unit": (unit_of(file), "_Z5saxpyPKfS0_Pffi"), "health": (health.unit(Dialect.CUDA), health.SYMBOL)}
    for name, (unit, symbol) in units.items():
        (library.parent / "modules" / f"{name}.so").write_bytes(drivers.unit_object(unit, [symbol]))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    (row,) = kernelset.rows("validate", file, "--device", "rocm:gfx90a", "--baseline", "1000")
    assert row["pass_exe"] == {"status": "pass", "code": "", "message": ""}
    assert row["device"] == "rocm:gfx90a"
    assert row["details"] == "AMD Stand-in, sramecc+:xnack-"
    assert row["cases"] >= 6
    assert row["oracle"] == "cpu_simt"
    assert row["healthy"]
    assert row["performance"]["launches"] >= 50
    assert row["pass_perf"]["status"] == "pass"
    (built,) = row["builds"]
    assert (built["form"], built["loaded"], built["pass_call"]["status"]) == ("code", True, "pass")


def test_without_a_gpu_it_is_skipped(kernelset: Kernelset, file: Path) -> None:
    (row,) = kernelset.rows("validate", file, "--device", "rocm:gfx9ff")
    assert (row["pass_exe"]["status"], row["pass_exe"]["code"]) == ("skipped", "no-device")
    assert "skipped  no-device" in kernelset.run("validate", file, "--device", "rocm:gfx9ff").stdout


def test_what_is_no_device_is_the_users_mistake(kernelset: Kernelset, file: Path) -> None:
    assert "rocm:gfx942" in kernelset.run("validate", file, "--device", "tpu", code=2).stderr


def test_doctor_shows_the_gpus_that_open(kernelset: Kernelset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = drivers.install(tmp_path / "driver", "cuda", devices=2)
    tmp_path.chmod(0o755)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(library.parent))
    findings = {row["name"]: row for row in kernelset.rows("doctor")}
    assert (findings["NVIDIA GPUs"]["state"], findings["NVIDIA GPUs"]["found"]) == (
        "ok",
        "2 cuda:sm_90 NVIDIA Stand-in",
    )
