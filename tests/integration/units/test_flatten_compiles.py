"""Template-free kernels compile in their templates' place, whatever the parameters are."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest

from crawler.dataset.texts.flatten import flatten_kernel, insert_into_unit
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import (
    CompileCommand,
    Dialect,
    FlagsOrigin,
    Instantiation,
    Kernel,
    Status,
)
from crawler.validate.build import build_unit

SOURCE = """#include <cstdint>
#define AS(x) static_cast<T>(x)
namespace ops {
enum class Mode : int { kNearest, kLinear };
template <typename T, typename U> struct Pair { using first = T; T a; U b; };
struct Twice { template <typename T> __device__ T operator()(T v) const { return v + v; } };
template <typename T, int N, bool kUp, Mode mode, typename Op>
__global__ void __launch_bounds__(N * 2) mixed(T* __restrict__ out, const T* in, Pair<T, int> p, int64_t n) {
  __shared__ T tile[N];
  typedef typename Pair<T, int>::first first;
#pragma unroll N
  for (int i = 0; i < N; ++i) tile[i] = T(in[i]) + T();
  if constexpr (kUp) out[n-N] = Op()(tile[N - 1]) + AS(1);
  if (mode == Mode::kLinear) out[0] = static_cast<first>(p.a) + sizeof(T) * N;
}
template <typename P, uint8_t S> __global__ void pointed(P a, P b) { const P c = b; *a = *c + S; }
template <typename T> __global__ void chosen(T* a) { a[0] = 0; }
template <> __global__ void chosen<int>(int* a) { a[0] = 1; }
}
template __global__ void ops::mixed<unsigned char, 4, true, ops::Mode::kLinear, ops::Twice>(
    unsigned char*, const unsigned char*, ops::Pair<unsigned char, int>, int64_t);
template __global__ void ops::pointed<float*, 3>(float*, float*);
template __global__ void ops::chosen<float>(float*);
"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Kernel, ...]:
    root = tmp_path_factory.mktemp("project")
    (root / "a.cu").write_text(SOURCE)
    command = CompileCommand(
        directory=".",
        file="a.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.SYNTHESISED,
    )
    return link_kernels([extract_unit_facts(root, command)])


@pytest.mark.apt("clang++-19")
@pytest.mark.parametrize("name", ["mixed", "pointed", "chosen"])
def test_it_compiles_where_its_template_stood(
    kernels: tuple[Kernel, ...], name: str
) -> None:
    for kernel in kernels:
        if kernel.name != name:
            continue
        assert kernel.unit, kernel.unit_problem
        (instantiation,) = kernel.instantiations
        alone = flatten_kernel(kernel, instantiation)
        text = insert_into_unit(alone, kernel)
        assert alone.name in text, alone.problem
        assert f"template __global__ decltype({kernel.qualified_name}" not in text
        unit = replace(
            kernel.unit,
            source=text,
            digest=hashlib.sha256(text.encode()).hexdigest(),
            kernel_name=f"ops::{alone.name}",
            instantiations=(Instantiation(arguments=(), label=""),),
        )
        made = build_unit(unit, "sm_80").build
        assert made.pass_call.status is Status.PASS, f"{made.pass_call.message}\n{text}"
        assert any(alone.name in symbol for symbol in made.symbols)
