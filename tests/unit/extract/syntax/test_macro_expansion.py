"""A macro's use is replaced as the preprocessor does it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.syntax.macro_expansion import (
    MAX_EXPANDED_CHARACTERS,
    MacroDefinition,
    read_macro_definition,
    substitute_arguments,
)

DEFINITIONS = [
    ("#define M(x, y) x + y * x", ("a", "b")),
    ("#define M(name) name##_kernel<name##_t>()", ("add",)),
    ("#define M(text) puts(#text)", ("a + b",)),
    ("#define M(f, ...) f(__VA_ARGS__)", ("g", "1", "2", "3")),
    ("#define M(f, rest...) f(rest)", ("g", "1", "2")),
    ("#define M(f, ...) f(0, __VA_ARGS__)", ("g", "1")),
    ("#define M(x) { x; \\\n  x; }", ("f()",)),
    ("#define M(x) x/* a comment */x", ("1",)),
    ("#define M(x, y) x y", ("if (a)", "f(1, 2)")),
]


def read_definition(definition: str) -> MacroDefinition:
    source = SourceText("a.cu", f"{definition}\nint after;\n".encode())
    (macro,) = find_macros(source)
    return read_macro_definition(source, macro)


def expand(definition: str, *arguments: str) -> str:
    return substitute_arguments(read_definition(definition), arguments, {})


def preprocess(compiler: str, definition: str, arguments: tuple[str, ...]) -> str:
    text = f"{definition}\nM({', '.join(arguments)})\n"
    return subprocess.run(
        [compiler, "-E", "-P", "-x", "c++", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.parametrize(("definition", "arguments"), DEFINITIONS)
def test_a_compiler_expands_to_the_same_tokens(
    definition: str, arguments: tuple[str, ...]
) -> None:
    compiler = shutil.which("clang-19") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no preprocessor is installed")

    ours = SourceText("", expand(definition, *arguments).encode())
    theirs = SourceText("", preprocess(compiler, definition, arguments).encode())
    assert [lexeme.text for lexeme in ours.lexemes] == [
        lexeme.text for lexeme in theirs.lexemes
    ]


def test_a_list_of_parameters_stands_directly_behind_the_name() -> None:
    assert read_definition("#define A(x, rest...) x").parameters == ("x", "rest...")
    assert read_definition("#define A() 1").parameters == ("",)
    assert read_definition("#define A (x) x").parameters is None
    assert read_definition("#define A 1").parameters is None
    assert read_definition("#define A").parameters is None


def test_a_body_ends_with_its_directive() -> None:
    texts = [lexeme.text for lexeme in read_definition("#define A(x) f(x)").body]
    assert texts == ["f", "(", "x", ")"]


def test_parameters_without_an_argument_are_left_as_they_are() -> None:
    assert expand("#define A(x, y) x + y", "1") == "1 + y"


def test_names_in_strings_are_no_parameters() -> None:
    assert expand('#define A(x) f("x", x)', "1") == 'f("x", 1)'


def test_a_hash_before_another_name_is_left_out() -> None:
    assert expand("#define A(x) #y x", "1") == "y 1"


def test_a_string_of_an_argument_escapes_quotes_and_backslashes() -> None:
    assert expand("#define A(x) #x", '"a\\n"') == '"\\"a\\\\n\\""'


def test_marks_stand_in_front_of_their_tokens() -> None:
    definition = read_definition("#define A(k) k<<<1, 2>>>()")
    (chevrons,) = [token for token in definition.body if token.text == "<<<"]
    marked = substitute_arguments(definition, ("add",), {chevrons.offset: "/*1*/"})
    assert marked == "add/*1*/<<<1, 2>>>()"


def test_an_expansion_stops_when_it_is_too_long() -> None:
    argument = "x" * (MAX_EXPANDED_CHARACTERS // 2)
    expanded = expand("#define A(x) x x x x x x x x", argument)
    assert len(expanded) < 2 * MAX_EXPANDED_CHARACTERS
