"""Default arguments that clang refuses."""

from __future__ import annotations

import pytest

from crawler.validate.programs.host_build.refused_defaults import (
    drop_refused_defaults,
    mend_refused,
)

REFUSED = "error: redefinition of default argument"


def drop(line: str, name: str) -> str:
    """Return the line with what clang refuses of the parameter `name` dropped."""
    # what a header of the system has on the same line is no project's
    text = f'# 3 "/checkout/a.h" 1\n{line}\n# 3 "/usr/include/x.h" 1 3\n{line}\n'
    column = line.index(name) + 1
    dropped = drop_refused_defaults(text, f"/checkout/a.h:3:{column}: {REFUSED}\n")
    _, own, _, other, _ = dropped.split("\n")
    assert other == line
    return own


@pytest.mark.parametrize(
    ("line", "dropped"),
    [
        ("void f(int name = 0) {", "void f(int name ) {"),
        ("void f(int name = (1, 2), int m = 3) {", "void f(int name , int m = 3) {"),
        ("void f(T name = T{1, g(2)}, U u) {", "void f(T name , U u) {"),
    ],
)
def test_the_default_that_is_named_goes(line: str, dropped: str) -> None:
    assert drop(line, "name") == dropped


@pytest.mark.parametrize("line", ["void f(int name) {", "name", "f(name = ((", "name)"])
def test_what_has_no_default_stays(line: str) -> None:
    assert drop(line, "name") == line


def test_a_function_that_was_declared_for_all_stays_so() -> None:
    own = "int area(int);\n__attribute__((internal_linkage)) int area(int x) {}\n"
    message = (
        "/checkout/a.cu:2:5: error: 'internal_linkage' attribute does not appear on the first"
        " declaration\n"
    )

    assert "internal_linkage" not in mend_refused(own, message)
    assert mend_refused(own, "error: unknown type name 'x'\n") == own


def test_lines_keep_their_numbers() -> None:
    text = '# 1 "/checkout/a.h" 1\nvoid f(int n =\n  4, int m) {\n}\n'
    message = (
        "/checkout/a.h:1:12: error: default arguments cannot be added to a function"
        " template that has already been declared\n"
    )

    assert drop_refused_defaults(text, message) == (
        '# 1 "/checkout/a.h" 1\nvoid f(int n \n, int m) {\n}\n'
    )


def test_a_header_that_is_included_twice_is_changed_twice() -> None:
    text = '# 1 "/checkout/a.h" 1\nvoid f(int n = 1);\n' * 2
    dropped = drop_refused_defaults(text, f"/checkout/a.h:1:12: {REFUSED}\n")

    assert dropped.count("void f(int n );") == 2


def test_other_messages_change_nothing() -> None:
    text = '# 1 "/checkout/a.h" 1\nvoid f(int n = 1);\n'

    assert drop_refused_defaults(text, "/checkout/a.h:1:12: error: no type\n") is text
    assert drop_refused_defaults(text, f"/other.h:1:12: {REFUSED}\n") == text
