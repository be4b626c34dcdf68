"""A unit holds a declaration in its namespaces, with its conditionals closed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.closure.declarations.declaration_text import (
    _count_open_conditionals,
)
from tests.unit.extract.builders import unit_of

KERNEL = "__global__ void k(int *x) { x[0] = lib::inner::one(); }\n"
LAUNCH = "void run(int *x) { k<<<1, 1>>>(x); }\n"


def unit_source(project: Callable[..., Any], text: str, **files: str) -> str:
    (kernel,) = project({"a.cu": f"{text}{KERNEL}{LAUNCH}", **files}).kernels()
    assert kernel.unit is not None
    return str(kernel.unit.source)


def test_a_declaration_stands_in_its_namespaces(project: Callable[..., Any]) -> None:
    text = "namespace lib { inline namespace inner {\n__device__ int one() { return 1; }\n} }\n"
    source = unit_source(project, text)
    assert (
        "namespace lib {\ninline namespace inner {\n"
        "__device__ int one() { return 1; }\n}\n}" in source
    )


def test_line_ends_are_those_of_unix(project: Callable[..., Any]) -> None:
    text = "namespace lib { namespace inner {\r\n__device__ int one() {\r\n return 1; }\r\n} }\r\n"
    assert "\r" not in unit_source(project, text)


def test_a_using_directive_of_the_project_opens_its_namespace_first(
    project: Callable[..., Any],
) -> None:
    text = (
        "namespace base { struct T { int n; }; }\n"
        "namespace lib { namespace inner {\nusing namespace base;\n"
        "__device__ int one() { T t{1}; return t.n; }\n} }\n"
    )
    source = unit_source(project, text)
    opening = source.index("namespace base {}\nnamespace lib {")
    assert opening < source.index("using namespace base;")


@pytest.mark.parametrize(
    "user",
    ["base::T t{1}; return t.n;", "T t{1}; return t.n;", "brief::T t{1}; return t.n;"],
)
def test_a_namespace_is_opened_by_its_other_name_behind_that(
    project: Callable[..., Any], user: str
) -> None:
    text = (
        "namespace base { struct T { int n; }; }\n"
        "namespace brief = base;\n"
        "namespace lib { using namespace brief;\n"
        f"namespace inner {{ __device__ int one() {{ {user} }}\n}} }}\n"
    )
    source = unit_source(project, text)
    assert source.count("namespace brief = base;") == 1
    alias = source.index("namespace brief = base;")
    assert alias < source.index("using namespace brief;")


def test_another_name_of_a_library_s_namespace_is_opened_behind_that(
    project: Callable[..., Any],
) -> None:
    text = (
        "#include <cooperative_groups.h>\n"
        "namespace cg = cooperative_groups;\nusing namespace cg;\n"
        "namespace lib { namespace inner {\n"
        "__device__ int one() { return this_thread_block().size(); }\n} }\n"
    )
    source = unit_source(project, text)
    alias = source.index("namespace cg = cooperative_groups;")
    assert alias < source.index("using namespace cg;")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("int f();", 0),
        ("#if A\nint f();\n#endif", 0),
        ("int f() {\n#ifdef A\n#else\n  return 1; }", 1),
        ("#if A\n# ifndef B\n  int f();", 2),
        ("#pragma once\n#define A\nint f();", 0),
        # no directives: a comment, and a string
        ("/*\n#if A\n*/ int f();", 0),
        ('const char *s = "\\\n#if A";', 0),
    ],
)
def test_open_conditionals_are_counted(text: str, count: int) -> None:
    assert _count_open_conditionals(text) == count


def test_the_type_of_a_typedef_of_which_only_enumerators_are_used_ends(
    project: Callable[..., Any],
) -> None:
    text = """\
typedef enum { RED, BLUE } Colour;
__global__ void paint(int *x) { x[0] = BLUE; }
void run(int *x) { paint<<<1, 1>>>(x); }
"""
    [kernel] = project({"a.cu": text}).kernels()
    assert "enum { RED, BLUE };" in unit_of(kernel).source


def test_an_alias_of_a_namespace_stands_behind_what_opens_it(
    project: Callable[..., Any],
) -> None:
    text = """\
namespace tools { namespace math { __device__ inline int twice(int x) { return 2 * x; } } }
namespace m = tools::math;
__global__ void fill(int *x) { x[0] = m::twice(x[0]); }
void run(int *x) { fill<<<1, 1>>>(x); }
"""
    [kernel] = project({"a.cu": text}).kernels()
    lines = unit_of(kernel).source.splitlines()
    alias = lines.index("namespace m = tools::math;")
    assert "namespace tools::math {}" in lines[:alias]
