"""Launches that macros make, by what each use expands to."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from crawler.cpp.files.source_text import SourceFiles, SourceText
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.extract.syntax.launch_syntax import LaunchText
from crawler.extract.syntax.macro_expansion import (
    read_macro_definition,
    substitute_arguments,
)
from crawler.extract.syntax.macro_launches import MacroLaunches


def launches_of(tmp_path: Path, text: str) -> list[LaunchText]:
    (tmp_path / "a.cu").write_text(text)
    sources = SourceFiles(tmp_path)
    macros: dict[str, list[Macro]] = defaultdict(list)
    for macro in find_macros(sources["a.cu"]):
        macros[macro.name].append(macro)
    return list(MacroLaunches(sources, macros).find_file_launches("a.cu"))


def expand(definition: str, *arguments: str) -> str:
    source = SourceText("a.cu", f"{definition}\n".encode())
    (macro,) = find_macros(source)
    return substitute_arguments(read_macro_definition(source, macro), arguments, {})


@pytest.mark.parametrize(
    ("definition", "arguments", "text"),
    [
        ("#define A(x) f(x, y)", ("1",), "f(1, y)"),
        ("#define A(x) x##_kernel", ("add",), "add_kernel"),
        ("#define A(x) g(#x)", ('a "b"',), 'g("a \\"b\\"")'),
        ("#define A(x, ...) f(x, __VA_ARGS__)", ("1", "2", "3"), "f(1, 2, 3)"),
        ("#define A(x, args...) f(args)", ("1", "2", "3"), "f(2, 3)"),
        ("#define A (1)", (), "(1)"),
        ("#define A(x) f(x); \\\n  g(x)", ("1",), "f(1); \n  g(1)"),
        ("#define A(x)", ("1",), ""),
    ],
)
def test_arguments_stand_in_place_of_parameters(
    definition: str, arguments: tuple[str, ...], text: str
) -> None:
    assert expand(definition, *arguments) == text


def test_a_use_launches_what_it_expands_to(tmp_path: Path) -> None:
    text = (
        "#define LAUNCH(k, n, ...) const int m = n; k<<<m, 256>>>(__VA_ARGS__)\n"
        "void f() { LAUNCH(add<float>, 4, x, y); }\n"
    )
    (launch,) = launches_of(tmp_path, text)
    assert (launch.name, launch.template_arguments) == ("add", ("float",))
    assert (launch.grid, launch.block, launch.arguments) == ("m", "256", ("x", "y"))
    assert text[launch.start : launch.end] == "LAUNCH(add<float>, 4, x, y)"
    assert launch.preceding_text.strip() == "const int m = 4;"
    assert launch.macro_span is not None
    assert text[launch.macro_span.offset : launch.macro_span.end_offset] == "<<<"


def test_macros_within_macros(tmp_path: Path) -> None:
    text = (
        "#define INNER(k) k<<<1, 2>>>(x)\n"
        "#define OUTER(k) INNER(k##_kernel)\n"
        "void f() { OUTER(add); }\n"
    )
    assert [launch.name for launch in launches_of(tmp_path, text)] == ["add_kernel"]


def test_a_macro_that_uses_itself_comes_to_an_end(tmp_path: Path) -> None:
    text = "#define AGAIN(k) k<<<1, 2>>>(x); AGAIN(k)\nvoid f() { AGAIN(add); }\n"
    assert [launch.name for launch in launches_of(tmp_path, text)] == ["add"]


def test_the_definition_above_counts(tmp_path: Path) -> None:
    text = (
        "#define RUN(x) first<<<1, 2>>>(x)\n"
        "void f() { RUN(1); }\n"
        "#define RUN(x) second<<<1, 2>>>(x)\n"
        "void g() { RUN(1); }\n"
    )
    launches = launches_of(tmp_path, text)
    assert [launch.name for launch in launches] == ["first", "second"]


def test_a_name_without_arguments_is_no_use(tmp_path: Path) -> None:
    text = "#define RUN(x) add<<<1, 2>>>(x)\nvoid f() { RUN; }\n"
    assert launches_of(tmp_path, text) == []
