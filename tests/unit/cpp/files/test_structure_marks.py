"""Structure marks: what the tokens say, nothing in a comment, a string or a directive."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.directives import with_directives
from crawler.cpp.files.functions import find_functions
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import (
    DIRECTIVE,
    find_directive_ranges,
    find_structure_marks,
    iter_structure_marks,
)
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.preprocessor.macros import find_macros

PIECES = (
    *(
        "{",
        "}",
        ";",
        "#",
        "\n",
        "\r\n",
        " ",
        "a",
        '"',
        "'",
        '"{"',
        "'}'",
        "/*;*/",
        "// {\n",
        " 1'000 ",
    ),
    *('R"x(;)x"', ' u8R"({)"', "#define A {\n", "\n#if B\n", "(", ")", "L'{'"),
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map(
        lambda pieces: " ".join(("", *pieces))
    )
)
def test_braces_and_semicolons_are_those_of_the_tokens(text: str) -> None:
    offset = 0
    expected = []
    for token, directive in with_directives(tokenize(text)):
        if (
            token.kind is TokenKind.PUNCTUATION
            and token.text in ("{", "}", ";")
            and not directive
        ):
            expected.append((token.text, offset))
        offset += len(token.text)
    assert [
        (mark.text, mark.start)
        for mark in iter_structure_marks(text)
        if mark.text != DIRECTIVE
    ] == expected


def test_a_directive_is_one_sign_with_all_its_lines() -> None:
    text = '#define A { \\\n  ; }\nint f() { g(";"); }\n'
    marked_texts = [
        (mark.text, text[mark.start : mark.end]) for mark in iter_structure_marks(text)
    ]
    assert marked_texts == [
        ("#", "#define A { \\\n  ; }"),
        ("{", "{"),
        (";", ";"),
        ("}", "}"),
    ]


@pytest.mark.parametrize("hostile", ["'", '"', "/*", "#", "#\\\n", 'R"(', "{;}", "1'"])
def test_hostile_texts_cost_linear_time(hostile: str) -> None:
    start = time.process_time()
    assert sum(1 for _ in iter_structure_marks(hostile * 20_000)) >= 0
    assert time.process_time() - start < 5


TEXTS = {
    "plain": "int f() { return 1; }\n",
    "comments": "/* { */ int f() // }\n{ ; /* ; */ }\n",
    "strings": "auto a = \"{\" \"\\\"}\" u8\"{;\";\nchar c = '{', d = '\\'', e = L'}';\n",
    "raw strings": 'auto a = R"({ " })", b = u8R"x(}")x";\nstruct s {};\n',
    "digits": "int a = 1'000'000; long b = 0xAB'CD; auto c = u8'a';\n",
    "directives": "#if A /* { */\n#define F(x) { x; }\n  # define G \\\n  { \\\n  }\n#endif // }\nint a;\n",
    "comment before a directive": "/* a */ # define A {\nint b; # no directive {\n",
    "message": "#error don't { \nint a;\n",
    "spliced": "int a; \\\n#b\nint c;\n",
    "long comment in a directive": "#define A /* {\n } */ { ;\nint a;\n",
    "open": "int f() { /* never closed }",
    "open string": 'auto a = "never closed }\nint b;\n',
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_marks_are_those_of_the_tokens(text: str) -> None:
    source = SourceText("a.cu", text.encode())
    expected = [
        (lexeme.text, lexeme.offset)
        for lexeme in source.lexemes
        if (lexeme.text in ("{", "}", ";") and not lexeme.directive)
        or (lexeme.text == "#" and lexeme.directive == "#")
    ]
    assert [
        (mark.text, mark.start) for mark in find_structure_marks(source)
    ] == expected


def test_a_file_is_told_from_its_skimmed_text_alone() -> None:
    head = "[[nodiscard]]\n#endif\nint f(int a) { return 1; }"
    text = f"#define MUL(a, b) /* {{ */ \\\n  ((a) * (b))\nnamespace n {{\n#if X\n{head}\n}}\n"
    source = SourceText("a.cu", text.encode())
    (macro,) = find_macros(source)
    assert macro.text == "#define MUL(a, b) /* { */ \\\n  ((a) * (b))"
    assert macro.used_names == {"define", "a", "b"}
    (function,) = find_functions(source)
    assert function.name == "n::f"
    assert text[function.start : function.end] == head
    assert "lexemes" not in source.__dict__


def test_directive_ranges_hold_their_continued_lines() -> None:
    text = "int a;\n#define B \\\n  {\n  #if C // d\nint e;\n"
    source = SourceText("a.cu", text.encode())
    ranges = find_directive_ranges(source)
    assert [text[start:end] for start, end in ranges] == [
        "#define B \\\n  {",
        "#if C // d",
    ]
