"""What ports make of halves, small floats and vectors compiles against our headers for HIP."""

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

RAW = """
#include <kernelset/cuda.cuh>
#include <nccl.h>
#include <cub/cub.cuh>
struct Holder { ncclComm_t communicator; };
__global__ void k(__half *a, __half2 *b, Holder held) {
  constexpr __half_raw infinite = {0x7C00};
  constexpr __half2_raw both = {0x7C00, 0xFC00};
  a[0] = infinite;
  b[0] = both;
  __half copied = infinite;
  a[1] = __half(infinite);
  a[2] = copied;
  __half_raw written;
  written.x = static_cast<__half_raw>(a[3]).x + CUB_WARP_THREADS(0);
  a[4] = written;
  const __half2_raw pair = b[1];
  b[2] = __half2(pair);
}
"""


def test_bits_of_a_half_are_bits_in_a_port_too(tmp_path: Path) -> None:
    assert list_errors(RAW, Dialect.CUDA, tmp_path) == []
    source, _ = port_text(RAW)
    (tmp_path / "ported").write_text(source)
    clang = discovery.find_clang()
    assert clang is not None
    flags = (*get_compile_flags(Dialect.HIP, "gfx90a"), "-S", "-emit-llvm", "-o", "-")
    ended = subprocess.run(
        [clang.path, *flags, tmp_path / "ported"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert "store half 0xH7C00" in ended.stdout
    assert "<half 0xH7C00, half 0xHFC00>" in ended.stdout


PACKED = """
#include <kernelset/cuda.cuh>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda/std/cmath>
__global__ void k(float *x, unsigned *packed) {
  const __nv_fp4x4_e2m1 four(make_float4(x[0], x[1], x[2], x[3]));
  const __half2_raw two = __nv_cvt_fp4x2_to_halfraw2(four.__x & 0xff, __NV_E2M1);
  x[0] = static_cast<float4>(four).w + __low2float(__half2(two)) + static_cast<float>(__nv_fp6_e3m2(x[4]));
  packed[0] = __nv_cvt_float2_to_fp6x2(make_float2(x[1], x[2]), __NV_E2M3, cudaRoundNearest);
  asm volatile("{ .reg .b8 low, high; cvt.rn.satfinite.e2m1x2.f32 low, %2, %1;"
               "cvt.rn.satfinite.e2m1x2.f32 high, %4, %3;"
               "mov.b32 %0, {low, high, low, high}; }" : "=r"(packed[1]) : "f"(x[5]), "f"(x[6]), "f"(x[7]), "f"(x[8]));
  unsigned short codes;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(x[9]), "f"(x[10]));
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(packed[2]) : "h"(codes));
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(codes) : "r"(packed[2]));
  static constexpr __nv_bfloat16 small = (__nv_bfloat16_raw{.x = 11996});
  const __nv_bfloat162 both(small, __float2bfloat16_rd(x[6]));
  packed[3] = __nv_cvt_bfloat16raw2_to_fp8x2(static_cast<__nv_bfloat162_raw>(both), __NV_SATFINITE, __NV_E4M3);
  x[2] = __high2float(__highs2bfloat162(both, __low2bfloat162(both)));
  x[3] = __bfloat162float(hlog2(both.x)) + __high2float(h2tanh(__hmax2_nan(both, both))) + __hbeq2(both, both);
  x[4] = __low2float(__hfma2_relu(both, __heq2(both, both), __lowhigh2highlow(both)));
  x[6] = __bfloat162float(__hmax_nan(both.x, small));
  x[5] = __half2float(hlog2(__float2half(x[6]))) + __half2float(htanh(__float2half(x[7])));
  x[1] = __fmul_rz(x[1], x[2]) + __fmaf_rd(x[3], x[4], x[5]) + codes;
  x[7] = __bfloat162float(static_cast<__nv_bfloat16>(__float2half(x[8]))) + static_cast<float>(__nv_fp8_e8m0(x[9]));
  const __nv_bfloat16 scale = __nv_cvt_e8m0_to_bf16raw(__nv_cvt_float_to_e8m0(x[8], __NV_NOSAT, cudaRoundPosInf));
  x[8] = __bfloat162float(scale) * cuda::std::isfinite(scale) * cuda::std::isnan(__float2half(x[9]));
}
"""


def test_floats_of_four_and_six_bits_and_rounding_modes_are_ported(
    tmp_path: Path,
) -> None:
    source, report = port_text(PACKED)
    assert report.blockers == ()
    assert list_errors(source, Dialect.HIP, tmp_path) == []


VECTORS_OF_HIP = """#include <kernelset/hip.h>
union Word { double d; float2 f2[2]; float4 f4; };
static_assert(std::is_trivially_copy_assignable_v<float2> && std::is_trivially_copyable_v<longlong4>);
__global__ void k(Word* to, const Word* from, float2* out, uchar4 bytes, long2 longs) {
  Word word;
  word = from[threadIdx.x];
  to[threadIdx.x] = word;
  float2 a = make_float2(1, 2), b = a * 2.0f + a;
  b.x += bytes.x + longs.y + make_float3(1, 2, 3).z + make_float1(3).x;
  constexpr float4 four(1, 2, 3, 4);
  out[0] = b;
  out[1] = {four.x, four.w};
  if (int2{3, 4} == make_int2(3, 4)) out[2] = float2(7.0f);
}
"""


def test_vectors_of_hip_are_copied_as_in_its_newer_headers(tmp_path: Path) -> None:
    assert list_errors(VECTORS_OF_HIP, Dialect.HIP, tmp_path) == []


OWN_OPERATORS = """#include <kernelset/hip.h>
#define SUBTRACT(T) \\
  __host__ __device__ inline T &operator-=(T &a, const T b) { \\
    a.x -= b.x; \\
    a.y -= b.y; \\
    return a; \\
  }
SUBTRACT(float2)
SUBTRACT(double2)
__host__ __device__ inline double2 &operator*=(double2 &a, const double2 b) {
  return a = make_double2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
__host__ __device__ inline double2 &operator+=(double2 &a, double b) { a.x += b; return a; }
template <typename T> __host__ __device__ T &operator/=(T &a, const T &b) { a.x /= b.x; return a; }
__host__ __device__ inline double2 operator-(const double2 &a) { return make_double2(-a.x, a.y); }
__global__ void k(double2 *z, float2 *f) {
  z[0] *= z[1];
  z[2] += 1.0;
  z[3] -= z[4];
  z[5] = -z[6];
  z[7] /= z[8];
  f[0] -= f[1];
}
"""


def test_operators_of_a_project_come_before_those_of_hip(tmp_path: Path) -> None:
    assert list_errors(OWN_OPERATORS, Dialect.HIP, tmp_path) == []


ALL_OPERATORS_OF_HIP = """#include <kernelset/hip.h>
__global__ void k(float2 *f, float3 *g, uint4 *u) {
  float2 a = f[0];
  a += f[1];
  a -= 1;
  ++a;
  f[2] = a-- * 2.0f + -(a += {1, 2});
  g[0] *= g[1] /= g[2];
  u[0] <<= u[1] |= u[2] ^= ~u[3];
  u[4] %= u[5] &= u[6] >>= u[7];
}
"""


def test_operators_of_hip_are_there_where_a_project_has_none(tmp_path: Path) -> None:
    assert list_errors(ALL_OPERATORS_OF_HIP, Dialect.HIP, tmp_path) == []


PATHS_TO_HALVES = """#include <kernelset/hip.h>
__global__ void k(__half2* pairs, __half* ones, const __half2* from) {
  pairs[0] = ::h2exp(from[0]);
  pairs[1] = h2rsqrt(from[1]);
  ones[0] = ::hsin(ones[1]);
  ones[2] = hexp(ones[3]) + ::htanh(ones[4]) + htanh(ones[5]);
  pairs[2] = ::h2tanh(from[2]);
}
"""


def test_functions_of_bfloat16_hide_none_of_halves(tmp_path: Path) -> None:
    assert list_errors(PATHS_TO_HALVES, Dialect.HIP, tmp_path) == []


TAKEN_APART = """
#include <kernelset/cuda.cuh>
__device__ int2 make_pair(int i) { return make_int2(i, i + 1); }
__global__ void k(int *x, float4 *v) {
  const auto [a, b] = make_pair(x[0]);
  auto &[p, q, r, s] = v[1];
  p = s;
  x[1] = a + b;
}
"""


def test_vectors_are_taken_apart_in_a_port_too(tmp_path: Path) -> None:
    source, _ = port_text(TAKEN_APART)

    assert list_errors(TAKEN_APART, Dialect.CUDA, tmp_path) == []
    assert list_errors(source, Dialect.HIP, tmp_path) == []
