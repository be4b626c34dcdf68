"""What the comments within a kernel say of its steps."""

from __future__ import annotations

import pytest

from crawler.dataset.prompts.step_comments import describe_steps


def describe_body(body: str) -> str:
    return describe_steps(f"// what is in front\n__global__ void k() {{\n{body}\n}}")


def test_comments_are_told_in_their_order_and_once() -> None:
    body = (
        "// load the values of a row\na = b;\n/* then add up the rest. */\n"
        "// load the values of a row\n"
    )
    assert describe_body(body) == "load the values of a row; then add up the rest"


def test_line_comments_on_adjacent_lines_are_one() -> None:
    body = "a = b;  // of this value\n// The sum is kept\n// in a register.\n\n// and it is written"
    assert describe_body(body) == (
        "of this value The sum is kept in a register; and it is written"
    )


def test_a_block_over_lines_is_one() -> None:
    assert describe_body("/*\n * the sum of\n * all rows\n */") == "the sum of all rows"


@pytest.mark.parametrize(
    "comment",
    [
        "two words",
        "x = y + z;",
        "call(what is left) here",
        "a[i] of the row",
        "TODO: make this faster",
        "FIXME speed this up",
        "why is this here?",
        "see https://example.org for more",
        "1 2 3 4",
        "if a == b then",
        "long " * 60,
    ],
)
def test_what_is_no_prose_is_not_told(comment: str) -> None:
    assert describe_body(f"// {comment}\n") == ""


def test_a_string_and_what_stands_in_front_of_the_body_are_no_comments() -> None:
    assert describe_body('f("// not a comment here");') == ""
    assert describe_steps("// only a head of it\nMAKE(k)") == ""


def test_only_so_much_is_told() -> None:
    lines = "".join(f"// this is step number {n} of the many\n\n" for n in range(99))
    assert 400 < len(describe_body(lines)) <= 500
