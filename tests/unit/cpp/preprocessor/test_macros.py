"""Macros of a file, with their text and the names that it uses."""

from __future__ import annotations

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import DEFINITION, find_macros


def test_macros_with_the_names_that_they_use() -> None:
    text = "#define A(x) /* c */ \\\r\n  f(x, A)\n#undef A\n  # define B\n#define\nint c;\n"
    first, second = find_macros(SourceText("a.cu", text.encode()))
    assert (first.name, first.start, first.name_offset) == ("A", 0, 8)
    assert first.text == "#define A(x) /* c */ \\\n  f(x, A)"
    assert first.used_names == {"define", "x", "f"}
    assert (second.name, second.text) == ("B", "# define B")


def test_a_macro_that_stands_for_a_pragma_is_repeated_as_the_operator() -> None:
    (macro,) = find_macros(SourceText("a.cu", b"#define UNROLL #pragma unroll 4\n"))
    assert macro.text == '#define UNROLL _Pragma("unroll 4")'


def test_a_define_is_found_behind_a_comment_and_not_inside_one() -> None:
    text = "# /* a */ define A 1\n/*\n#define B 2\n*/\n#if defined(define)\n#endif\n"
    (macro,) = find_macros(SourceText("a.cu", text.encode()))
    assert (macro.name, macro.text) == ("A", "# /* a */ define A 1")


def test_a_macro_does_not_use_itself() -> None:
    (macro,) = find_macros(SourceText("a.cu", b"#define f(x) f(x, size)\n"))
    assert macro.used_names == {"define", "x", "size"}
    called = {item.name for item in macro.identifiers if item.is_called}
    assert called == set()


@pytest.mark.parametrize(
    ("definition", "parameters", "body"),
    [
        ("#define A", None, ""),
        ("#define A (x)", None, " (x)"),
        ("#define n 4", None, " 4"),
        ("#define A() 1", ("",), " 1"),
        ("#define A(a, b)a##b", ("a", "b"), "a##b"),
        ("#define A(a /* ) */, rest...) \\\r\n  f(a)", ("a", "rest..."), " \\\n  f(a)"),
        ("#define A(...) f(__VA_ARGS__) // all", ("...",), " f(__VA_ARGS__)"),
        ("#define UNROLL #pragma unroll", None, ' _Pragma("unroll")'),
        ("#define A(a", None, "(a"),
    ],
)
def test_a_list_stands_directly_behind_the_name(
    definition: str, parameters: tuple[str, ...] | None, body: str
) -> None:
    (macro,) = find_macros(SourceText("a.cu", f"{definition}\n".encode()))
    assert (macro.parameters, macro.body) == (parameters, body)


@pytest.mark.parametrize(
    ("text", "definitions"),
    [
        (" # define A 1\n", [("A", " 1")]),
        ("#define F(x) \\\n  x\nint A;\n", [("F", "(x) \\\n  x")]),
        ("int a; #define A\n#undef B\n", []),
    ],
)
def test_definitions_in_a_text_of_ours(
    text: str, definitions: list[tuple[str, str]]
) -> None:
    assert DEFINITION.findall(text) == definitions


def test_a_text_without_directives_defines_nothing() -> None:
    assert find_macros(SourceText("a.cu", b"int define;\n")) == ()
