"""Classes whose constructors do something, in shared memory: nvcc compiles these kernels."""

from __future__ import annotations

import pytest

from crawler.extract.ladder.unit_check import find_unit_errors
from crawler.model import Dialect, Rung
from tests.unit.extract.ladder.conftest import ParseProject, join_text

pytestmark = pytest.mark.apt("clang-19")

VOXEL = "struct Voxel { float distance = 1; int site; __device__ Voxel() {} };"
PLAIN = """__global__ void k(float *x) {
  __shared__ Voxel tile[4][2], last;
  tile[threadIdx.x][0].distance = x[0];
  last.site = 1;
  x[1] = tile[0][0].distance;
}"""
TEMPLATE = """template <class T> __global__ void k(T *x) {
  static __shared__ typename Of<T>::Kind tile
      [4];
  tile[threadIdx.x].distance = x[0];
}"""
OF = "template <class T> struct Of { using Kind = Voxel; };"


def test_memory_of_a_kernel_is_left_as_it_is(parse_project: ParseProject) -> None:
    kernel = parse_project(f"{VOXEL}\n{PLAIN}\n").kernels["k"]
    assert kernel.closure is not None
    assert kernel.closure.rung is Rung.MENDED
    assert "initialization" in kernel.closure.attempts[0]

    text = f"#include <kernelset/cuda.cuh>\n{join_text(kernel.closure)}"
    assert "using tile_shared = Voxel[4][2];" in text
    assert find_unit_errors(text, Dialect.CUDA, "c++17", "<kernelset/cuda.cuh>") == ()


def test_memory_of_a_template_is_left_as_it_is(parse_project: ParseProject) -> None:
    launch = "void f(float *x) { k<<<1, 4>>>(x); }"
    project = parse_project(f"{VOXEL}\n{OF}\n{TEMPLATE}\n{launch}\n")
    closure = project.kernels["k"].closure
    assert closure is not None
    assert closure.rung is Rung.MENDED
    assert "using tile_shared = typename Of<T>::Kind" in join_text(closure)


def test_what_is_initialised_with_arguments_stays_an_error(
    parse_project: ParseProject,
) -> None:
    wrong = PLAIN.replace("tile[4][2], last", "last(1), tile[4][2]")
    closure = parse_project(f"{VOXEL}\n{wrong}\n").kernels["k"].closure
    assert closure is not None
    assert "tile_shared" not in join_text(closure)
