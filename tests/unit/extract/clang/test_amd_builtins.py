"""What AMD's compilers know of themselves is declared in a parse for the host, so that types
and launches resolve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import Dialect

SOURCE = """#include <hip/hip_runtime.h>
typedef float f32x4 __attribute__((ext_vector_type(4)));
typedef _Float16 f16x4 __attribute__((ext_vector_type(4)));
constexpr __device__ int lane() { return __builtin_amdgcn_mbcnt_lo(~0u, 0u); }
template <typename T> __host__ __device__ T whole(T a) {
  __builtin_amdgcn_s_barrier();
  return __builtin_amdgcn_readfirstlane(a) + __builtin_amdgcn_perm(1u, 2u, 3u);
}
__host__ __device__ inline f32x4 multiplied(f16x4 a, f32x4 c) {
  return __builtin_amdgcn_mfma_f32_16x16x16f16(a, a, c, 0, 0, 0);
}
template <typename T, int N> __global__ void k(T *a) {
  auto most = __builtin_amdgcn_fmed3f(1.f, 2.f, __ocml_exp_f32(3.f));
  a[lane()] = whole(a[0]) + most + N;
  atomicMax(reinterpret_cast<float *>(a), most);
}
template <typename F, typename... A> void launch_and_time(F kernel, A... args) { kernel<<<1, 64>>>(args...); }
template <typename T> void run(T *a) {
  const auto kernel = k<T, sizeof(decltype(whole(T())))>;
  launch_and_time(kernel, a);
}
void all(int *a) { run(a); }
"""


def test_builtins_of_amd_are_declared_with_their_types(
    project: Callable[..., Any],
) -> None:
    planted = project({"a.cu": SOURCE})
    facts = extract_unit_facts(
        planted.root, replace(planted.commands[0], dialect=Dialect.HIP)
    )
    assert facts.diagnostics == ()
    (kernel,) = facts.kernels
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("int", "4")
    ]
