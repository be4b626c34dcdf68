"""Arithmetic that CUDA's headers have beyond the language compiles for each type that they take."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from tests.integration.headers.header_errors import list_errors

pytestmark = pytest.mark.apt

DOT_PRODUCTS = """
#include <kernelset/cuda.cuh>
__global__ void k(int *x, char4 a, uchar4 b, short2 c, ushort2 d) {
  x[0] = __dp4a(a, a, 1) + __dp4a(b, b, 1u) + __dp4a(x[1], x[2], x[3]);
  x[4] = __dp2a_lo(c, a, 1) + __dp2a_hi(d, b, 1u) + __dp2a_hi(x[1], x[2], x[3]);
}
"""


def test_dot_products_take_vectors_and_words(tmp_path: Path) -> None:
    assert list_errors(DOT_PRODUCTS, Dialect.CUDA, tmp_path, arch="sm_80") == []


BITS = """
#include <kernelset/libcudacxx.h>
static_assert(cuda::std::bit_ceil(5u) == 8 && cuda::std::bit_ceil(8u) == 8 && cuda::std::bit_ceil(0u) == 1, "");
static_assert(cuda::std::bit_floor(5u) == 4 && cuda::std::bit_width(8u) == 4 && cuda::std::bit_width(0u) == 0, "");
static_assert(cuda::std::countl_zero((unsigned char)1) == 7 && cuda::std::countl_zero(0ull) == 64, "");
static_assert(cuda::std::countr_zero(8u) == 3 && cuda::std::popcount(7u) == 3 && !cuda::std::has_single_bit(6u), "");
__global__ void k(unsigned *x) { x[0] = cuda::std::bit_ceil(x[1]) + cuda::std::popcount(x[2]); }
"""


def test_bits_are_counted_as_in_the_standard(tmp_path: Path) -> None:
    assert list_errors(BITS, Dialect.CUDA, tmp_path) == []


FLOAT_FUNCTIONS = """
template <typename T> __device__ void fill(T *x, T *y) {
  sincos(x[0], x, y);
  sincospi(2.0 * x[1], x + 1, y + 1);
  sincos(0.5f, x + 2, y + 2);
}
__global__ void k(float *a, double *b) {
  fill(a, a + 8);
  fill(b, b + 8);
}
"""
FLOAT_CALLS = [
    *("cospi(x[0])", "cyl_bessel_i0(x[0])", "cyl_bessel_i1(x[0])", "erfcinv(x[0])"),
    *("erfcx(x[0])", "erfinv(x[0])", "exp10(x[0])", "j0(x[0])", "j1(x[0])"),
    *("jn(2, x[0])", "normcdf(x[0])", "normcdfinv(x[0])", "rcbrt(x[0])", "rsqrt(x[0])"),
    *("sinpi(x[0])", "y0(x[0])", "y1(x[0])", "yn(2, x[0])"),
]
PRELUDES = {
    Dialect.CUDA: "#include <kernelset/cuda.cuh>\n",
    Dialect.HIP: "#include <kernelset/hip.h>\n",
}


@pytest.mark.parametrize("dialect", list(PRELUDES))
def test_sine_and_cosine_at_once_are_there_for_float(
    dialect: Dialect, tmp_path: Path
) -> None:
    assert list_errors(PRELUDES[dialect] + FLOAT_FUNCTIONS, dialect, tmp_path) == []


@pytest.mark.parametrize("dialect", list(PRELUDES))
def test_a_projects_own_overload_for_float_is_the_better_one(
    dialect: Dialect, tmp_path: Path
) -> None:
    own = (
        "__device__ inline void sincos(float x, float *s, float *c)"
        " { sincosf(x, s, c); }\n"
    )
    text = PRELUDES[dialect] + own + FLOAT_FUNCTIONS
    assert list_errors(text, dialect, tmp_path) == []


@pytest.mark.parametrize("call", FLOAT_CALLS)
def test_a_function_of_a_float_is_computed_in_float(call: str, tmp_path: Path) -> None:
    of_literal = call.replace("x[0]", "1.0f")
    text = (
        PRELUDES[Dialect.CUDA]
        + f'static_assert(sizeof({of_literal}) == sizeof(float), "");\n'
        + f"__global__ void k(float *x) {{ x[0] = {call}; }}\n"
    )
    assert list_errors(text, Dialect.CUDA, tmp_path) == []


@pytest.mark.parametrize("dialect", list(PRELUDES))
def test_a_literal_may_touch_the_macro_behind_it(
    dialect: Dialect, tmp_path: Path
) -> None:
    text = """
#define KIND "kernel"
__global__ void k(int *x) { if (x[0]) printf("in a "KIND" with %d\\n", x[0]); }
"""
    assert list_errors(PRELUDES[dialect] + text, dialect, tmp_path) == []
