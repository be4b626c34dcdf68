"""A stranger's plain kernel, and a driver that is given a real device's objects of it and runs
it on this CPU.
"""

from __future__ import annotations

from pathlib import Path

from crawler.model import Dialect, KernelUnit
from crawler.validate.devices import health_kernel
from tests.small_units import make_small_unit
from tests.stand_ins import drivers

KERNEL = """__global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}
"""
UNIT = f"#include <kernelset/cuda.cuh>\n{KERNEL}"
_SYMBOL = "_Z5saxpyPKfS0_Pffi"


def driver(folder: Path) -> Path:
    """Lay out AMD's driver in a new folder, and return its library."""
    library = drivers.install(folder / "driver", "rocm")
    folder.chmod(0o755)
    for symbol, unit in (
        (_SYMBOL, _unit()),
        (health_kernel.HEALTH_SYMBOL, health_kernel.health_unit(Dialect.CUDA)),
    ):
        (library.parent / "modules" / f"{symbol}.so").write_bytes(
            drivers.unit_object(unit, [symbol])
        )
    return library


def _unit() -> KernelUnit:
    return make_small_unit(UNIT, Dialect.CUDA, "saxpy")
