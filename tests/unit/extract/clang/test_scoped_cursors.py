"""What stands at namespace level is listed with the scopes that a unit must open for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang import parse
from crawler.extract.clang.cursor_queries import (
    CursorLocations,
    NodeBudget,
    collect_descendants,
)
from crawler.extract.clang.scoped_cursors import ScopedCursor, collect_scoped_cursors

Scopes = Callable[[str], dict[str, ScopedCursor]]


@pytest.fixture
def scopes(project: Callable[..., Any]) -> Scopes:
    """Return what a file declares at namespace level, by name."""

    def collect(text: str) -> dict[str, ScopedCursor]:
        planted = project({"a.cu": text})
        unit = parse.parse_unit(planted.root, planted.commands[0], has_torch=False)
        locations = CursorLocations(planted.root, ".")
        scoped = collect_scoped_cursors(unit, locations, SourceFiles(planted.root))
        return {
            scoped_cursor.cursor.spelling: scoped_cursor for scoped_cursor in scoped
        }

    return collect


@pytest.mark.parametrize(
    ("text", "openings", "namespaces"),
    [
        ("int x;", (), ()),
        ("namespace a { int x; }", ("namespace a {",), ("a",)),
        (
            "namespace a::b { int x; }",
            ("namespace a {", "namespace b {"),
            ("a", "b"),
        ),
        ("inline namespace v1 { int x; }", ("inline namespace v1 {",), ("v1",)),
        ("namespace { int x; }", (), ()),
        ('extern "C" { int x; }', ('extern "C" {',), ()),
        ('extern "C++" { int x; }', ('extern "C++" {',), ()),
        (
            'extern "C" { extern  "C++" { int x; } }',
            ('extern "C" {', 'extern "C++" {'),
            (),
        ),
        (
            'namespace a { extern "C" { int x; } }',
            ("namespace a {", 'extern "C" {'),
            ("a",),
        ),
        ("namespace a { namespace { int x; } }", ("namespace a {",), ("a",)),
    ],
)
def test_the_scopes_of_a_declaration(
    scopes: Scopes, text: str, openings: tuple[str, ...], namespaces: tuple[str, ...]
) -> None:
    scoped_cursor = scopes(f"{text}\n")["x"]
    assert scoped_cursor.scope_openings == openings
    assert scoped_cursor.namespaces == namespaces
    assert scoped_cursor.path == "a.cu"


def test_a_variable_template_is_no_scope(scopes: Scopes) -> None:
    declared = scopes("template <class T> constexpr int size = sizeof(T);\n")
    assert declared["size"].scope_openings == ()


def test_what_a_macro_opens_comes_along_with_its_use(scopes: Scopes) -> None:
    text = "#define MAKE(name) namespace made { struct name {}; }\nMAKE(Thing)\n"
    scoped_cursor = scopes(text)["Thing"]
    assert scoped_cursor.scope_openings == ()
    assert scoped_cursor.namespaces == ("made",)


def test_what_a_macro_merely_opens_is_opened(scopes: Scopes) -> None:
    text = "#define OPEN namespace made {\nOPEN\nstruct Thing {};\n}\n"
    assert scopes(text)["Thing"].scope_openings == ("namespace made {",)


def test_headers_of_the_system_are_left_out(scopes: Scopes) -> None:
    declared = scopes("#include <stddef.h>\nsize_t own;\n")
    assert "own" in declared
    assert "size_t" not in declared


def test_descendants_are_collected_while_the_budget_lasts(scopes: Scopes) -> None:
    body = "".join(f"x = x + {number};" for number in range(100))
    function = scopes(f"void f(int x) {{ {body} }}\n")["f"].cursor
    kinds = {child.kind.value for child in function.get_children()}
    budget = NodeBudget(1_000_000)
    assert collect_descendants(function, kinds, budget)
    assert 0 < budget.remaining < 1_000_000

    spent = NodeBudget(1)
    assert len(collect_descendants(function, kinds, spent)) <= 1
    assert spent.remaining == 0
