"""What a program reads where literals stand, and where in its file each character was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.literals.literal_text import (
    LiteralPart,
    PlaceholderPart,
    StringLiteral,
    read_literal,
)


def read(
    source: str, *, is_raw: bool = False, is_formatted: bool = False
) -> StringLiteral:
    part = LiteralPart(0, len(source), is_raw, is_formatted)
    return read_literal(source, [part])


def list_placeholders(literal: StringLiteral) -> list[str]:
    return [literal.text[start:end] for start, end in literal.placeholder_ranges]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a\\nb", "a\nb"),
        ("\\t\\r\\f\\v\\a\\b", "\t\r\f\v\a\b"),
        ("\\x41\\x4g", "A\x04g"),
        ("\\101\\0\\777", "A\0\xff"),
        ("a\\\nb\\\r\nc", "abc"),
        ("\\\\ \\' \\\" \\?", "\\ ' \" ?"),
        ("\\q\\x", "\\q\\x"),
        ("ends with \\", "ends with \\"),
    ],
)
def test_escapes_are_resolved(source: str, text: str) -> None:
    assert read(source).text == text


def test_backslashes_of_a_raw_literal_stand_for_themselves() -> None:
    assert read("a\\n\\x41", is_raw=True).text == "a\\n\\x41"


@given(st.text(alphabet="ab\\nx41{}\n01 ", max_size=40), st.booleans(), st.booleans())
def test_each_character_has_its_place(
    source: str, is_raw: bool, is_formatted: bool
) -> None:
    literal = read(source, is_raw=is_raw, is_formatted=is_formatted)
    assert len(literal.offsets) == len(literal.text)
    assert list(literal.offsets) == sorted(literal.offsets)
    for character, offset in zip(literal.text, literal.offsets, strict=True):
        assert character == source[offset] or source[offset] == "\\"


def test_a_range_of_the_text_has_its_range_in_the_file() -> None:
    source = "ab\\ncd"
    literal = read(source)
    start, end = literal.file_range(2, 4)
    assert literal.text[2:4] == "\nc"
    assert source[start:end] == "\\nc"


@pytest.mark.parametrize(
    ("source", "text", "placeholders"),
    [
        ("a {{ {b} }}", "a { {b} }", ["{b}"]),
        ("{a!r:>{{4}} b", "{a!r:>{4} b", []),
        ("{}{0}{a.b[c]:x}", "{}{0}{a.b[c]:x}", ["{}", "{0}", "{a.b[c]:x}"]),
        ("{f(x) + 1}", "{f(x) + 1}", ["{f(x) + 1}"]),
        ("{a\n}", "{a\n}", []),
    ],
)
def test_a_formatted_literal_has_single_braces_and_fields(
    source: str, text: str, placeholders: list[str]
) -> None:
    literal = read(source, is_raw=True, is_formatted=True)
    assert literal.text == text
    assert list_placeholders(literal) == placeholders


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("void {name}() {{ return; }}", "void {name}() { return; }"),
        ("void {0}({1:d}) {{ {{ }} }}", "void {0}({1:d}) { { } }"),
        ("void f() { int a[1] = {{0}}; }", "void f() { int a[1] = {{0}}; }"),
        ("void f() {{ if (x < 1) {g(x);} }}", "void f() {{ if (x < 1) {g(x);} }}"),
        ("void {name}();", "void {name}();"),
    ],
)
def test_a_text_that_looks_like_a_format_is_read_as_one(source: str, text: str) -> None:
    assert read(source).text == text


def test_what_is_added_between_literals_is_a_placeholder() -> None:
    source = "'void ' + name + '() {{}}'"
    parts: list[LiteralPart | PlaceholderPart] = [
        LiteralPart(1, 6, False, False),
        PlaceholderPart("{name}", 10),
        LiteralPart(18, 25, False, False),
    ]
    literal = read_literal(source, parts)
    assert literal.text == "void {name}() {{}}"
    assert list_placeholders(literal) == ["{name}"]
    assert literal.file_range(*literal.placeholder_ranges[0]) == (10, 11)
    assert source[slice(*literal.file_range(11, 13))] == "()"


def test_parts_that_are_formatted_and_parts_that_are_not_stand_side_by_side() -> None:
    source = "{{a}}{{b}}"
    parts = [LiteralPart(0, 5, False, True), LiteralPart(5, 10, False, False)]
    assert read_literal(source, parts).text == "{a}{{b}}"


def test_no_part_is_no_text() -> None:
    literal = read_literal("", [])
    assert (literal.text, list(literal.offsets)) == ("", [])
