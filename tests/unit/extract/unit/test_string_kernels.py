from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.string_kernels import find_string_kernels
from crawler.model import CompileCommand, Dialect, FlagsOrigin, KernelFacts, Layer

Plant = Callable[..., Any]
RAW = r'''
import cupy

add = cupy.RawKernel(r"""
#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(256) add_one(float* x, const int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}
""", "add_one")
'''


def kernels(text: str, path: str = "a.py") -> list[KernelFacts]:
    return list(find_string_kernels(SourceText(path, text.encode())))


def names(text: str, path: str = "a.py") -> list[str]:
    return [kernel.name for kernel in kernels(text, path)]


def test_a_raw_kernel_is_found_where_it_stands() -> None:
    [kernel] = kernels(RAW)
    assert (kernel.name, kernel.found_by, kernel.dialect) == (
        "add_one",
        Layer.STRING,
        Dialect.CUDA,
    )
    assert (kernel.span.line, kernel.span.end_line) == (6, 9)
    assert (
        RAW.encode()[kernel.span.offset : kernel.span.end_offset].decode()
        == kernel.source
    )
    assert kernel.attributes == ('extern "C"', "__launch_bounds__(256)")
    assert [(parameter.name, parameter.type) for parameter in kernel.parameters] == [
        ("x", "float*"),
        ("n", "const int"),
    ]
    assert "when it runs" in kernel.reason


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        (
            "load_inline('m', cuda_sources=['__global__ void k(int* a) { *a = 1; }'])",
            ["k"],
        ),
        (
            "s = '__global__ void k(int* a)\\n{\\n*a = 1;\\n}\\n__global__ void l() {}'",
            ["k", "l"],
        ),
        (
            "s = ('template<typename T> __global__ '\n     'void k(T* a) {'\n     '}')",
            ["k"],
        ),
        ("s = f'__global__ void k_{n}(int* a) {{ *a = {value}; }}'", ["k_{n}"]),
        (
            "s = '__global__ void {name}(int* a) {{ *a = 1; }}'.format(name=n)",
            ["{name}"],
        ),
        (
            "s = string.Template('__global__ void ${name}(${params}) { ${body} }')",
            ["${name}"],
        ),
        ("s = '__global__ void %s(int* a) { *a = 1; }' % n", ["%s"]),
        ("s = '__global__ void %(name)s(int* a) { *a = 1; }' % d", ["%(name)s"]),
        ("s = '__global__ void ' + name + '(int* a) { *a = 1; }'", ["{name}"]),
        ("s = '${types}\\n${preamble}\\n__global__ void k() {}'", ["k"]),
    ],
)
def test_a_kernel_that_is_put_together_is_found_as_far_as_the_text_holds_it(
    text: str, kernels: list[str]
) -> None:
    assert names(text) == kernels


@pytest.mark.parametrize(
    "text",
    [
        '"""Docs: __global__ void k() {}"""',
        "# __global__ void k() {}",
        "s = 'calling __global__ function from __global__ function is not allowed'",
        "s = '__global__ void k(int* a);'",
        "code.replace('__global__', '__device__')",
        "k = cupy.ElementwiseKernel('T x', 'T y', 'y = x', 'k')",
        "s = '#define K(n) __global__ void n() {}'",
    ],
)
def test_what_defines_no_kernel_gives_none(text: str) -> None:
    assert not names(text)


def test_the_span_of_a_kernel_leaves_out_what_is_filled_in_before_it() -> None:
    [kernel] = kernels("s = '''${types}\n  ${preamble}\n  __global__ void k() {}\n'''")
    assert kernel.source == "__global__ void k() {}"


def test_a_kernel_of_fields_keeps_them_and_loses_the_doubled_braces() -> None:
    [kernel] = kernels("s = f'__global__ void k(int* a) {{ *a = {value}; }}'")
    assert kernel.source == "__global__ void k(int* a) { *a = {value}; }"


def test_a_name_that_is_filled_in_is_said_so() -> None:
    [kernel] = kernels("s = '__global__ void {name}() {{ }}'")
    assert "its name too" in kernel.reason


