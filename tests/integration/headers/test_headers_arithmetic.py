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
