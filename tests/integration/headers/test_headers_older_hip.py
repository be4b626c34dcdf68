"""What a distribution's HIP lacks of what CUDA code means: units that ask for it build to
machine code all the same.
"""

from __future__ import annotations

from typing import Any

import pytest

from crawler.model import Dialect
from crawler.validate.build import build_unit

pytestmark = pytest.mark.apt
COUNTERS = """#include <kernelset/hip.h>
__device__ unsigned count;
__global__ void k(unsigned* tickets, int* done) {
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicInc(&count, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) tickets[threadIdx.x] = atomicDec(tickets, 3u);
}
"""
MIXED = """#include <kernelset/hip.h>
template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
__global__ void k(float* y, const float* x, int n, long long m) {
  for (int i = 0; i < 8; ++i) y[i] = x[min(n - 1, i + i * blockDim.x)] + x[max(0, threadIdx.x)];
  static_assert(same<decltype(min(1, 2u)), unsigned>::value);
  static_assert(same<decltype(max(1ll, 2ull)), unsigned long long>::value);
  static_assert(same<decltype(min(1, 2)), int>::value && same<decltype(max(1.0f, 2.0f)), float>::value);
  y[min(m, 5ull)] = min<float>(x[0], 1);
}
"""
COMPLEX = """#include <kernelset/hip.h>
#include <hip/hip_complex.h>
typedef hipDoubleComplex number;
__device__ number operator-(const number& a) { return make_hipDoubleComplex(-a.x, -a.y); }
__device__ number operator*(number a, number b) { return hipCmul(a, b); }
__device__ bool operator==(number a, number b) { return a.x == b.x && a.y == b.y; }
__global__ void k(number* y, const number* x) {
  static_assert(__cplusplus >= 201402L);
  if (!(x[0] == x[1])) y[threadIdx.x] = -x[threadIdx.x] * x[0];
}
"""


@pytest.mark.parametrize(
    "source",
    [COUNTERS, MIXED, COMPLEX],
    ids=["counters that wrap", "integers of two kinds", "a project's own operators"],
)
def test_it_builds_for_a_device(making: Any, source: str) -> None:
    assert (
        build_unit(
            making.unit(source, "k", Dialect.HIP), "gfx90a"
        ).build.pass_call.message
        == ""
    )
