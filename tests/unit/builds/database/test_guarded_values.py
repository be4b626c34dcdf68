from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.database.guarded_values import (
    find_guarded_values,
    iter_type_aliases,
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "if constexpr (kV == E::a) { k<int>(); } else if constexpr(E::a == kV || kV == n::E::b) { k<int>(); }",
            {"a", "b"},
        ),
        ("if constexpr (kV == E::a) { while (x) { k<int>(); } }", {"a"}),
        ("if constexpr (kV == E::a) { f(); } k<int>();", set()),
        ("if constexpr (kV == E::a) { k<int>(); } else { k<float>(); }", set()),
        ("if (kV == E::a) { k<int>(); }", set()),
    ],
)
def test_values_for_which_alone_a_kernel_is_used(body: str, expected: set[str]) -> None:
    values = find_guarded_values(f"template <E kV> void run() {{ {body} }}", "k")
    assert values == frozenset(("E", name) for name in expected)


def test_a_kernel_that_is_only_defined_is_used_for_no_value() -> None:
    assert (
        find_guarded_values("template <class T> __global__ void k(T* p) {}", "k")
        is None
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("using A = B;", [("A", " B")]),
        ("using A =\n  Tuple<B,\n        C>;\n", [("A", "\n  Tuple<B,\n        C>")]),
        ("using A = B\nusing C = D;\n", [("C", " D")]),
        ("  using A = B;", []),
        ("using namespace a;\nusing b::c;\n", []),
    ],
)
def test_aliases_are_read_with_what_they_stand_for(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert list(iter_type_aliases(text)) == expected


PIECES = st.sampled_from(
    ["if constexpr (kV == E::a) ", "{", "}", "k<int>", "using T = k", ";", "\n"]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_read(text: str) -> None:
    values = find_guarded_values(text, "k")
    assert values is None or values <= {("E", "a")}
    assert all(";" not in meaning for _, meaning in iter_type_aliases(text))
