"""Units of HIP, to be compiled for real."""

from __future__ import annotations

import hashlib
from pathlib import Path

from crawler.model import Dialect, Instantiation, KernelUnit

UNITS = Path(__file__).resolve().parents[1] / "fixtures" / "units"
SCALE = """#include <kernelset/hip.h>
template <typename T>
__global__ void scale(T* a, T by, int n) {
  __shared__ T tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { tile[threadIdx.x] = a[i] * by; a[i] = tile[threadIdx.x]; }
}
template __global__ decltype(scale<float>) scale<float>;
template __global__ decltype(scale<double>) scale<double>;
"""
FLOAT_AND_DOUBLE = (
    Instantiation(arguments=("float",), label="float", symbol="_Z5scaleIfEvPT_S0_i"),
    Instantiation(arguments=("double",), label="double", symbol="_Z5scaleIdEvPT_S0_i"),
)


def unit(
    source: str,
    name: str,
    *instantiations: Instantiation,
    dialect: Dialect = Dialect.HIP,
) -> KernelUnit:
    return KernelUnit(
        source=source,
        dialect=dialect,
        kernel_name=name,
        instantiations=instantiations,
        prelude="",
        digest=hashlib.sha256(source.encode()).hexdigest(),
        token_digest="",
    )


def kernel(body: str, before: str = "") -> KernelUnit:
    return unit(
        f"#include <kernelset/hip.h>\n{before}\n__global__ void k(float* a) {{ {body} }}\n",
        "k",
    )
