"""Kernel units: all that a kernel needs, in order, nothing else, and the same text wherever it
was found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import Kernel, KernelUnit
from tests.unit.extract.builders import unit_of

COMMON = """#pragma once
#include <cstdint>
#include <limits>
#define CUDA_CHECK(call) do { if ((call) != cudaSuccess) throw 1; } while (0)
#define TILE 16
#define TILE_AREA (TILE * TILE)
#ifdef WIDE
#define LANES 64
#else
#define LANES 32
#endif
#define UNUSED_MACRO 7
namespace shapes {
using index_t = int64_t;
struct Point { float x, y; };
struct Unused { int a; };
typedef struct { Point low, high; } Box;
enum Corner { kLow, kHigh = 5 };
enum class Mode : int { kNearest = 0, kLinear };
constexpr int kCorners = 4;
constexpr int kTwice = kCorners * 2;
static const float kScale = 0.5f;
__constant__ float weights[kCorners];
__device__ int counter;
inline int host_only(int v) { return v; }
template <typename T> __device__ __forceinline__ T squared(T v) { return v * v; }
__host__ __device__ inline float length(const Point& p) { return sqrtf(squared(p.x) + squared(p.y)); }
template <typename T> struct Accumulator { T sum = T(0); __device__ void add(T v) { sum += v; } };
template <> struct Accumulator<int> { long sum = 0; __device__ void add(int v) { sum += v; } };
__device__ float unrelated(float v) { return v; }
}
"""
KERNELS = """#include <iostream>
#include <vector>
#include "common.h"
using shapes::Point;
namespace sh = shapes;
namespace ops {
__device__ float late(const Point& p);
namespace detail { __device__ float scaled(float v) { return v * shapes::kScale; } }
__device__ float late(const Point& p) { return detail::scaled(shapes::length(p)); }
template <typename T>
__global__ void __launch_bounds__(TILE_AREA) distances(T* out, const Point* in, sh::index_t n) {
  // a comment with unrelated( in it
  const char* text = "unrelated(";
  sh::Accumulator<T> total;
  for (int lane = 0; lane < LANES; ++lane) total.add(T(late(in[lane])) + T(shapes::weights[shapes::kLow]));
  if (n < std::numeric_limits<int>::max()) out[0] = total.sum + shapes::kTwice;
}
__global__ void boxes(shapes::Box* out, shapes::Mode mode) {
  if (mode == shapes::Mode::kLinear) atomicAdd(&shapes::counter, 1);
}
__global__ void calls_nothing(int* out) { out[0] = 1; }
}
void host(float* out, Point* in) {
  std::vector<int> sizes{shapes::host_only(3)};
  CUDA_CHECK(cudaGetLastError());
  std::cout << sizes.size();
  ops::distances<float><<<1, TILE_AREA>>>(out, in, sizes[0]);
}
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"common.h": COMMON, "kernels.cu": KERNELS}).kernels())


@pytest.fixture(scope="module")
def distances(kernels: dict[str, Kernel]) -> KernelUnit:
    return unit_of(kernels["ops::distances"])


NEEDED = (
    "late",
    "scaled",
    "length",
    "squared",
    "Point",
    "kScale",
    "kTwice",
    "kCorners",
    "weights",
    "index_t",
    "kLow",
)


@pytest.mark.parametrize(
    "name", [*NEEDED, "Accumulator<int>", "TILE_AREA", "TILE", "LANES"]
)
def test_what_a_kernel_needs_is_there_through_any_number_of_steps(
    distances: KernelUnit, name: str
) -> None:
    assert name in distances.source


ABSENT = (
    "UNUSED_MACRO",
    "Unused",
    "host_only",
    "CUDA_CHECK",
    "vector",
    "iostream",
    "Box",
    "Mode",
    "counter",
    "host",
)


@pytest.mark.parametrize("name", [*ABSENT, "<<<", "boxes", "calls_nothing", "common.h"])
def test_what_it_does_not_need_is_not(distances: KernelUnit, name: str) -> None:
    assert not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", distances.source)


def test_names_in_comments_and_strings_are_no_needs(distances: KernelUnit) -> None:
    assert "float unrelated(" not in distances.source


def test_only_the_macros_that_the_preprocessor_took_are_there(
    distances: KernelUnit,
) -> None:
    assert "#define LANES 32" in distances.source
    assert "#define LANES 64" not in distances.source


def test_a_macro_of_the_command_line_decides(project: Callable[..., Any]) -> None:
    planted = project({"common.h": COMMON, "kernels.cu": KERNELS}, "-DWIDE")
    kernel = next(
        candidate for candidate in planted.kernels() if candidate.name == "distances"
    )
    assert "#define LANES 64" in unit_of(kernel).source
    assert "#define LANES 32" not in unit_of(kernel).source


