"""What is skimmed from a file is what its tokens say: nothing in a comment, a string or a
directive counts.
"""

from __future__ import annotations

import pytest

from crawler.cpp.directive_ranges import find_structure_marks
from crawler.cpp.functions import find_functions
from crawler.cpp.preprocessor.macros import find_macros
from crawler.cpp.source_text import SourceText
from crawler.cpp.word_index import find_word_occurrences

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
def test_signs_are_those_of_the_tokens(text: str) -> None:
    source = SourceText("a.cu", text.encode())
    wanted = [
        (lexeme.text, lexeme.offset)
        for lexeme in source.lexemes
        if (lexeme.text in ("{", "}", ";") and not lexeme.directive)
        or (lexeme.text == "#" and lexeme.directive == "#")
    ]
    assert [(sign.text, sign.start) for sign in find_structure_marks(source)] == wanted


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


def test_occurrences_are_whole_words() -> None:
    source = SourceText("a.cu", b"a ab a_b a1 (a)<<<b>>> // a")
    found = find_word_occurrences(source, frozenset({"a", "<<<"}))
    assert [(word, source.raw[at : at + 3]) for at, word in found] == [
        ("a", "a a"),
        ("a", "a)<"),
        ("<<<", "<<<"),
        ("a", "a"),
    ]
