"""Host code is evaluated with the macros of its file."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.expressions.host_macros import (
    expand_macros,
    read_host_macros,
)

BLOCKS = "#define THREADS 256\n#define BLOCKS(TB, N) (TB * N + THREADS - 1) / \\\n  THREADS\n"


def expand(text: str, definitions: str) -> str:
    return expand_macros(text, read_host_macros(definitions)).replace(" ", "")


def test_arguments_stand_where_the_parameters_stood() -> None:
    assert expand("BLOCKS(1, n)", BLOCKS) == "(1*n+THREADS-1)/THREADS"


def test_macros_within_macros_and_arguments_are_put_in() -> None:
    definitions = BLOCKS + "#define ROWS(n) BLOCKS(4, half(n, 2))\n"

    expanded = expand("dim3(ROWS(BLOCKS(1, m)), 2)", definitions)
    assert expanded == "dim3((4*half((1*m+THREADS-1)/THREADS,2)+THREADS-1)/THREADS,2)"


@pytest.mark.parametrize(
    "definitions",
    [
        "#define F(n, ...) n\n",
        "#define F(n) { n; }\n",
        "#define F(n) block_##n\n",
        "#define F(a, b) a / b\n",
        "#define F(n) n / 2\n#undef F\n#define F(n) n / 4\n",
        "int F(int n) { return n / 2; }\n",
    ],
    ids=["pack", "statements", "pasted", "other-count", "two-ways", "function"],
)
def test_what_is_no_single_expression_stays(definitions: str) -> None:
    assert expand("F(n)", definitions) == "F(n)"


def test_macros_that_double_at_each_step_come_to_an_end() -> None:
    definitions = "".join(
        f"#define F{number}(n) F{number + 1}(n) + F{number + 1}(n)\n"
        for number in range(40)
    )

    assert len(expand("F0(n)", definitions)) < 3000


def test_a_long_macro_is_not_put_in() -> None:
    definitions = f"#define F(n) {'n + ' * 1000}n\n"

    assert expand("F(n)", definitions) == "F(n)"


def test_a_macro_within_itself_comes_to_an_end() -> None:
    assert expand("F(n)", "#define F(n) F(n)\n") == "F(n)"
