"""Numbers and letters that a kernel compares with."""

from __future__ import annotations

import pytest

from crawler.validate.launchers.compared_numbers import (
    ComparedNumbers,
    find_compared_numbers,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("if (x[i] == 255) return;", (255,)),
        ("if (7 <= x[i] && x[i] != -100) y = 3;", (7, -100)),
        ("switch (x[i]) { case 0x10u: case 4: y = 1; }", (16, 4)),
        ("float a = 2.5f; a > 1.5; y = 9 + 8; x == 99999999999;", ()),
        ("// x == 5\ny[i] = x[i] - 3;", ()),
    ],
)
def test_numbers_beside_comparisons_are_found(
    text: str, values: tuple[int, ...]
) -> None:
    assert find_compared_numbers(text) == ComparedNumbers(values=values)


def test_who_compares_letters_reads_letters() -> None:
    text = "switch (c) { case 'A': return 0; case '\\n': return 1; } for (k = 0; k < 3; ++k) ;"

    compared = find_compared_numbers(text)
    assert compared == ComparedNumbers(values=(65, 10), are_letters=True)


def test_nothing_is_found_in_what_is_a_library() -> None:
    assert find_compared_numbers("x == 5;" + " " * 200_000) == ComparedNumbers()