@pytest.mark.parametrize(
    ("use", "is_there"), [("check::size", False), ("check(4)", True), ("MEAN", True)]
)
def test_a_macro_with_parameters_is_no_namespace_of_its_name(
    project: Callable[..., Any], use: str, is_there: bool
) -> None:
    text = (
        "namespace check { constexpr int size = 3; }\n#define check(n) (n + 1)\n"
        f"#define MEAN check(2)\n__global__ void k(int* out) {{ out[0] = {use}; }}\n"
    )
    (kernel,) = project({"k.cu": text}).kernels()
    assert ("#define check(n)" in unit_of(kernel).source) is is_there


def test_a_macro_that_only_the_command_line_defines_is_in_the_unit(
    project: Callable[..., Any],
) -> None:
    text = "__global__ void k(int* out) { out[0] = WIDTH + DEPTH; }\n"
    (kernel,) = project(
        {"k.cu": text}, "-DWIDTH=48", "-D", "DEPTH", "-DOTHER=1"
    ).kernels()
    source = unit_of(kernel).source
    assert "#define WIDTH 48\n" in source
    assert "#define DEPTH 1\n" in source
    assert "OTHER" not in source


def test_declarations_keep_their_order_and_their_namespaces(
    distances: KernelUnit,
) -> None:
    order = [
        distances.source.index(text)
        for text in ("struct Point", "kCorners = 4", "kTwice =", "T squared(", "late(")
    ]
    assert order == sorted(order)
    assert re.search(
        r"namespace ops \{\s[^}]*\s*namespace detail \{\s*__device__ float scaled",
        distances.source,
    )
    assert distances.source.index(
        "__device__ float late(const Point& p);"
    ) < distances.source.index("return detail::")


def test_a_unit_begins_with_its_prelude_and_ends_with_its_instantiations(
    distances: KernelUnit,
) -> None:
    lines = distances.source.splitlines()
    assert lines[0] == "#include <kernelset/cuda.cuh>"
    assert "#include <limits>" in lines
    assert (
        lines[-1]
        == "template __global__ decltype(ops::distances<float>) ops::distances<float>;"
    )
    assert distances.kernel_name == "ops::distances"
    assert {name for name in distances.dependencies if "squared" in name}


def test_typedefs_and_enumerations_are_written_once(kernels: dict[str, Kernel]) -> None:
    source = unit_of(kernels["ops::boxes"]).source
    assert source.count("typedef struct") == 1
    assert source.count("enum class Mode") == 1
    assert "__device__ int counter;" in source
    assert "weights" not in source


def test_a_kernel_that_needs_nothing_has_nothing(kernels: dict[str, Kernel]) -> None:
    source = unit_of(kernels["ops::calls_nothing"]).source
    expected = "__global__ void calls_nothing(int* out) { out[0] = 1; }"
    lines = [
        line for line in source.splitlines() if line and not line.startswith("using ")
    ]
    assert lines == ["#include <kernelset/cuda.cuh>", "namespace ops {", expected, "}"]


def test_no_unit_names_a_place_of_this_machine(project: Callable[..., Any]) -> None:
    planted = project({"common.h": COMMON, "kernels.cu": KERNELS})
    for kernel in planted.kernels():
        assert str(planted.root) not in unit_of(kernel).source


def test_forks_at_other_paths_share_their_units(
    project: Callable[..., Any],
    index_kernels: Callable[..., dict[str, Kernel]],
    kernels: dict[str, Kernel],
) -> None:
    moved = {
        "src/deep/inc/common.h": COMMON,
        "src/deep/ops/kernels.cu": "\n\n"
        + KERNELS.replace('"common.h"', '"../inc/common.h"'),
    }
    fork = index_kernels(project(moved).kernels())
    assert {
        name: unit_of(kernel_of_fork).digest for name, kernel_of_fork in fork.items()
    } == {name: unit_of(kernel).digest for name, kernel in kernels.items()}
    assert fork["ops::distances"].span != kernels["ops::distances"].span


def test_another_text_has_another_digest_and_layout_alone_the_same_tokens(
    project: Callable[..., Any], distances: KernelUnit
) -> None:
    def assemble_changed(old: str, new: str) -> KernelUnit:
        planted = project({"common.h": COMMON.replace(old, new), "kernels.cu": KERNELS})
        return unit_of(
            next(kernel for kernel in planted.kernels() if kernel.name == "distances")
        )

    other = assemble_changed("kCorners = 4", "kCorners = 8")
    assert other.digest != distances.digest
    assert other.token_digest != distances.token_digest
    laid_out = assemble_changed("kCorners = 4", "kCorners  =  /* four */ 4")
    assert laid_out.digest != distances.digest
    assert laid_out.token_digest == distances.token_digest
    elsewhere = assemble_changed("UNUSED_MACRO 7", "UNUSED_MACRO 8")
    assert elsewhere.digest == distances.digest
