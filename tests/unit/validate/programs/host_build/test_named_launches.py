"""Launches by name become launches with chevrons."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.programs.host_build.named_launches import spell_out_launches


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        (
            "hipLaunchKernelGGL(k<A, B>, dim3(n, 1), f(b), 0, s, x, y + 1);",
            "k<A, B><<<(dim3(n, 1)), (f(b)), (0), (s)>>>( x, y + 1);",
        ),
        # the macro puts its kernel in brackets, too
        (
            "hipLaunchKernelGGL((k<A, B>), g, b, 0, 0);",
            "(k<A, B>)<<<(g), (b), (0), (0)>>>();",
        ),
        # a name alone, or too few words, is no launch
        ("auto f = hipLaunchKernelGGL;", "auto f = hipLaunchKernelGGL;"),
        ("hipLaunchKernelGGL(k, g);", "hipLaunchKernelGGL(k, g);"),
        ("hipLaunchKernelGGL(k, g", "hipLaunchKernelGGL(k, g"),
    ],
)
def test_a_launch_has_chevrons(text: str, spelled: str) -> None:
    assert join_tokens(spell_out_launches(list(tokenize(text)))) == spelled


def test_a_launch_of_thousands_of_words_is_left_alone() -> None:
    tokens = list(tokenize(f"hipLaunchKernelGGL(k, g, b, 0, 0, {'+' * 5000}x);"))

    assert spell_out_launches(tokens) == tokens


def test_lines_stay_where_they_are() -> None:
    text = "hipLaunchKernelGGL(k,\n  g,\n  b, 0, 0,\n  x);\nint y;"
    spelled = join_tokens(spell_out_launches(list(tokenize(text))))

    assert spelled.count("\n") == text.count("\n")