def test_the_dialect_is_that_of_the_text_and_hip_where_the_file_names_nothing_else() -> (
    None
):
    hip = "s = '#include <hip/hip_runtime.h>\\n__global__ void k() {}'"
    assert kernels(hip)[0].dialect is Dialect.HIP
    assert (
        kernels("import hipBLAS\ns = '__global__ void k() {}'")[0].dialect
        is Dialect.HIP
    )
    assert (
        kernels("import cupy, hipBLAS\ns = '__global__ void k() {}'")[0].dialect
        is Dialect.CUDA
    )
    assert (
        kernels("import hipBLAS, cublasLt\ns = '__global__ void k() {}'")[0].dialect
        is Dialect.CUDA
    )


def test_raw_strings_of_cpp_are_read_and_its_own_kernels_are_not() -> None:
    text = 'const char* s = R"(__global__ void k(int* a) { *a = 1; })";\n__global__ void own() {}\n'
    assert names(text, "a.cpp") == ["k"]
    assert names('auto s = "__global__ void "\n  "k() {\\n"\n  "}";', "a.h") == ["k"]


def test_a_host_source_is_read_for_its_strings_only(tmp_path: Path) -> None:
    (tmp_path / "a.pyx").write_text(RAW)
    command = CompileCommand(
        directory=".",
        file="a.pyx",
        arguments=(),
        dialect=None,
        origin=FlagsOrigin.SYNTHESISED,
    )
    facts = extract_unit_facts(tmp_path, command)
    [kernel] = link_kernels([facts])
    assert (kernel.name, kernel.found_by) == ("add_one", Layer.STRING)
    assert kernel.unit
    assert facts.files == ("a.pyx",)


def test_a_launch_never_reaches_a_kernel_in_a_string(project: Plant) -> None:
    planted = project(
        {
            "a.cu": 'const char* s = "__global__ void k(int* a) { }";\n'
            "extern __global__ void k(int* a);\nvoid go(int* a) { k<<<1, 1>>>(a); }\n"
        }
    )
    [kernel] = planted.kernels()
    assert (kernel.found_by, kernel.launches) == (Layer.STRING, ())


def test_a_file_of_kernels_that_never_end_is_bounded() -> None:
    text = "s = '''" + "__global__ void k() {\n" * 20_000 + "'''"
    assert sum(len(kernel.source) for kernel in kernels(text)) <= 64 << 20


COMPLETE = '''
from cupyx import jit
import cupy

module = cupy.RawModule(code=r"""
__constant__ float scale[4];
#define STEP 2
struct Point { float x, y; };
__device__ float length(Point p) { return sqrtf(p.x * p.x + p.y * p.y); }
__device__ int unused(int v) { return v; }
extern "C" __global__ void lengths(const Point* in, float* out, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * STEP;
  if (i < n) out[i] = length(in[i]) * scale[0];
}
template <typename T> __global__ void twice(T* x) { x[threadIdx.x] *= 2; }
""", options=("-std=c++17",))
half_done = cupy.RawKernel("__global__ void later(float* x) { x[0] = ${value}; }", "later")
broken = cupy.RawKernel("__global__ void broken(float* x) { for (", "broken")
'''


def test_a_complete_text_gives_a_unit(project: Plant) -> None:
    planted = project({"raw.py": COMPLETE})
    command = CompileCommand(
        directory=".",
        file="raw.py",
        arguments=(),
        dialect=None,
        origin=FlagsOrigin.SYNTHESISED,
    )
    kernels = {
        kernel.name: kernel
        for kernel in link_kernels([extract_unit_facts(planted.root, command)])
    }
    lengths, twice = kernels["lengths"], kernels["twice"]
    assert (lengths.found_by, lengths.span.path, lengths.unit_problem) == (
        Layer.STRING,
        "raw.py",
        "",
    )
    assert lengths.unit
    assert "struct Point" in lengths.unit.source
    assert "#define STEP 2" in lengths.unit.source
    assert "unused" not in lengths.unit.source
    assert [
        (variable.name, variable.kind, variable.span.path, variable.span.line)
        for variable in lengths.state
    ] == [("scale", "constant", "raw.py", 6)]
    assert [parameter.canonical_type for parameter in lengths.parameters] == [
        "const Point *",
        "float *",
        "int",
    ]
    assert twice.unit
    assert [instantiation.label for instantiation in twice.instantiations] == [
        "float",
        "double",
    ]
    assert kernels["later"].unit is None
    assert kernels["later"].unit_problem.startswith("placeholders: ")


def test_a_long_line_of_underscores_costs_no_more_than_its_length() -> None:
    text = "s = '''__global__ void k(float* x) { ${body} }\n" + "_" * 200_000 + "x\n'''"
    assert names(text) == ["k"]
