"""Launches whose chevrons a formatter has parted."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.programs.host_build.spaced_chevrons import join_spaced_chevrons


def join(text: str) -> str:
    return join_tokens(join_spaced_chevrons(list(tokenize(text))))


@pytest.mark.parametrize(
    "text",
    [
        "k << <n, 2>> >(x);",
        "k << < n, 2 >> > (x);",
        "k<< <dim3(a >> 1, b), 2>> >(x);",
        "k << <\n  n, 2 >>\n > (x);",
    ],
)
def test_parted_chevrons_are_joined_on_their_lines(text: str) -> None:
    joined = join(text)

    assert "<<<" in joined
    assert ">>>" in joined
    assert joined.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        "friend S& operator<< <>(S&, const T&);",
        "std::vector<std::vector<int> > a; int b = 1 << 2;",
        "A<B<C<int>> > x = y << 2;",
        "k << < n;",
        "k<<<n, 2>>>(x);",
    ],
)
def test_other_code_stays_as_it_is(text: str) -> None:
    assert join(text) == text
