"""A kernel with its suite, the test that is handed out for it, and how that is compiled and run."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from crawler.model import BufferRole, CaseBuffer, KernelUnit, Suite
from crawler.toolchains import discovery
from crawler.validate.harness.program import (
    HEADER_TREES,
    Harness,
    build_harness,
)
from crawler.validate.values.blobs import Blobs

SOURCE = """#include <kernelset/cuda.cuh>
struct View {
  const float* data;
  int stride;
};
template <typename T> __global__ void k(View view, const float* const* rows, T* out, int n, float low) {
  extern __shared__ __align__(16) T turned[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  turned[blockDim.x - 1 - threadIdx.x] = i < n ? view.data[i * view.stride] : low;
  __syncthreads();
  if (i < n) out[i] += turned[threadIdx.x] * 2.f + rows[1][i];
}
template __global__ decltype(k<float>) k<float>;
"""


@dataclass(frozen=True)
class Made:
    unit: KernelUnit
    blobs: Blobs
    suite: Suite


def make_floats(blobs: Blobs, name: str, values: list[float]) -> CaseBuffer:
    from array import array

    raw = array("f", values).tobytes()
    return CaseBuffer(
        name=name,
        element="float",
        element_size=4,
        size=len(raw),
        role=BufferRole.IN,
        content=blobs.put(raw),
    )


def write_test(
    place: Path,
    made: Made,
    name: str,
    unit: KernelUnit | None = None,
) -> Harness:
    test = build_harness(unit or made.unit, made.suite, made.blobs, name=name)
    (place / test.file).write_text(test.source)
    if test.beside:
        (place / test.beside_file).write_bytes(test.beside)
    return test


def compile_and_run(
    place: Path, test: Harness, compiler: str, *flags: str
) -> subprocess.CompletedProcess[str]:
    """Compile and run, as the test's own first lines say."""
    includes = [
        word for tree in HEADER_TREES for word in ("-isystem", f"include/{tree}")
    ]
    words = [
        "-x",
        "c++",
        "-std=gnu++17",
        "-w",
        "-ffp-contract=off",
        "-fno-strict-aliasing",
        *includes,
        *flags,
    ]
    subprocess.run(
        [compiler, *words, test.file, "-o", test.name],
        cwd=place,
        check=True,
        timeout=120,
    )
    return subprocess.run(
        [place / test.name],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def clang() -> str:
    clang_program = discovery.find_clang()
    assert clang_program is not None
    return str(clang_program.path)
