"""Template heads, attributes and parameters, from their text alone."""

from __future__ import annotations

import pytest

from crawler.extract.clang.signature import (
    extract_head_attributes,
    extract_template_head,
    parse_parameter_text,
)


@pytest.mark.parametrize(
    ("head", "template_head"),
    [
        (
            "template <class T, int N = 4>\n__global__ void",
            "template <class T, int N = 4>",
        ),
        (
            "template <template <class> class C> void",
            "template <template <class> class C>",
        ),
        ("/* template <no> */ template <class T> void", "template <class T>"),
        ("template <> void", "template <>"),
        ("__global__ void", ""),
        ("template <class T", ""),
    ],
)
def test_template_heads(head: str, template_head: str) -> None:
    assert extract_template_head(head) == template_head


def test_attributes_stand_once_and_linkage_first() -> None:
    head = 'static extern "C" __global__ void __launch_bounds__(256, MIN(2, 4)) static '
    assert extract_head_attributes(head) == (
        'extern "C"',
        "static",
        "__launch_bounds__(256, MIN(2, 4))",
    )
    assert extract_head_attributes("__global__ void") == ()


@pytest.mark.parametrize(
    ("text", "name", "type_name", "qualifiers"),
    [
        ("int n", "n", "int", ()),
        (
            "const float *__restrict__ x",
            "x",
            "const float *__restrict__",
            ("pointer", "const", "restrict"),
        ),
        ("Params &p = {}", "p", "Params &", ("reference",)),
        ("float", "float", "float", ()),
        ("float *", "", "float *", ("pointer",)),
    ],
)
def test_a_parameter_by_its_text(
    text: str, name: str, type_name: str, qualifiers: tuple[str, ...]
) -> None:
    parameter = parse_parameter_text(text)
    assert (parameter.name, parameter.type) == (name, type_name)
    assert parameter.qualifiers == qualifiers
