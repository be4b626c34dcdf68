"""Which layer finds what a unit leaves out, what stands in headers, and what is only declared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from crawler.extract.unit.syntax_fallback import extract_facts_from_syntax
from crawler.model import Dialect, Layer
from tests.unit.extract.kinds_of_kernels import BY_AST, BY_SYNTAX, IN_STRINGS, KINDS

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
