"""The trees that expressions of host code are read into."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.expressions.expression import parse_expression
from crawler.validate.evidence.expressions.expression_tree import (
    Call,
    Expression,
    Name,
    Number,
    Operation,
)


def show(tree: Expression | None) -> str:
    """Return a tree as its operators with their operands behind them."""
    if tree is None:
        return "none"
    if isinstance(tree, Number):
        return str(tree.value)
    if isinstance(tree, Name):
        return tree.text
    if isinstance(tree, Operation):
        return f"({tree.sign} {' '.join(map(show, tree.operands))})"
    receiver = f"{tree.receiver}|" if tree.receiver else ""
    return f"{receiver}{tree.callee}[{', '.join(map(show, tree.arguments))}]"


def read(text: str) -> str:
    return show(parse_expression(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a || b && c", "(|| a (&& b c))"),
        ("a | b ^ c & d", "(| a (^ b (& c d)))"),
        ("a == b < c", "(== a (< b c))"),
        ("a < b << c", "(< a (<< b c))"),
        ("a << b + c", "(<< a (+ b c))"),
        ("a + b * c", "(+ a (* b c))"),
        ("a * b + c", "(+ (* a b) c)"),
        ("a - b - c", "(- (- a b) c)"),
        ("a / b % c", "(% (/ a b) c)"),
        ("a >= b != c", "(!= (>= a b) c)"),
        ("(a + b) * c", "(* (+ a b) c)"),
    ],
)
def test_operators_bind_as_in_cpp(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a ? b : c", "(? a b c)"),
        ("a ? b : c ? d : e", "(? a b (? c d e))"),
        ("a > 0 ? a + 1 : 2", "(? (> a 0) (+ a 1) 2)"),
    ],
)
def test_a_condition_binds_loosest_and_to_the_right(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-a", "(- a)"),
        ("!a", "(! a)"),
        ("~a", "(~ a)"),
        ("- -a", "(- (- a))"),
        # an address, and what a pointer points to, count as the variable
        ("&a", "a"),
        ("*a", "a"),
        ("+a", "a"),
        ("-a * b", "(* (- a) b)"),
    ],
)
def test_a_sign_in_front_belongs_to_what_is_next(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(int)a", "a"),
        ("(unsigned int)a + b", "(+ a b)"),
        ("(std::size_t)(a)", "a"),
        ("static_cast<int64_t>(a + b)", "(+ a b)"),
        ("reinterpret_cast<const float*>(p)", "p"),
        # a name in brackets is no type that is known
        ("(a)", "a"),
        ("(a)(b)", "a[b]"),
    ],
)
def test_a_cast_is_what_it_casts(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f()", "f[]"),
        ("f(a, b + c)", "f[a, (+ b c)]"),
        ("at::ceil_div(n, 256)", "at::ceil_div[n, 256]"),
        ("x.size(0)", "x|size[0]"),
        ("x->data.size(i)", "x->data|size[i]"),
        ("std::min<int>(a, b)", "std::min[a, b]"),
        ("x.template data_ptr<float>()", "x|template data_ptr[]".replace(" ", "")),
        ("dim3{a, b}", "dim3[a, b]"),
        ("{a, b}", "{}[a, b]"),
        ("f(g(a))", "f[g[a]]"),
    ],
)
def test_a_call_has_its_name_its_arguments_and_what_it_is_asked_of(
    text: str, expected: str
) -> None:
    assert read(text) == expected


def test_a_call_keeps_its_whole_text_without_blanks() -> None:
    tree = parse_expression("std::min<int>( a , b )")
    assert isinstance(tree, Call)
    assert tree.text == "std::min<int>(a,b)"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b", "a.b"),
        ("a->b.c", "a->b.c"),
        ("a[i + 1]", "a[i+1]"),
        ("a[i][j]", "a[i][j]"),
        ("::n", "::n"),
        ("ns::Class<int, 4>::kSize", "ns::Class<int,4>::kSize"),
        ("sizeof(float)", "sizeof(float)"),
        ("sizeof(unsigned int) * n", "(* sizeof(unsigned int) n)"),
        ("sizeof(f(x))", "sizeof(f(x))"),
    ],
)
def test_what_is_not_looked_into_is_a_name_by_its_text(
    text: str, expected: str
) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b", "(< a b)"),
        ("a < b && c > (d)", "(&& (< a b) (> c d))"),
        ("a < b || c > (d)", "(|| (< a b) (> c d))"),
        ("a < b > c", "(> (< a b) c)"),
    ],
)
def test_a_comparison_is_not_taken_for_template_arguments(
    text: str, expected: str
) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("'a'", 97), ("0x10", 16), ("32u", 32), ("1.5f", 1.5)]
)
def test_a_literal_is_its_number(text: str, expected: float) -> None:
    assert parse_expression(text) == Number(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a b",
        "a +",
        "(a",
        "a)",
        "f(a",
        "f(a b)",
        "a ? b",
        "a ? b c",
        "a.1",
        "a[1",
        "sizeof(a",
        "sizeof a",
        "static_cast<int> a",
        "+ ;",
    ],
)
def test_what_is_no_expression_has_no_tree(text: str) -> None:
    assert parse_expression(text) is None


def test_brackets_within_brackets_are_read_to_a_depth_and_no_further() -> None:
    assert read("(" * 50 + "a" + ")" * 50) == "a"
    assert parse_expression("(" * 61 + "a" + ")" * 61) is None
    assert parse_expression("-" * 100 + "a") is None
    # one beside the other is no depth
    assert read(" + ".join(["(a)"] * 100)).count("a") == 100
