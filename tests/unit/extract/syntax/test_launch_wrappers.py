"""Kernels that are handed on: to a function that launches them, with functions among their
template arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.demangle import demangle_symbol, spell_function_arguments
from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import Kernel

HANDED_ON = """#include <utility>
namespace mma { template <class T> struct tile { T x; }; }
using namespace mma;
struct sizes { using each = tile<float>; };
typedef void (*copy_t)(const char* from, char* to);
template <class S, class D> static __device__ void copy(const char* from, char* to) { *(D*)to = D(*(const S*)from); }
template <copy_t one> static __global__ void copied(const char* from, char* to, long n) { one(from, to); }
__global__ void tiled(sizes::each* out, int n) { out[n].x = 1; }
struct Shape { dim3 grid, block; };
template <class K, class... Args> static void launch(K kernel, const Shape& shape, Args&&... args) {
  kernel<<<shape.grid, shape.block>>>(std::forward<Args>(args)...);
}
template <class K, class... Args> static void timed(K kernel, int count, Args&&... args) {
  launch(kernel, Shape{dim3(count), dim3(32)}, std::forward<Args>(args)...);
}
template <class S, class D> void copy_all(const char* a, char* b, long n) {
  launch(copied<copy<S, D>>, Shape{dim3(n), dim3(64)}, a, b, n);
}
void host(char* a, sizes::each* tiles) {
  copy_all<float, int>(a, a, 7);
  copy_all<float, double>(a, a, 8);
  timed(tiled, 9, tiles, 2 * 3);
}
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any],
    index_kernels: Callable[[Iterable[Kernel]], dict[str, Kernel]],
) -> dict[str, Kernel]:
    return index_kernels(project({"a.cu": HANDED_ON}).kernels())


def test_a_function_among_template_arguments_has_its_own(
    kernels: dict[str, Kernel],
) -> None:
    spelled = {
        instantiation.arguments for instantiation in kernels["copied"].instantiations
    }
    assert spelled == {("&copy<float, int>",), ("&copy<float, double>",)}


def test_arguments_are_those_of_the_call_that_hands_a_kernel_on(
    kernels: dict[str, Kernel],
) -> None:
    (launch,) = kernels["copied"].launches
    assert launch.argument_map == (("from", "a"), ("to", "b"), ("n", "n"))
    (through_two,) = kernels["tiled"].launches
    assert through_two.argument_map == (("out", "tiles"), ("n", "2 * 3"))


def test_a_configuration_is_that_of_the_call_that_hands_a_kernel_on(
    kernels: dict[str, Kernel],
) -> None:
    (launch,) = kernels["copied"].launches
    assert (launch.grid, launch.block) == ("dim3(n)", "dim3(64)")
    (through_two,) = kernels["tiled"].launches
    assert (through_two.grid, through_two.block) == ("dim3(count)", "dim3(32)")


@pytest.mark.parametrize(
    "shape_declaration",
    [
        "const Shape made = Shape(blocks, each, each * sizeof(float));",
        "Shape made = {blocks, each, each * sizeof(float)};",
        "Shape made(blocks, each, each * sizeof(float));",
    ],
)
def test_a_configuration_that_a_value_holds_is_what_that_was_made_of(
    project: Callable[..., Any],
    index_kernels: Callable[[Iterable[Kernel]], dict[str, Kernel]],
    shape_declaration: str,
) -> None:
    text = """struct Shape {
  dim3 blocks, threads; long bytes;
  Shape(dim3 b, dim3 t, long s) : blocks(b), threads(t), bytes(s) {}
};
__global__ void fill(float* x, int n) { x[n] = 1; }
template <class K, class... Args> void run(K kernel, const Shape& shape, Args... args) {
  kernel<<<shape.blocks, shape.threads, shape.bytes>>>(args...);
}
void host(float* x, int rows) {
  const int each = 128;
  const dim3 blocks((rows + each - 1) / each, 2);
  MADE
  run(fill, made, x, rows);
}
"""
    (launch,) = index_kernels(
        project({"a.cu": text.replace("MADE", shape_declaration)}).kernels()
    )["fill"].launches
    assert (launch.grid, launch.block, launch.shared_bytes) == (
        "blocks",
        "each",
        "each * sizeof(float)",
    )
    assert "const dim3 blocks((rows + each - 1) / each, 2);" in launch.setup
    assert "const int each = 128;" in launch.setup


def test_a_namespace_is_opened_where_its_project_opens_it(
    kernels: dict[str, Kernel],
) -> None:
    unit = kernels["tiled"].unit
    assert unit is not None
    lines = unit.source.splitlines()
    assert lines.index("using namespace mma;") < lines.index(
        "struct sizes { using each = tile<float>; };"
    )


def test_functions_are_spelled_in_full_however_deep() -> None:
    demangled = [
        "&(void ns::blocks<&(int one(void const*, long)), 32>(char const*, char*))",
        "float",
    ]
    assert spell_function_arguments(("&blocks", "float"), demangled) == (
        "&ns::blocks<&one, 32>",
        "float",
    )
    assert spell_function_arguments(("&blocks",), demangled) == ("&blocks",)
    assert demangle_symbol("no mangled name") == ""


def test_only_a_parameter_that_is_launched_is_handed_on(tmp_path: Path) -> None:
    text = """template <class K, class... A> void launch(int stream, K kernel, A... args) {
  kernel<<<1, 1, 0, stream>>>(args...);
}
template <class K> void again(K kernel, int* x) { launch(0, kernel, x); }
template <class K> void Op<K>::Run(int stream, int* x) { launch(stream, fill<K>, x); }
template <class Op> __global__ void fill(int* x) { Op::Run(0, x); }
"""
    (tmp_path / "a.cu").write_text(text)
    assert UnitText(SourceFiles(tmp_path), ("a.cu",)).launch_wrappers.names == {
        "launch",
        "again",
    }
