"""Macros of a file, with their text and the names that it uses."""

from __future__ import annotations

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros


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


def test_a_text_without_directives_defines_nothing() -> None:
    assert find_macros(SourceText("a.cu", b"int define;\n")) == ()
