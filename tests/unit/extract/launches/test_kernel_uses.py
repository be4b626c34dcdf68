"""Every reference to a kernel is a use, with the arguments that the compiler resolved."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.launches.kernel_use import KernelUse
from crawler.extract.passes.parse_pass import read_pass
from crawler.extract.unit.translation_unit import load_translation_unit

Uses = Callable[[str], Collection[KernelUse]]
KERNEL = "template <class T, int N = 4> __global__ void scale(T *x) { x[0] = N; }\n"


@pytest.fixture
def uses(project: Callable[..., Any]) -> Uses:
    """Return the uses that one parse of a file shows."""

    def list_uses(text: str) -> Collection[KernelUse]:
        planted = project({"a.cu": text})
        root: Path = planted.root
        unit = load_translation_unit(root, planted.commands[0], SourceFiles(root))
        return read_pass(unit.clang_unit, unit).uses

    return list_uses


def types_of(kernel_uses: Collection[KernelUse]) -> list[tuple[str, ...]]:
    return [use.template_arguments for use in kernel_uses]


def test_a_use_says_where_it_stands(uses: Uses) -> None:
    text = KERNEL + "void run(float *x) { scale<<<1, 1>>>(x); }\n"
    # the instantiation that the compiler made is a use without a place
    (use,) = [use for use in uses(text) if use.path]
    assert (use.kernel, use.template_arguments) == ("scale", ("float", "4"))
    assert (use.path, use.offset) == ("a.cu", text.index("scale<<<"))
    assert use.target == ("a.cu", 0)
    assert use.enclosing_function == "run"
    assert use.enclosing_start == text.index("void run")


def test_a_template_is_used_once_for_each_instantiation_around_it(uses: Uses) -> None:
    text = KERNEL + (
        "template <class T> void run(T *x) { scale<T, 2><<<1, 1>>>(x); }\n"
        "void go(float *a, int *b) { run(a); run(b); }\n"
    )
    assert {("float", "2"), ("int", "2")} <= set(types_of(uses(text)))


def test_an_explicit_instantiation_is_a_use_without_a_place(uses: Uses) -> None:
    text = KERNEL + "template __global__ void scale<double, 8>(double *);\n"
    (use,) = uses(text)
    assert (use.path, use.offset) == ("", -1)
    assert use.template_arguments == ("double", "8")


def test_a_specialisation_leads_to_its_own_definition(uses: Uses) -> None:
    specialised = "template <> __global__ void scale<int, 4>(int *x) { x[0] = 0; }\n"
    text = KERNEL + specialised + "void run(int *x) { scale<int><<<1, 1>>>(x); }\n"
    launched = [use for use in uses(text) if use.path]
    assert [use.target[1] for use in launched] == [text.index(specialised)]


def test_a_kernel_that_is_only_declared_has_no_known_definition(uses: Uses) -> None:
    text = "__global__ void far(int *x);\nvoid run(int *x) { far<<<1, 1>>>(x); }\n"
    (use,) = uses(text)
    assert use.target == ("", -1)


def test_a_use_in_an_initialiser_belongs_to_its_variable(uses: Uses) -> None:
    text = KERNEL + "void (*const pointer)(float *) = scale<float>;\n"
    places = [use for use in uses(text) if use.path]
    assert [use.enclosing_function for use in places] == ["pointer"]


def test_uses_in_classes_are_found_with_their_owners(uses: Uses) -> None:
    text = KERNEL + (
        "namespace lib { template <class T> struct Op {\n"
        "  Op(T *x) { scale<<<1, 1>>>(x); }\n"
        "  ~Op() {}\n"
        "  operator int() { scale<T, 1><<<1, 1>>>(nullptr); return 1; } }; }\n"
        "int go(float *x) { return lib::Op<float>(x); }\n"
    )
    resolved = [use for use in uses(text) if use.path and use.template_arguments]
    assert all(use.enclosing_function.startswith("lib::Op") for use in resolved)
    assert {("float", "4"), ("float", "1")} <= set(types_of(resolved))


def test_a_kernel_that_names_itself_is_no_launch_of_another(uses: Uses) -> None:
    assert list(uses(KERNEL)) == []


def test_namesakes_in_other_namespaces_are_told_apart(uses: Uses) -> None:
    text = (
        "namespace a { __global__ void fill(int *x) { x[0] = 1; } }\n"
        "namespace b { __global__ void fill(int *x) { x[0] = 2; } }\n"
        "void run(int *x) { b::fill<<<1, 1>>>(x); }\n"
    )
    (use,) = uses(text)
    assert use.target == ("a.cu", text.index("__global__", text.index("namespace b")))


def test_a_plain_function_of_the_kernels_name_is_no_use(uses: Uses) -> None:
    text = (
        "namespace a { __global__ void fill(int *x) { x[0] = 1; } }\n"
        "namespace b { void fill(int *x) {} void run(int *x) { fill(x); } }\n"
    )
    assert list(uses(text)) == []
