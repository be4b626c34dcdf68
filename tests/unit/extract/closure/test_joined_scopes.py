"""Neighbours in a unit share the scopes that they stand in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.lexer import tokenize
from crawler.extract.closure.joined_scopes import join_scopes
from crawler.model import Closure, TextReplacement

SQUARE = "__device__ float square(float v)\n{\n  return v * v;\n}"


def join(*fragments: str, making: tuple[TextReplacement, ...] = ()) -> tuple[str, ...]:
    closure = Closure(
        includes=(),
        fragments=fragments,
        origins=(None,) * len(fragments),
        making=making,
    )
    return join_scopes(closure).fragments


def scoped(text: str, *names: str) -> str:
    openings = "".join(f"namespace {name} {{\n" for name in names)
    return openings + text + "\n}" * len(names)


def test_a_namespace_of_two_neighbours_is_opened_once() -> None:
    assert join(scoped("struct A {};", "maths"), scoped(SQUARE, "maths")) == (
        "namespace maths {\nstruct A {};",
        f"{SQUARE}\n}}",
    )


def test_what_only_one_of_them_stands_in_is_opened_and_closed_for_it() -> None:
    assert join(
        scoped("struct A {};", "maths", "detail"),
        scoped(SQUARE, "maths"),
        scoped("struct B {};", "maths", "other"),
    ) == (
        "namespace maths {\nnamespace detail {\nstruct A {};\n}",
        SQUARE,
        "namespace other {\nstruct B {};\n}\n}",
    )


@pytest.mark.parametrize(
    "opening", ["namespace {\n", 'extern "C" {\n', "inline namespace v1 {\n"]
)
def test_scopes_of_other_kinds_are_shared_too(opening: str) -> None:
    fragment = f"{opening}struct A;\n}}"

    assert join(fragment, fragment) == (f"{opening}struct A;", "struct A;\n}")


def test_other_namespaces_and_none_are_left_alone() -> None:
    fragments = (
        scoped("struct A {};", "maths"),
        scoped("struct A {};", "physics"),
        SQUARE,
        "#define TILE 16",
        scoped("struct B {};", "maths"),
    )

    assert join(*fragments) == fragments


def test_a_scope_that_ends_within_its_fragment_is_not_taken_for_its_whole() -> None:
    fragment = "namespace maths {\nstruct A;\n}\nvoid f()\n{\n}"

    assert join(fragment, fragment) == (fragment, fragment)


def test_where_the_structures_of_the_host_are_made_both_sides_stay_whole() -> None:
    fragments = [scoped(f"struct {name} {{}};", "maths") for name in "ABCD"]
    making = (TextReplacement(start=1, end=2, text="namespace maths { struct B; }"),)

    assert join(*fragments, making=making) == (
        fragments[0],
        fragments[1],
        "namespace maths {\nstruct C {};",
        "struct D {};\n}",
    )


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b", ""]), max_size=3), min_size=1, max_size=8
    )
)
def test_each_declaration_stays_in_its_scopes(paths: list[list[str]]) -> None:
    fragments = [
        scoped(f"struct S{index};", *names) for index, names in enumerate(paths)
    ]

    assert _list_paths("\n\n".join(join(*fragments))) == {
        f"S{index}": names for index, names in enumerate(paths)
    }


def _list_paths(text: str) -> dict[str, list[str]]:
    """Return the namespaces that each structure stands in."""
    paths: dict[str, list[str]] = {}
    names: list[str] = []
    words = [token.text for token in tokenize(text) if not token.text.isspace()]
    for index, word in enumerate(words):
        if word == "{":
            before = words[index - 1]
            names.append("" if before == "namespace" else before)
        elif word == "}":
            names.pop()
        elif word == "struct":
            paths[words[index + 1]] = list(names)

    assert not names
    return paths
