"""What may stand in place of each kind of expression, read from real device code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tree_sitter import Node

from crawler.cpp.syntax import parse
from crawler.validate.strength.mutation_operators import (
    find_condition,
    list_mutations,
)


def iter_nodes(text: str) -> Iterator[Node]:
    source = f"__device__ void f(int a, int b, int* x) {{ {text} }}"
    tree = parse(source.encode(), 3.0)
    assert tree is not None
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(node.children))


def mutations_of(text: str, expression: str) -> list[tuple[str, str]]:
    """Return the mutations of the outermost nodes with this text."""
    mutations: list[tuple[str, str]] = []
    for node in iter_nodes(text):
        if node.text == expression.encode():
            mutations.extend(list_mutations(node))
    return mutations


@pytest.mark.parametrize(
    ("operator", "other"),
    [
        ("+", "-"),
        ("-", "+"),
        ("*", "+"),
        ("/", "*"),
        ("%", "*"),
        ("&", "|"),
        ("|", "&"),
        ("^", "&"),
        ("<<", ">>"),
        (">>", "<<"),
    ],
)
def test_arithmetic_has_another_operator(operator: str, other: str) -> None:
    expression = f"a {operator} b"
    assert mutations_of(f"int c = {expression};", expression) == [
        ("arithmetic", f"(a) {other} (b)")
    ]


def test_operands_keep_their_own_operators() -> None:
    assert mutations_of("int c = a + b << 1;", "a + b << 1") == [
        ("arithmetic", "(a + b) >> (1)")
    ]


@pytest.mark.parametrize(
    ("operator", "other_operators"),
    [
        ("<", ["<=", ">="]),
        ("<=", ["<", ">"]),
        (">", [">=", "<="]),
        (">=", [">", "<"]),
        ("==", ["!="]),
        ("!=", ["=="]),
    ],
)
def test_a_comparison_is_shifted_by_one_and_turned_round(
    operator: str, other_operators: list[str]
) -> None:
    expression = f"a {operator} b"
    assert mutations_of(f"bool c = {expression};", expression) == [
        ("relation", f"(a) {other} (b)") for other in other_operators
    ]


def test_a_comparison_that_decides_a_branch_is_not_turned_round() -> None:
    mutations = mutations_of("if (a < b) return;", "a < b")
    assert mutations == [("relation", "(a) <= (b)")]


@pytest.mark.parametrize("operator", ["&&", "||"])
def test_one_of_two_conditions_is_left_out(operator: str) -> None:
    expression = f"a {operator} b"
    assert mutations_of(f"bool c = {expression};", expression) == [
        ("condition", "bool(a)"),
        ("condition", "bool(b)"),
    ]


@pytest.mark.parametrize(
    ("operator", "other"),
    [("+=", "-="), ("-=", "+="), ("*=", "+="), ("/=", "*="), ("<<=", ">>=")],
)
def test_an_assignment_that_computes_computes_otherwise(
    operator: str, other: str
) -> None:
    assert mutations_of(f"a {operator} b;", f"a {operator} b") == [
        ("assignment", f"a {other} (b)")
    ]


def test_a_plain_assignment_stays() -> None:
    assert mutations_of("a = b;", "a = b") == []


@pytest.mark.parametrize(
    ("expression", "text"), [("!a", "bool(a)"), ("-a", "(a)"), ("~a", "(a)")]
)
def test_a_negation_is_left_out(expression: str, text: str) -> None:
    assert mutations_of(f"int c = {expression};", expression) == [("negation", text)]


def test_a_negative_number_is_changed_once() -> None:
    changed = [
        mutation
        for node in iter_nodes("int c = -1;")
        for mutation in list_mutations(node)
    ]
    assert changed == [("constant", "-1 + 1")]


@pytest.mark.parametrize(
    ("statement", "texts"),
    [
        ("if (a) return;", ["true", "false"]),
        ("while (a) b++;", ["false"]),
        ("switch (a) { default: break; }", []),
        ("if (int c = b) return;", []),
    ],
)
def test_a_branch_is_decided_beforehand_and_no_loop_made_endless(
    statement: str, texts: list[str]
) -> None:
    decided = [
        text
        for node in iter_nodes(statement)
        if node.type == "condition_clause"
        for _, text in list_mutations(node)
    ]
    assert decided == texts


def test_an_index_is_one_further() -> None:
    assert mutations_of("x[a + b] = 0;", "x[a + b]") == [("index", "x[(a + b) + 1]")]


def test_an_index_that_is_a_number_is_changed_as_one() -> None:
    assert mutations_of("x[3] = 0;", "x[3]") == []


@pytest.mark.parametrize(
    "call",
    ["__syncthreads()", "__syncwarp()", "tile.sync()", "cta->sync()", "cg::sync(a)"],
)
def test_a_barrier_is_left_out(call: str) -> None:
    assert mutations_of(f"{call};", call) == [("barrier", "(void)0")]


def test_neighbouring_arguments_change_places() -> None:
    assert mutations_of("g(a, b, 3);", "g(a, b, 3)") == [
        ("arguments", "g(b, a, 3)"),
        ("arguments", "g(a, 3, b)"),
    ]


def test_equal_arguments_do_not() -> None:
    assert mutations_of("g(a, a);", "g(a, a)") == []


def test_of_many_arguments_the_first_few_do() -> None:
    assert len(mutations_of("g(1, 2, 3, 4, 5, 6);", "g(1, 2, 3, 4, 5, 6)")) == 3


@pytest.mark.parametrize(
    "function",
    [
        "min",
        "fmin",
        "fmaxf",
        "std::max",
        "__hmul",
        "__hadd2",
        "__fmul_rn",
        "__dadd_rn",
        "__umul24",
        "hypotf",
        "gcd",
    ],
)
def test_arguments_of_symmetric_functions_stay(function: str) -> None:
    call = f"{function}(a, b)"
    assert mutations_of(f"int c = {call};", call) == []


@pytest.mark.parametrize(
    "function", ["powf", "atan2f", "fmodf", "__fdiv_rn", "__fsub_rn"]
)
def test_arguments_of_others_change_places(function: str) -> None:
    mutations = mutations_of(f"float c = {function}(a, b);", f"{function}(a, b)")
    assert mutations == [("arguments", f"{function}(b, a)")]


def test_a_comment_between_arguments_is_no_argument() -> None:
    call = "g(a, /* width */ b)"
    assert mutations_of(f"{call};", call) == [("arguments", "g(b, a)")]


def test_no_node_has_no_condition() -> None:
    assert find_condition(None) is None
