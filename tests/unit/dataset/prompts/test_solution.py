"""A unit is split into what is given and what is asked, and nothing is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.dataset.prompts.solution import choose_solution, split_unit
from crawler.model import Dialect, Status, Verdict
from tests.plain import plain_unit
from tests.run_records import make_run_records

RAN, FAILED = make_run_records()


@pytest.mark.parametrize(
    ("source", "signature", "declarations"),
    [
        ("__global__ void k() {}\n", "__global__ void k()", ()),
        (
            "#define N 4\n// of the author\ntemplate <typename T, int M = (1 > 0)>\n"
            "__global__ void __launch_bounds__(N, 2)\nk(const T *a, int /* n */ b) { a; }\n"
            "template __global__ decltype(k<int>) k<int>;\n",
            "template <typename T, int M = (1 > 0)>\n"
            "__global__ void __launch_bounds__(N, 2)\nk(const T *a, int /* n */ b)",
            ("const T *a", "int b"),
        ),
        (
            'namespace n { __global__ void k(int);\nextern "C" __global__ void k(int a)\n{ } }',
            'extern "C" __global__ void k(int a)',
            ("int a",),
        ),
        (
            "#define ADD(a, b) \\\n  ((a) + (b))\n__global__ void k(int a) {}",
            "__global__ void k(int a)",
            ("int a",),
        ),
        (
            "#include <a.h>\ntemplate <typename T>\n#if N >= 2\n__launch_bounds__(4)\n#endif\n"
            "__global__ void k(T a) {}",
            "template <typename T>\n#if N >= 2\n__launch_bounds__(4)\n#endif\n"
            "__global__ void k(T a)",
            ("T a",),
        ),
        (
            "__global__ void other(int k) {}\n__global__ void k(P<int, 2> p) {}",
            "__global__ void k(P<int, 2> p)",
            ("P<int, 2> p",),
        ),
    ],
)
def test_the_three_parts_are_the_unit(
    source: str, signature: str, declarations: tuple[str, ...]
) -> None:
    parts = split_unit(replace(plain_unit(""), source=source, kernel_name="n::k"))
    assert parts is not None
    assert parts.context + parts.signature + parts.solution == source
    assert parts.signature == signature
    assert parts.declarations == declarations
    assert parts.solution.lstrip().startswith("{")


@pytest.mark.parametrize(
    ("body", "has_body"),
    [("{}", False), ("{ /* nothing */\n}", False), ("{ a; }", True), ("{ {} }", True)],
)
def test_a_kernel_that_does_nothing_is_told_from_others(
    body: str, has_body: bool
) -> None:
    source = f"__global__ void k(int a) {body}\n"
    parts = split_unit(replace(plain_unit(""), source=source, kernel_name="k"))
    assert parts is not None
    assert parts.has_body is has_body


@pytest.mark.parametrize(
    "source", ["", "DEFINE(k)", "__global__ void k(int", "__global__ void k() {"]
)
def test_what_does_not_show_its_definition_is_not_split(source: str) -> None:
    assert split_unit(replace(plain_unit(""), source=source, kernel_name="k")) is None


def test_a_port_is_asked_for_before_the_kernel_itself() -> None:
    solution = choose_solution(RAN)
    assert solution is not None
    assert solution.dialect is Dialect.HIP


def test_what_every_compiler_refused_is_nobodys_solution() -> None:
    refusal = Verdict(status=Status.FAIL, code="compile-error")
    builds = tuple(replace(build, pass_call=refusal) for build in RAN.builds)
    assert {build.unit for build in builds} >= {
        unit.digest for unit in (RAN.kernel.unit, *RAN.ports) if unit
    }
    assert choose_solution(replace(RAN, builds=builds)) is None
    assert choose_solution(FAILED) is None


def test_a_specialisation_is_asked_for_and_its_template_given() -> None:
    template = "template <class T>\n__global__ void k(T* x) { *x = 1; }\n"
    special = "template <>\n__global__ void k<int>(int* x)"
    parts = split_unit(plain_unit(f"{template}{special} {{ *x = 2; }}\n"))
    assert parts
    assert (parts.context, parts.signature) == (template, special)
    assert parts.declarations == ("int* x",)
