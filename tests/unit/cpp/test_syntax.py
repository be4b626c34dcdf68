"""Syntax trees of text that may be broken."""

from __future__ import annotations

from crawler.cpp.syntax import function_declarator, function_definitions, parse

TEXT = b"""
namespace a { template <typename T> __global__ void k(T* x) { auto f = [](int i) { return i; }; } }
struct S { int* g() const { return nullptr; } int h(); };
void broken( { } ;
int last() { return 0; }
"""


def test_functions_are_found_beside_what_is_broken() -> None:
    tree = parse(TEXT, seconds=10)
    assert tree is not None
    named = set()
    for definition in function_definitions(tree.root_node):
        declarator = function_declarator(definition)
        assert declarator is not None
        name = declarator.child_by_field_name("declarator")
        named.add(name.text if name else b"")
    assert {b"k", b"g", b"last"} <= named
    assert b"h" not in named


def test_a_tree_that_takes_too_long_is_none() -> None:
    assert parse(b"a<" * 20_000, seconds=0.0) is None
