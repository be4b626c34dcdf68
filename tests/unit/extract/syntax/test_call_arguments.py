"""Arguments of a call are found behind its template arguments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.call_arguments import find_argument_ranges, split_list

PIECES = ["f", "<", ">", ">>>", "(", ")", ",", ";", "{", "a", "->"]


def arguments_of(text: str) -> list[str]:
    """Return the arguments of the call that a text begins with."""
    source = SourceText("a.cu", text.encode())
    return [text[start:end] for start, end in find_argument_ranges(source, 0)]


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("launch(kernel, x)", ["kernel", "x"]),
        ("launch<float>(kernel, x)", ["kernel", "x"]),
        ("launch<A<B<C<int>>>>(kernel)", ["kernel"]),
        ("launch(copy<float, 2>, f(a, b))", ["copy<float, 2>", "f(a, b)"]),
        ("launch(kernel, , x)", ["kernel", "x"]),
        ("launch()", []),
        ("launch(kernel", []),
        ("launch", []),
        ("launch = kernel", []),
        ("launch<float", []),
        ("launch < 3; f(x)", []),
        ("launch < 3 { f(x) }", []),
        ("launch<float> x", []),
    ],
)
def test_arguments_of_a_call(call: str, arguments: list[str]) -> None:
    assert arguments_of(call) == arguments


def test_template_arguments_are_not_read_without_end() -> None:
    near = ", ".join("1" for _ in range(190))
    far = ", ".join("1" for _ in range(210))
    assert arguments_of(f"launch<{near}>(kernel)") == ["kernel"]
    assert arguments_of(f"launch<{far}>(kernel)") == []


def test_a_list_that_is_never_closed_is_empty() -> None:
    source = SourceText("a.cu", b"f(a, b")
    assert split_list(source, 1) == [[]]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_arguments_of_any_text_are_in_order_and_apart(text: str) -> None:
    source = SourceText("a.cu", f"f {text}".encode())
    previous_end = 0
    for start, end in find_argument_ranges(source, 0):
        assert previous_end <= start < end <= len(source.raw)
        previous_end = end
