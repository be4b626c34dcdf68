"""Macros of a file, those for `#pragma`, and the names that they paste."""

from __future__ import annotations

from crawler.cpp.files.identifier_uses import Identifier
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.preprocessor.pragma_macros import (
    blank_pragma_macros,
    convert_to_pragma_operator,
    has_pragma_macros,
)
from crawler.cpp.preprocessor.token_pasting import find_pasted_identifiers

PRAGMA = "#define UNROLL #pragma unroll 4"


def expand_pasted(definition: str, use: str) -> set[Identifier]:
    text = f"{definition}\n{use}\n"
    source = SourceText("a.cu", text.encode())
    macros = {macro.name: [macro] for macro in find_macros(source)}
    return set(find_pasted_identifiers(source, text.rindex(use), len(text), macros))


def test_macros_with_the_names_that_they_use() -> None:
    text = "#define A(x) /* c */ \\\r\n  f(x, A)\n#undef A\n  # define B\n#define\nint c;\n"
    first, second = find_macros(SourceText("a.cu", text.encode()))
    assert (first.name, first.start, first.name_offset) == ("A", 0, 8)
    assert first.text == "#define A(x) /* c */ \\\n  f(x, A)"
    assert first.used_names == {"define", "x", "f"}
    assert (second.name, second.text) == ("B", "# define B")


def test_a_macro_for_a_pragma_is_one_for_the_operator() -> None:
    source = SourceText("a.cu", f"{PRAGMA}\nint a;\n".encode())
    assert has_pragma_macros(source)
    assert convert_to_pragma_operator(PRAGMA) == '#define UNROLL _Pragma("unroll 4")'
    assert find_macros(source)[0].text == '#define UNROLL _Pragma("unroll 4")'
    blanked = blank_pragma_macros(source.raw)
    assert len(blanked) == len(source.raw)
    assert blanked.split("\n")[0].rstrip() == "#define UNROLL"


def test_quotes_within_a_pragma_are_escaped() -> None:
    assert convert_to_pragma_operator('#define W(x) #pragma message "a"') == (
        '#define W(x) _Pragma("message \\"a\\"")'
    )


def test_other_texts_stay() -> None:
    plain = "#pragma unroll\n#define A 1 // #pragma\n"
    assert not has_pragma_macros(SourceText("a.cu", plain.encode()))
    assert blank_pragma_macros(plain) == plain


def test_pasted_names() -> None:
    convert = "#define CONVERT(a, b) a##_to_##b(x)"
    assert expand_pasted(convert, "CONVERT(half, float)") == {
        Identifier("half_to_float", is_called=True)
    }
    assert expand_pasted(convert, "CONVERT") == set()
    assert expand_pasted(convert, "CONVERT(1 +, float)") == set()


def test_qualified_parameters() -> None:
    variable = "#define VARIABLE(name) library::environment::name"
    assert expand_pasted(variable, "VARIABLE(LOGGING)") == {
        Identifier("LOGGING", ("library", "environment"))
    }
    assert expand_pasted("#define A(name) library::value", "A(b)") == set()
