"""Which texts declare arrays that begin with whatever their memory holds."""

from __future__ import annotations

import pytest

from crawler.validate.cpu.cases.local_variables import declares_bare_arrays


@pytest.mark.parametrize(
    "text",
    [
        "int votes[6];",
        "float tile[4][8];",
        "unsigned long sums [ N + 1 ] , n;",
        "vector<float> rows[3];",
        "struct S { float x[2]; };",
    ],
)
def test_an_array_without_a_value_is_bare(text: str) -> None:
    assert declares_bare_arrays(f"__global__ void k() {{ {text} }}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "int votes[6] = {0};",
        "int votes[6]{};",
        "return votes[6];",
        "x = y[2];",
        "f(a, x[i]);",
        "// int votes[6];",
        "int votes[6",
        "int votes[6]",
        "int votes[" * 50,
    ],
)
def test_what_has_a_value_or_is_no_array_is_not(text: str) -> None:
    assert not declares_bare_arrays(text)
