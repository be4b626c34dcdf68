"""What may stand in place of an expression: other operators, conditions, constants, indices,
arguments, and no barrier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from tree_sitter import Node

Mutation = tuple[str, str]
"""Its kind, and the text."""
_ARITHMETIC: Final = {
    "+": "-",
    "-": "+",
    "*": "+",
    "/": "*",
    "%": "*",
    "&": "|",
    "|": "&",
    "^": "&",
    "<<": ">>",
    ">>": "<<",
}
_RELATIONS: Final = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
}
_ASSIGNMENTS: Final = {
    "+=": "-=",
    "-=": "+=",
    "*=": "+=",
    "/=": "*=",
    "&=": "|=",
    "|=": "&=",
    "^=": "&=",
    "<<=": ">>=",
    ">>=": "<<=",
}
_BARRIERS: Final = frozenset({"__syncthreads", "__syncwarp", "sync"})
_SYMMETRIC_FUNCTIONS: Final = (
    "min",
    "max",
    "fmin",
    "fmax",
    "hypot",
    "mul24",
    "umin",
    "umax",
    "hadd",
    "hmul",
    "fadd",
    "fmul",
    "dadd",
    "dmul",
    "gcd",
)
"""What functions whose arguments may change places begin or end with, `_` in front aside."""
_MAX_SWAPS: Final = 3


def list_mutations(node: Node) -> list[Mutation]:
    """Return what may stand in place of a node; of a condition, in place of its expression."""
    mutate = _MUTATORS.get(node.type)
    return list(mutate(node)) if mutate else []


def find_condition(node: Node | None) -> Node | None:
    """Return the expression of a condition; `None` for what is none, and for a condition that
    declares something.
    """
    if node is None or node.type != "condition_clause":
        return None

    expression = node.child_by_field_name("value")
    if expression is None or expression.type in ("declaration", "init_statement"):
        return None

    return expression


def _text_of(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape") if node else ""


def _field_text(node: Node, field: str) -> str:
    return _text_of(node.child_by_field_name(field))


def _mutate_binary(node: Node) -> Iterator[Mutation]:
    left_operand = _field_text(node, "left")
    operator = _field_text(node, "operator")
    right_operand = _field_text(node, "right")
    if operator in _ARITHMETIC:
        yield (
            "arithmetic",
            f"({left_operand}) {_ARITHMETIC[operator]} ({right_operand})",
        )

    relations = _RELATIONS.get(operator, ())
    # to turn a condition round tells no more than to make it always true, and always false
    if find_condition(node.parent) == node:
        relations = relations[:1]

    for relation in relations:
        yield "relation", f"({left_operand}) {relation} ({right_operand})"

    if operator in ("&&", "||"):
        yield "condition", f"bool({left_operand})"
        yield "condition", f"bool({right_operand})"


def _mutate_assignment(node: Node) -> Iterator[Mutation]:
    operator = _field_text(node, "operator")
    if operator in _ASSIGNMENTS:
        left_operand = _field_text(node, "left")
        right_operand = _field_text(node, "right")
        yield "assignment", f"{left_operand} {_ASSIGNMENTS[operator]} ({right_operand})"


def _mutate_unary(node: Node) -> Iterator[Mutation]:
    operator = _field_text(node, "operator")
    operand = node.child_by_field_name("argument")
    # `-1` is a constant, which is changed as such
    if operand is None or operand.type == "number_literal":
        return

    if operator == "!":
        yield "negation", f"bool({_text_of(operand)})"
    elif operator in ("-", "~"):
        yield "negation", f"({_text_of(operand)})"


def _mutate_number(node: Node) -> Iterator[Mutation]:
    yield "constant", f"{_text_of(node)} + 1"


def _mutate_condition(node: Node) -> Iterator[Mutation]:
    """Yield what an `if` may be decided by instead; a loop that never ends tells nothing more."""
    statement = node.parent
    if statement is None or statement.type == "switch_statement":
        return
    if find_condition(node) is None:
        return

    if statement.type == "if_statement":
        yield "condition", "true"

    yield "condition", "false"


def _mutate_subscript(node: Node) -> Iterator[Mutation]:
    subscript = node.child_by_field_name("indices")
    indices = subscript.named_children if subscript else []
    # a number is changed as such
    if len(indices) != 1 or indices[0].type == "number_literal":
        return

    array = _field_text(node, "argument")
    yield "index", f"{array}[({_text_of(indices[0])}) + 1]"


def _mutate_call(node: Node) -> Iterator[Mutation]:
    function = _field_text(node, "function")
    dotted = function.replace("->", ".").replace("::", ".")
    name = dotted.rpartition(".")[2].strip()
    if name in _BARRIERS:
        yield "barrier", "(void)0"
        return

    bare_name = name.strip("_")
    if bare_name.startswith(_SYMMETRIC_FUNCTIONS):
        return
    if bare_name.endswith(_SYMMETRIC_FUNCTIONS):
        return

    arguments = _list_arguments(node)

    for position in range(min(len(arguments) - 1, _MAX_SWAPS)):
        first, second = arguments[position : position + 2]
        if first == second:
            continue

        behind = arguments[position + 2 :]
        swapped = [*arguments[:position], second, first, *behind]
        yield "arguments", f"{function}({', '.join(swapped)})"


def _list_arguments(call: Node) -> list[str]:
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return []

    return [
        _text_of(child) for child in arguments.named_children if child.type != "comment"
    ]


_MUTATORS: Final[Mapping[str, Callable[[Node], Iterator[Mutation]]]] = {
    "binary_expression": _mutate_binary,
    "assignment_expression": _mutate_assignment,
    "unary_expression": _mutate_unary,
    "number_literal": _mutate_number,
    "subscript_expression": _mutate_subscript,
    "call_expression": _mutate_call,
    "condition_clause": _mutate_condition,
}
