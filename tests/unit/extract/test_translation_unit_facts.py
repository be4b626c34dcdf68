"""Which kernels are found, by which layer and why, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.clang.signature import extract_template_head
from crawler.model import (
    InstantiationOrigin,
    Kernel,
    Layer,
    Parameter,
    TemplateParameter,
)
from tests.unit.extract.kinds_of_kernels import (
    BY_A_MACRO,
    BY_AST,
    BY_SYNTAX,
    IN_STRINGS,
    KINDS,
)


@pytest.fixture(scope="module")
def kinds(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"kinds.cu": KINDS}).kernels())


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
    } == BY_A_MACRO | BY_SYNTAX | IN_STRINGS


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
