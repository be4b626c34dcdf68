"""A test is split into what is given, the solution and what is held out."""

from __future__ import annotations

import pytest

from crawler.dataset.programs.split_test import build_split_test, find_open_scopes
from tests.run_records import BLOBS, make_run_records

PASSED, *_ = make_run_records()


@pytest.mark.parametrize(
    ("context", "scopes"),
    [
        ("", ()),
        ("struct A { int b; };\n", ()),
        ("namespace a { int b; }\n", ()),
        ("int b;\nnamespace a::b {\nint c() { return 1; }\n", ("namespace a::b",)),
        (
            "namespace a {\ninline namespace b\n{\n",
            ("namespace a", "inline namespace b"),
        ),
        ("#include <x>\nnamespace {\n", ("namespace",)),
        ('extern "C" {\n', ('extern "C"',)),
        ("// namespace c {\nnamespace a { // }\n", ("namespace a",)),
        ("struct A {\n", None),
        ("}\n", None),
        ('const char* text = "{";\n', ()),
    ],
)
def test_the_namespaces_that_the_kernel_stands_in_are_named(
    context: str, scopes: tuple[str, ...] | None
) -> None:
    assert find_open_scopes(context) == scopes


def test_what_is_given_is_whole_and_holds_neither_kernel_nor_outputs() -> None:
    split = build_split_test(PASSED, BLOBS.get)
    assert split
    assert "warp_sum" in split.context
    assert "block_sum" not in split.context
    assert split.context.count("{") == split.context.count("}")
    assert split.solution.count("{") == split.solution.count("}")
    assert "void block_sum" in split.solution
    assert "void block_sum" not in split.test
    assert '#include "../solution.cu"' in split.test


def test_a_kernel_that_was_not_run_has_no_test() -> None:
    _, unrun = make_run_records()
    assert build_split_test(unrun, BLOBS.get) is None
    assert build_split_test(PASSED, None) is None
