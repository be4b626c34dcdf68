"""Kernel units of small projects: helpers of one name, prelude of torch, libraries that are
carried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.model import Kernel, Rung
from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of


def test_helpers_of_one_name_are_those_of_the_kernels_own_unit(
    project: Callable[..., Any],
) -> None:
    files = {
        "a/help.h": "__device__ int help() { return 11; }\n",
        "b/help.h": "__device__ int help() { return 22; }\n",
        "a/a.cu": '#include "help.h"\n__global__ void in_a(int* out) { out[0] = help(); }\n',
        "b/b.cu": '#include "help.h"\n__global__ void in_b(int* out) { out[0] = help(); }\n',
    }
    sources = {
        kernel.name: unit_of(kernel).source for kernel in project(files).kernels()
    }
    assert "return 11" in sources["in_a"]
    assert "return 22" not in sources["in_a"]
    assert "return 22" in sources["in_b"]


def test_a_unit_for_torch_has_its_prelude_and_types(
    project: Callable[..., Any],
) -> None:
    text = """#include <ATen/ATen.h>
template <typename scalar_t> __global__ void add(scalar_t* out) { gpuAtomicAdd(out, static_cast<scalar_t>(1)); }
void go(at::Tensor t) {
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(t.scalar_type(), "go", [&] { add<<<1, 1>>>(t.data_ptr<scalar_t>()); });
}
"""
    (kernel,) = project({"add.cu": text}).kernels()
    source = unit_of(kernel).source
    assert source.startswith("#include <kernelset/torch.cuh>\n")
    assert "ATen" not in source
    assert {instantiation.label for instantiation in kernel.instantiations} == {
        "float",
        "double",
        "half",
    }
    assert "add<c10::Half>;" in source


def test_a_kernel_that_launches_another_says_so_in_its_tags(
    project: Callable[..., Any],
) -> None:
    text = """__global__ void child(int* out) { out[0] = 1; }
__global__ void parent(int* out) { child<<<1, 1>>>(out); }
"""
    kernels = {kernel.name: kernel for kernel in project({"nested.cu": text}).kernels()}
    assert "uses:dynamic-parallelism" in kernels["parent"].tags
    assert [launch.enclosing for launch in kernels["child"].launches] == ["parent"]


def test_what_has_no_name_is_called_by_its_place_in_the_project(
    project: Callable[..., Any],
    index_kernels: Callable[..., dict[str, Kernel]],
) -> None:
    source = "enum { kLanes = 32 };\n__global__ void k(int* out) { *out = kLanes; }\n"
    kernel = index_kernels(project({"src/k.cu": source}).kernels())["k"]
    (dependency,) = unit_of(kernel).dependencies
    assert dependency == "(unnamed enum at src/k.cu:1:1)"


def test_a_library_that_the_project_carries_is_not_included_too(
    project: Callable[..., Any],
) -> None:
    carried = (
        "#pragma once\nnamespace cub { template <class T> struct Sum { T v; }; }\n"
    )
    text = """\
#include "cub/sum.cuh"
__global__ void add(float *x) { cub::Sum<float> s{x[0]}; x[1] = s.v; }
void run(float *x) { add<<<1, 1>>>(x); }
"""
    files = {"a.cu": text, "cub/sum.cuh": carried}
    [kernel] = project(files).kernels()
    assert "cub.cuh" not in unit_of(kernel).source
    assert "struct Sum" in unit_of(kernel).source


def test_who_only_specialises_a_library_includes_it(
    project: Callable[..., Any],
) -> None:
    text = """\
#include <cub/cub.cuh>
struct Half { short bits; };
namespace cub { template <> struct NumericTraits<Half> { static const bool known = true; }; }
__global__ void ask(int *x) { x[0] = cub::NumericTraits<Half>::known; }
void run(int *x) { ask<<<1, 1>>>(x); }
"""
    [kernel] = project({"a.cu": text}).kernels()
    assert "#include <cub/cub.cuh>" in unit_of(kernel).source


def test_a_kernel_that_is_defined_outside_of_its_namespace_brings_its_declaration(
    project: Callable[..., Any],
) -> None:
    header = """\
namespace maths { namespace detail {
template <class T> __global__ void halve(T *x, int n);
template <class T> __global__ void unused(T *x);
} }
"""
    text = """\
#include "halve.h"
template <class T>
__global__ void maths::detail::halve(T *x, int n) { if (n > 0) x[0] /= 2; }
void run(float *x) { maths::detail::halve<float><<<1, 1>>>(x, 1); }
"""
    [kernel] = project({"a.cu": text, "halve.h": header}).kernels()

    assert kernel.qualified_name == "maths::detail::halve"
    unit = unit_of(kernel)
    assert unit.rung is Rung.MINIMAL
    assert unit.attempts == ()
    assert "__global__ void halve(T *x, int n);" in unit.source
    assert "unused" not in unit.source
    assert "decltype(maths::detail::halve<float>)" in unit.source


def test_a_program_may_have_its_own_atomics_that_newer_devices_have(
    project: Callable[..., Any],
) -> None:
    text = """\
__device__ double atomicAdd(double *place, double v) { return *place += v; }
__device__ float atomicMax(float *place, float v) { return *place = v; }
__device__ unsigned long atomicAdd(unsigned long *place, unsigned long v) { return *place += v; }
__device__ long long atomicExch(long long *place, long long v) { return *place = v; }
__global__ void k(double *sum, float *most, unsigned long *count, long long *last) {
  atomicAdd(sum, 1); atomicMax(most, 2); atomicAdd(count, 3); atomicExch(last, 4);
}
void run(double *sum, float *most, unsigned long *count, long long *last) { k<<<1, 1>>>(sum, most, count, last); }
"""
    [kernel] = project({"a.cu": text}).kernels()
    unit = unit_of(kernel)

    assert (unit.rung, unit.attempts) == (Rung.MINIMAL, ())
    assert "double atomicAdd(double *place" in unit.source
    assert "unsigned long atomicAdd(unsigned long *place" in unit.source
    assert build_unit(unit, "sm_80").build.pass_call.message == ""
