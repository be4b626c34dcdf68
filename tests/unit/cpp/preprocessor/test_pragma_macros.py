"""Macros that stand for `#pragma`, which nvcc takes and clang does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.pragma_macros import (
    blank_pragma_macros,
    convert_to_pragma_operator,
    has_pragma_macros,
)


def has_macros(text: str) -> bool:
    return has_pragma_macros(SourceText("a.cu", text.encode()))


@pytest.mark.parametrize(
    ("definition", "converted", "blanked"),
    [
        (
            "#define UNROLL #pragma unroll 4",
            '#define UNROLL _Pragma("unroll 4")',
            "#define UNROLL",
        ),
        (
            "  # define LOOP(n) # pragma unroll n",
            '  # define LOOP(n) _Pragma("unroll n")',
            "  # define LOOP(n)",
        ),
        (
            '#define NOTE(x) #pragma message "a\\b"',
            None,
            None,
        ),
        (
            '#define NOTE #pragma message "a"',
            '#define NOTE _Pragma("message \\"a\\"")',
            "#define NOTE",
        ),
    ],
)
def test_a_macro_for_a_pragma_becomes_the_operator_or_nothing(
    definition: str, converted: str | None, blanked: str | None
) -> None:
    text = f"int a;\n{definition}\nint b;\n"
    assert has_macros(text) == (converted is not None)
    assert convert_to_pragma_operator(definition) == (converted or definition)
    blanked_text = blank_pragma_macros(text)
    assert len(blanked_text) == len(text)
    assert blanked_text.split("\n")[1].rstrip() == (blanked or definition)


@pytest.mark.parametrize(
    "text",
    [
        "#pragma unroll\n",
        "#define A 1 // #pragma unroll\n",
        "#define A \\\n#pragma unroll\n",
        "#define A #pragma unroll \\\n 4\n",
        '#define A _Pragma("unroll")\n',
        "#define A #pragmatic\n",
        "#define A #x\n",
        "int pragma;\n",
    ],
)
def test_other_texts_stay(text: str) -> None:
    assert not has_macros(text)
    assert blank_pragma_macros(text) == text
    assert convert_to_pragma_operator(text) == text


@given(
    st.lists(
        st.sampled_from(
            ("#define A", "#pragma", "# pragma x", "(x)", " ", "\n", "\\", '"')
        )
    ).map("".join)
)
def test_every_offset_stays_where_macros_are_blanked(text: str) -> None:
    blanked = blank_pragma_macros(text)
    assert len(blanked) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, blanked, strict=True))
    assert not has_macros(blanked)


def test_many_definitions_cost_linear_time() -> None:
    text = "#define A #pragma unroll\n" * 20_000
    assert "pragma" not in blank_pragma_macros(text)
