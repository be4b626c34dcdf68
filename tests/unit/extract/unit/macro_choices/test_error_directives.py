"""Macros without which a source refuses to be compiled are chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.validate.build import build_unit

LOOPS = """template <class F> __global__ void for_each(int n, F f) {
#if defined(GRID_STRIDE)
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    f(i);
#elif defined(BLOCK_STRIDE)
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
#else
  #error "choose a stride"
#endif
}
void clear(float* x, int n) {
  for_each<<<1, 32>>>(n, [x] __device__(int i) { x[i] = 0; });
}
"""
TILE = """#ifndef TILE
#error "define TILE, the threads of a block"
#endif
__global__ void clear(float* x) { __shared__ float t[TILE]; t[0] = 1; x[0] = t[0]; }
"""
TWO = """#if defined(A) && defined(B)
#error "not both"
#endif
#if !defined(A)
#error "A is needed"
#endif
__global__ void clear(float* x) {
#if defined(A) && !defined(B)
  x[0] = 0;
#else
  x[0] = undeclared;
#endif
}
"""
HOPELESS = """#if __cplusplus < 209900L
#error "a later C++"
#endif
#define FIXED 1
#if FIXED == 1
#error "cannot be"
#endif
__global__ void clear(float* x) { x[0] = FIXED; }
"""


def compile_only(project: Callable[..., Any], source: str) -> str:
    (kernel,) = project({"k.cu": source}).kernels()
    verdict = build_unit(kernel.unit, "sm_80").build.pass_call
    assert verdict.status.value == "pass", verdict.message
    return str(kernel.unit.source)


def test_the_first_branch_that_is_no_refusal_is_taken(
    project: Callable[..., Any],
) -> None:
    source = compile_only(project, LOOPS)
    assert "i += gridDim.x * blockDim.x" in source


def test_what_must_be_defined_is(project: Callable[..., Any]) -> None:
    assert "TILE" in compile_only(project, TILE)


def test_choices_that_exclude_each_other_are_made_once(
    project: Callable[..., Any],
) -> None:
    assert "x[0] = 0;" in compile_only(project, TWO)


def test_what_nobody_may_choose_stays(project: Callable[..., Any]) -> None:
    assert "#define FIXED 1" in compile_only(project, HOPELESS)
