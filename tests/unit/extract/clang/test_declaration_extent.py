"""A declaration's text is whole where clang's own range leaves some of it out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.cursor_queries import CursorLocations
from crawler.extract.clang.declaration_extent import find_declaration_extent
from crawler.extract.clang.scoped_cursors import collect_scoped_cursors
from tests.unit.extract.builders import parse_text

PLAIN = {
    "add": "int add(int a, int b) { return a + b; }",
    "declared": "int declared(int a);",
    "Tile": "template <class T, int N> struct Tile { T values[N]; };",
    "Aligned": "typedef int Aligned __attribute__((aligned(8)));",
    "Twice": "typedef int Twice __attribute__((aligned(8))) __attribute__((unused));",
    "Alias": "using Alias = Tile<int, 4>;",
    "constant": "constexpr int constant = 4;",
    "table": "static const int table[] = {1, 2, 3};",
    "attributed": "int attributed __attribute__((unused));",
    "Wide": "typedef unsigned _BitInt(16) Wide;",
    "Flags": "enum Flags { kNone, kAll };",
    "scale": "template <class T> __global__ void scale(T *x) { x[0] = 1; }",
    "give_up": "[[noreturn]]\nstatic __device__ void give_up();",
    "operator+": "Wrapped operator+(Wrapped a, Wrapped b) { return a; }",
}
PREPROCESSING = (
    CursorKind.MACRO_DEFINITION,
    CursorKind.MACRO_INSTANTIATION,
    CursorKind.INCLUSION_DIRECTIVE,
)
Extents = Callable[[str], list[str]]


@pytest.fixture
def extents(tmp_path: Path) -> Extents:
    """Return the texts of what a file declares at namespace level, in order."""

    def list_extents(text: str) -> list[str]:
        sources = SourceFiles(tmp_path)
        unit = parse_text(tmp_path, text, "-std=c++20")
        locations = CursorLocations(tmp_path, ".")
        ranges = [
            find_declaration_extent(scoped.cursor, sources[scoped.path])
            for scoped in collect_scoped_cursors(unit, locations, sources)
            if scoped.cursor.kind not in PREPROCESSING
        ]
        return [text[start:end] for start, end in ranges]

    return list_extents


def test_each_declaration_has_its_whole_text(extents: Extents) -> None:
    text = "struct Wrapped {};\n" + "\n".join(PLAIN.values()) + "\n"
    assert extents(text) == ["struct Wrapped {};", *PLAIN.values()]


def test_a_declaration_at_the_end_of_a_file_needs_no_more(extents: Extents) -> None:
    assert extents("int last(int a) { return a; }") == ["int last(int a) { return a; }"]


def test_a_member_outside_of_its_class_has_both_template_heads(
    extents: Extents,
) -> None:
    member = "template <class T> template <class U> void A<T>::f(U u) { (void)u; }"
    text = f"template <class T> struct A {{ template <class U> void f(U u); }};\n{member}\n"
    assert extents(text)[-1] == member


def test_a_use_of_a_macro_is_the_text_of_what_it_declares(extents: Extents) -> None:
    text = (
        "#define DECLARE(name, type) type name(type value)\n"
        "#define DEFINE(name) struct name { int value; };\n"
        "DECLARE(twice, int);\nDEFINE(Made)\nint after;\n"
    )
    assert extents(text) == ["DECLARE(twice, int);", "DEFINE(Made)", "int after;"]


def test_a_macro_may_end_the_declaration_within_its_arguments(
    extents: Extents,
) -> None:
    text = "#define STRUCT(name, body) struct name { body }\nSTRUCT(Made, int a; int b;);\n"
    assert extents(text) == ["STRUCT(Made, int a; int b;);"]


def test_a_declaration_brings_the_conditionals_that_it_stands_across(
    extents: Extents,
) -> None:
    text = "#ifdef OTHER\nint value(long a)\n#else\nint value(int a)\n#endif\n{ return a; }\n"
    (declaration,) = extents(text)
    assert declaration == text.rstrip()


def test_comments_round_a_declaration_are_not_its_text(extents: Extents) -> None:
    text = "// before\nint a; // behind\n/* next */ int b;\n"
    assert extents(text) == ["int a;", "int b;"]


@pytest.mark.parametrize(
    "text",
    [
        "typedef int Broken __attribute__((aligned(8)",
        "typedef int Broken __attribute__",
        "int broken(",
        "template <class T> struct Broken",
        "MACRO(a",
        "_BitInt(",
    ],
)
def test_broken_declarations_end_in_their_file(text: str, extents: Extents) -> None:
    for declaration in extents(text):
        assert declaration in text
