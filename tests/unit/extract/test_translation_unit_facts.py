"""Which kernels are found, by which layer and why, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.clang.signature import extract_template_head
from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import (
    Dialect,
    InstantiationOrigin,
    Kernel,
    Layer,
    Parameter,
    TemplateParameter,
)

KINDS = r"""
#define DEF_K(T) __global__ void made_##T(T* out) { out[threadIdx.x] = T(1); }
DEF_K(float)
DEF_K(double)
#define KERNEL __global__
KERNEL void aliased(int* out) { out[0] = 1; }
#define KERNEL_DEF(name) extern "C" __global__ void name
KERNEL_DEF(named_by_macro)(int* out) { out[0] = 2; }
constexpr int kThreads = 128;
#define MIN_BLOCKS 2
__launch_bounds__(kThreads * 2, MIN_BLOCKS + (1)) __global__ void bounds_before(int* out) { out[0] = 3; }
__global__ __launch_bounds__(kThreads) void bounds_after(int* out) { out[0] = 3; }
__attribute__((noinline)) static __global__ void attributed(int* out) { out[0] = 4; }
namespace outer { namespace { namespace inner {
__global__ void hidden(int* out) { out[0] = 5; }
} } }
namespace a::b { __global__ void deep(int* out) { out[0] = 5; } }
extern "C" __global__ void c_linkage(int* out) { out[0] = 6; }
extern "C" { __global__ void c_block(int* out) { out[0] = 7; } }
#ifdef __CUDA_ARCH__
__global__ void device_only(int* out) { out[0] = 10; }
#endif
#if __CUDA_ARCH__ >= 530
__global__ void new_arch(int* out) { out[0] = 10; }
#endif
#if 0
__global__ void dead(int* out) { out[0] = 11; }
#elif defined(NEVER)
__global__ void left_out(int* out) { out[0] = 11; }
#endif
// __global__ void commented(int* out) { }
const char* text = "__global__ void quoted(int* out) { }";
const char* raw = R"(__global__ void raw_quoted(int* out) { })";
__global__ void declared_only(int* out);
__global__ void later(int* out);
__global__ void later(int* out) { out[0] = 14; }
__global__ void broken(Missing* out) { out[0] = 15; }
__global__ void after_broken(int* out) { out[0] = 16; }
inline __global__ void inlined(int* out) { out[0] = 17; }
auto __global__ trailing(int* out) -> void { out[0] = 19; }
[[maybe_unused]] __global__ void attr11(int* out) { out[0] = 20; }
__global__ void __cluster_dims__(2, 1, 1) clustered(int* out) { out[0] = 21; }
template <int N, template <typename> class C, typename... Ts>
__global__ void variadic(Ts*... out) { }
template <typename T>
#if defined(WIDE)
__global__ void head(T* out, int wide)
#else
__global__ void head(T* out)
#endif
{ out[0] = T(2); }
struct Holder {
  static const int kN = 4;
  static __global__ void member(int* out) { out[0] = kN; }
  template <typename T> static __global__ void member_template(T* out) { out[0] = T(kN); }
};
void uses(double* out) { Holder::member_template<<<1, 1>>>(out); }
template <typename T> struct Generic { static __global__ void of_template(T* out) { out[0] = T(1); } };
template <typename scalar_t, int kSize = 4, bool>
__global__ void described(scalar_t* __restrict__ out, const float* in, int n, const int& ref, float4 v) { }
"""
TWICE = """
template <typename T> __global__ void special(T* out) { out[0] = T(1); }
template <> __global__ void special<double>(double* out) { out[0] = 2.0; }
__global__ void overloaded(int* out) { out[0] = 8; }
__global__ void overloaded(float* out) { out[0] = 9; }
#ifdef USE_IT
__global__ void branch(int* out) { out[0] = 12; }
#else
__global__ void branch(float* out) { out[0] = 13; }
#endif
"""


@pytest.fixture(scope="module")
def kinds(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"kinds.cu": KINDS}).kernels())


BY_AST = {
    *(
        "made_float",
        "made_double",
        "aliased",
        "named_by_macro",
        "bounds_before",
        "bounds_after",
        "attributed",
    ),
    *(
        "outer::inner::hidden",
        "a::b::deep",
        "c_linkage",
        "c_block",
        "device_only",
        "new_arch",
        "later",
        "broken",
    ),
    *(
        "after_broken",
        "inlined",
        "trailing",
        "attr11",
        "clustered",
        "variadic",
        "head",
        "Holder::member",
    ),
    *("Holder::member_template", "Generic::of_template", "described"),
}
BY_SYNTAX = {
    "left_out": "in a branch of #if that this unit leaves out",
}
IN_STRINGS = dict.fromkeys(
    ("quoted", "raw_quoted"), "in a string that the program compiles when it runs"
)


def test_every_definition_is_found_once_and_nothing_else(
    kinds: dict[str, Kernel],
) -> None:
    assert set(kinds) == BY_AST | set(BY_SYNTAX) | set(IN_STRINGS)


def test_each_says_which_layer_found_it_and_why(kinds: dict[str, Kernel]) -> None:
    assert {
        name for name, kernel in kinds.items() if kernel.found_by is Layer.AST
    } == BY_AST
    assert {
        name: kernel.reason for name, kernel in kinds.items() if kernel.reason
    } == BY_SYNTAX | IN_STRINGS


def test_the_source_is_verbatim_at_its_span(kinds: dict[str, Kernel]) -> None:
    for kernel in kinds.values():
        span = kernel.span
        assert KINDS[span.offset : span.end_offset] == kernel.source
        assert KINDS[: span.offset].count("\n") + 1 == span.line
        assert kernel.source.count("\n") == span.end_line - span.line
        if not kernel.name.startswith("made_"):
            assert kernel.source.endswith("}")
            assert kernel.name in kernel.source


def test_a_kernel_that_a_macro_makes_stands_where_the_macro_is_used(
    kinds: dict[str, Kernel],
) -> None:
    assert kinds["made_float"].source == "DEF_K(float)"
    unit = kinds["made_double"].unit
    assert unit is not None
    assert "#define DEF_K(T)" in unit.source
    assert "DEF_K(double)" in unit.source


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bounds_before", ("__launch_bounds__(kThreads * 2, MIN_BLOCKS + (1))",)),
        ("bounds_after", ("__launch_bounds__(kThreads)",)),
        ("attributed", ("static",)),
        ("c_linkage", ('extern "C"',)),
        ("inlined", ("inline",)),
        ("clustered", ("__cluster_dims__(2, 1, 1)",)),
        ("later", ()),
    ],
)
def test_attributes_are_as_written(
    kinds: dict[str, Kernel], name: str, expected: tuple[str, ...]
) -> None:
    assert kinds[name].attributes == expected


@pytest.mark.parametrize(
    ("name", "mangled"),
    [
        ("c_linkage", "c_linkage"),
        ("c_block", "c_block"),
        ("named_by_macro", "named_by_macro"),
        ("a::b::deep", "_ZN1a1b4deepEPi"),
        ("later", "_Z5laterPi"),
        ("Holder::member", "_ZN6Holder6memberEPi"),
    ],
)
def test_the_mangled_name_is_that_of_the_device_code(
    kinds: dict[str, Kernel], name: str, mangled: str
) -> None:
    assert kinds[name].mangled == mangled
    (instantiation,) = kinds[name].instantiations
    assert instantiation.symbol == mangled
    assert instantiation.label == ""


def test_a_template_head_may_be_commented_with_arrows() -> None:
    head = "// a template <class U>\ntemplate <\n  typename T,  ///< of elements\n  int N  /* > 0 */\n>\n__global__ void k"
    assert (
        extract_template_head(head)
        == head[head.index("template <\n") : head.index("__global__")].rstrip()
    )
    assert extract_template_head("// no template <class T>\n__global__ void k") == ""


def test_parameters_and_template_parameters_are_typed(kinds: dict[str, Kernel]) -> None:
    described = kinds["described"]
    assert (
        described.template_head == "template <typename scalar_t, int kSize = 4, bool>"
    )
    assert described.template_parameters == (
        TemplateParameter(name="scalar_t", kind="type"),
        TemplateParameter(name="kSize", kind="value", type="int", default="4"),
        TemplateParameter(name="", kind="value", type="bool"),
    )
    out, source, count, reference, vector = described.parameters
    assert (out.name, out.type, out.qualifiers) == (
        "out",
        "scalar_t *__restrict",
        ("pointer", "restrict"),
    )
    assert source == Parameter(
        name="in",
        type="const float *",
        canonical_type="const float *",
        qualifiers=("pointer", "const"),
    )
    assert (count.type, reference.qualifiers, vector.type) == (
        "int",
        ("reference", "const"),
        "float4",
    )


def test_a_member_kernel_is_in_a_unit_with_its_class(kinds: dict[str, Kernel]) -> None:
    kernel = kinds["Holder::member_template"]
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("double",)
    ]
    assert kernel.instantiations[0].origin is InstantiationOrigin.LAUNCH
    assert kernel.unit is not None
    assert kernel.unit.source.count("struct Holder {") == 1
    assert kernel.unit.source.count("member_template(T* out)") == 1


def test_specialisations_overloads_and_branches_are_kernels_of_their_own(
    project: Callable[..., Any],
) -> None:
    kernels = project({"twice.cu": TWICE}).kernels()
    assert [
        (kernel.name, kernel.template_head, kernel.found_by) for kernel in kernels
    ] == [
        ("special", "template <typename T>", Layer.AST),
        ("special", "template <>", Layer.AST),
        ("overloaded", "", Layer.AST),
        ("overloaded", "", Layer.AST),
        ("branch", "", Layer.AST),
        ("branch", "", Layer.AST),
    ]
    assert [kernel.reason for kernel in kernels[4:]] == ["seen with -DUSE_IT=1", ""]
    assert len({kernel.mangled for kernel in kernels if kernel.mangled}) == 5
    special = kernels[1].unit
    assert special is not None
    assert special.source.index("template <typename T>") < special.source.index(
        "template <>"
    )


def test_the_other_branch_is_seen_with_its_macro(project: Callable[..., Any]) -> None:
    branches = [
        kernel
        for kernel in project({"twice.cu": TWICE}, "-DUSE_IT").kernels()
        if kernel.name == "branch"
    ]
    assert [(branch.found_by, branch.reason) for branch in branches] == [
        (Layer.AST, ""),
        (Layer.AST, "seen with -UUSE_IT"),
    ]


ALIAS_ELSEWHERE = {
    "library/words.h": "#define LIBRARY_KERNEL __global__ static\n",
    "library/fill.h": '#include "words.h"\nLIBRARY_KERNEL void fill(float* x) { *x = 1; }\n',
    "use.cu": '#include <fill.h>\n#include "absent.h"\nvoid run(float* x) { fill<<<1, 1>>>(x); }\n',
}


def test_syntax_alone_follows_includes_to_the_word_for_a_kernel(
    project: Callable[..., Any],
) -> None:
    planted = project(ALIAS_ELSEWHERE, "-Ilibrary", "-I../..", "-isystem", "library")
    facts = extract_facts_from_syntax(
        planted.root, planted.commands[0], "parse-timeout"
    )
    assert [
        (kernel.span.path, kernel.name, kernel.reason) for kernel in facts.kernels
    ] == [("library/fill.h", "fill", "parse-timeout")]
    assert [launch.launch.kernel_name for launch in facts.launches] == ["fill"]
    assert set(facts.files) == set(ALIAS_ELSEWHERE)


def test_syntax_alone_finds_as_much(project: Callable[..., Any]) -> None:
    planted = project({"kinds.cu": KINDS})
    facts = extract_facts_from_syntax(
        planted.root, planted.commands[0], "parse-timeout"
    )
    names = {name.rpartition("::")[2] for name in BY_AST}
    kernels = {sighting.name: sighting for sighting in facts.kernels}
    assert set(kernels) == names | set(BY_SYNTAX) | set(IN_STRINGS)
    assert {
        kernel.reason for kernel in facts.kernels if kernel.found_by is Layer.SYNTACTIC
    } == {"parse-timeout"}
    bounds = kernels["bounds_before"]
    assert bounds.attributes == ("__launch_bounds__(kThreads * 2, MIN_BLOCKS + (1))",)
    assert [(parameter.name, parameter.type) for parameter in bounds.parameters] == [
        ("out", "int*")
    ]
    assert {
        kernel.name for kernel in facts.kernels if kernel.found_by is Layer.STRING
    } == set(IN_STRINGS)
    assert "commented" not in kernels


def test_a_kernel_in_a_header_is_found_by_a_unit_that_includes_it(
    project: Callable[..., Any],
) -> None:
    files = {
        "include/k.cuh": "#pragma once\n__global__ void in_header(int* out) { out[0] = WIDTH; }\n",
        "a.cu": '#define WIDTH 4\n#include "include/k.cuh"\n',
        "b.cu": '#define WIDTH 4\n#include "include/k.cuh"\nvoid run(int* o) { in_header<<<7, 8>>>(o); }\n',
    }
    (kernel,) = project(files).kernels()
    assert kernel.span.path == "include/k.cuh"
    assert kernel.unit is not None
    assert "#define WIDTH 4" in kernel.unit.source
    (launch,) = kernel.launches
    assert (launch.span.path, launch.grid, launch.enclosing) == ("b.cu", "7", "run")


def test_a_launch_of_a_kernel_that_is_only_declared_there_is_joined_by_name(
    project: Callable[..., Any],
) -> None:
    files = {
        "kernel.cu": "__global__ void far(float* out, int n) { out[0] = n; }\n",
        "host.cu": "__global__ void far(float* out, int n);\nvoid go(float* o) { int b = 3; far<<<b, 9>>>(o, 5); }\n",
    }
    (kernel,) = project(files).kernels()
    (launch,) = kernel.launches
    assert (launch.span.path, launch.grid, launch.block, launch.setup) == (
        "host.cu",
        "b",
        "9",
        "int b = 3;",
    )
    assert launch.argument_map == (("out", "o"), ("n", "5"))


ON_AMD = """
#include <hip/hip_runtime.h>
#if defined(__HIPCC__) && (defined(__gfx90a__) || defined(__gfx942__))
#define ON_CDNA
#endif
#ifdef ON_CDNA
__global__ void summed(float* out) { atomicAdd(out, 1.0f); }
#else
__global__ void summed(float* out) { __builtin_trap(); }
#endif
#ifdef __CUDA_ARCH__
__global__ void of_nvidia(float* out) { out[0] = 1; }
#endif
"""


def test_what_stands_under_macros_of_amd_devices_is_seen(
    project: Callable[..., Any],
) -> None:
    planted = project({"amd.hip": ON_AMD})
    planted.commands = [
        replace(command, dialect=Dialect.HIP) for command in planted.commands
    ]
    real, stub, other = planted.kernels()
    assert (real.name, real.found_by, stub.found_by) == ("summed", Layer.AST, Layer.AST)
    assert real.unit is not None
    assert "atomicAdd" in real.unit.source
    assert (other.name, other.found_by) == ("of_nvidia", Layer.SYNTACTIC)
