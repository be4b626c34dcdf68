"""Reads of surfaces that return a value, which HIP has none of."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.port.port import port_text
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from tests.integration.headers.header_errors import list_errors

pytestmark = pytest.mark.apt

READS = """
#include <kernelset/cuda.cuh>
template <class T> __device__ T read(cudaSurfaceObject_t s, int i) { return surf3Dread<T>(s, i * sizeof(T), i, i); }
__global__ void k(cudaSurfaceObject_t s, float *x, float4 *y, int i) {
  x[0] = read<float>(s, i) + surf1Dread<float>(s, i) + surf2Dread<float>(s, i, i, cudaBoundaryModeClamp);
  y[0] = read<float4>(s, i);
  y[1] = surf2DLayeredread<float4>(s, i, i, i);
  y[2] = surfCubemapLayeredread<float4>(s, i, i, i);
  surf3Dread(&x[1], s, i, i, i);
  surf3Dwrite(x[0], s, i, i, i);
  x[2] = surf1DLayeredread<float>(s, i, i) + surfCubemapread<float>(s, i, i, i);
}
"""


def test_reads_that_return_a_value_are_image_loads_of_amd(tmp_path: Path) -> None:
    assert list_errors(READS, Dialect.CUDA, tmp_path) == []
    source, _ = port_text(READS)
    (tmp_path / "ported").write_text(source)
    clang = discovery.find_clang()
    assert clang is not None
    flags = (*get_compile_flags(Dialect.HIP, "gfx90a"), "-S", "-o", "-")
    ended = subprocess.run(
        [clang.path, *flags, tmp_path / "ported"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("image_load") >= 9
    assert "image_store" in ended.stdout
