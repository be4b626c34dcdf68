"""Identifiers: their qualifiers, and whether they are called, members or scopes."""

from __future__ import annotations

import pytest

from crawler.cpp.files.identifier_uses import (
    Identifier,
    collect_identifiers,
    collect_text_identifiers,
)
from crawler.cpp.files.source_text import SourceText


def find(text: str, name: str) -> Identifier:
    (identifier,) = [
        identifier
        for identifier in collect_text_identifiers(text)
        if identifier.name == name
    ]
    return identifier


@pytest.mark.parametrize(
    ("text", "qualifier"),
    [
        ("x", ()),
        ("a::b::x", ("a", "b")),
        ("::x", ("",)),
        ("return ::x", ("",)),
        ("A<int>::x", ("<>",)),
        ("A<int>::template x<2>()", ("<>",)),
        ("A<int>::B::x", ("<>", "B")),
    ],
)
def test_qualifiers_stand_outermost_first(
    text: str, qualifier: tuple[str, ...]
) -> None:
    assert find(text, "x").qualifier == qualifier


@pytest.mark.parametrize(
    ("text", "is_member"),
    [
        ("a.x", True),
        ("a->x()", True),
        ("sizeof...(x)", False),
        ("f(a...x)", False),
        ("auto f(int a) const -> x", False),
        ("[](int a) -> x { }", False),
        ("y = f(a) -> x", True),
    ],
)
def test_what_stands_behind_a_dot_or_an_arrow_is_a_member(
    text: str, is_member: bool
) -> None:
    assert find(text, "x").is_member is is_member


def test_calls_and_scopes() -> None:
    assert find("x(1)", "x").is_called
    assert find("x<int>(1)", "x").is_called
    assert not find("x + 1", "x").is_called
    assert find("x::y", "x").is_scope
    assert find("using namespace a::x", "x").is_scope
    assert find("namespace b = a::x", "x").is_scope
    assert not find("a::x", "x").is_scope


def test_decomposing_a_value_may_ask_for_its_parts() -> None:
    names = {use.name for use in collect_text_identifiers("auto& [a, b] = pair;")}
    assert {"tuple_size", "tuple_element", "get"} <= names
    assert "get" not in {use.name for use in collect_text_identifiers("auto a = b[0];")}


def test_a_range_sees_nothing_outside_of_it() -> None:
    text = "a::x; y"
    source = SourceText("a.cu", text.encode())
    names = collect_identifiers(source, text.index("x"), text.index(";"))
    assert names == {Identifier("x")}
