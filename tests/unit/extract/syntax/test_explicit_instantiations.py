"""Names behind `template` without a parameter list are instantiated explicitly."""

from __future__ import annotations

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.explicit_instantiations import find_instantiated_names


def names_of(text: str) -> frozenset[str]:
    return find_instantiated_names(SourceText("a.cu", text.encode()))


def test_all_names_of_the_declaration_are_told() -> None:
    names = names_of("template __global__ void lib::scale<float>(float *x);")
    assert {"lib", "scale", "x", "float", "void"} <= names


@pytest.mark.parametrize(
    "text",
    [
        "template <class T> void scale(T *x);",
        "template<> void scale<int>(int *x);",
        "value.template get<int>();",
        "pointer->template get<int>();",
        "Owner::template Inner<int> inner;",
        "int my_template get;",
        "// template void scale<float>();",
        "",
    ],
)
def test_other_uses_of_the_word_instantiate_nothing(text: str) -> None:
    assert names_of(text) == frozenset()


def test_a_declaration_ends_with_its_semicolon() -> None:
    names = names_of("template struct Tile<4>; struct Other {}; int after;")
    assert "Tile" in names
    assert names.isdisjoint({"Other", "after"})


def test_a_brace_ends_it_too() -> None:
    assert "inside" not in names_of("template void f { inside(); }")


def test_a_declaration_is_not_read_without_end() -> None:
    padding = "a, " * 40
    assert "far" not in names_of(f"template void f({padding} far);")
