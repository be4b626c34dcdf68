"""Macros that the compiler does not expand leave a unit, those that its code names stay."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from crawler.extract.ladder.unit_check import parse_unit_text
from crawler.extract.ladder.unused.macro_tables import (
    UNUSED_MACROS_FLAG,
    drop_unused_macros,
    has_many_macros,
)
from crawler.model import Closure, Dialect

pytestmark = pytest.mark.apt("clang-19")
PRELUDE = "<kernelset/cuda.cuh>"


def drop_unused(*fragments: str, arguments: Sequence[str] = ()) -> Closure:
    closure = Closure(
        includes=(PRELUDE,),
        fragments=fragments,
        dependencies=("#USED", "#UNUSED", "Table"),
    )
    source = "\n".join((f"#include {PRELUDE}", *fragments, ""))
    clang_unit = parse_unit_text(
        source, Dialect.CUDA, "c++17", PRELUDE, (UNUSED_MACROS_FLAG,)
    )
    assert clang_unit is not None
    return drop_unused_macros(closure, source, clang_unit, arguments)


def test_what_is_expanded_stays() -> None:
    closure = drop_unused(
        "#define USED(x) INNER(x)",
        "#define INNER(x) \\\n  x",
        "#define UNUSED(x) INNER(x)",
        "__global__ void k(int *x) { x[0] = USED(1); }",
    )

    assert closure.fragments == (
        "#define USED(x) INNER(x)",
        "#define INNER(x) \\\n  x",
        "__global__ void k(int *x) { x[0] = USED(1); }",
    )
    assert closure.dependencies == ("#USED", "Table")


def test_what_a_branch_for_another_compiler_names_stays_with_what_it_leads_to() -> None:
    fragments = (
        "#define LANES WIDE",
        "#define WIDE 64",
        "__global__ void k(int *x) {\n#ifdef __HIP__\n  x[0] = LANES;\n#endif\n}",
    )

    assert drop_unused(*fragments).fragments == fragments


def test_what_an_instantiation_names_stays() -> None:
    fragments = ("#define TILE 16", "template <int n> __global__ void k(int *x) {}")

    assert drop_unused(*fragments, arguments=("TILE",)).fragments == fragments
    assert drop_unused(*fragments).fragments == fragments[1:]


def test_what_is_defined_anew_or_under_a_condition_stays() -> None:
    fragments = (
        "#define SIZE 1",
        "#undef SIZE\n#define SIZE 2",
        "#ifdef __HIP__\n#define OTHER 1\n#endif",
        "__global__ void k(int *x) { x[0] = 0; }",
    )

    assert drop_unused(*fragments).fragments == fragments


def test_few_macros_are_not_worth_a_parse() -> None:
    fragments = [f"#define A{number} {number}" for number in range(65)]

    assert has_many_macros(Closure(includes=(), fragments=tuple(fragments)))
    assert not has_many_macros(Closure(includes=(), fragments=tuple(fragments[1:])))
