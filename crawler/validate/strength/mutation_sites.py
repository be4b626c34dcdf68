"""Find where a kernel can be mutated: operators, conditions, constants, indices, barriers,
arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node, Tree

from crawler.cpp.syntax import parse

_SECONDS: Final = 3.0
"""Of the processor, for the tree of one unit."""
_OPERATORS: Final = {
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
_SYMMETRIC: Final = (
    "min",
    "max",
    "hypot",
    "mul24",
    "umin",
    "umax",
    "__hadd",
    "__hmul",
    "__fmul",
    "__fadd",
    "gcd",
)
"""What functions whose arguments may change places begin or end with."""
_CONSTANT: Final = frozenset(
    {
        "template_argument_list",
        "template_parameter_list",
        "case_statement_label",
        "static_assert_declaration",
        "attribute_declaration",
        "attribute_specifier",
        "decltype",
        "sizeof_expression",
        "alignof_expression",
        "type_descriptor",
        "launch_bounds",
        "preproc_def",
        "preproc_function_def",
        "preproc_if",
        "preproc_call",
        "requires_clause",
        "asm_statement",
        "gnu_asm_expression",
        "lambda_capture_specifier",
        "enumerator",
        "bitfield_clause",
        "subscript_designator",
    }
)
"""Nodes within which nothing may depend on what is only known when the kernel runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What may stand in place of a piece of the unit."""

    kind: str
    """`arithmetic`, `relation`, `condition`, `constant`, `index`, `barrier`, `arguments`,
    `assignment`, `negation`.
    """
    begin: int
    """Bytes."""
    end: int
    line: int
    text: str


def find_changes(source: str) -> tuple[Change, ...]:
    """Return every change that can be tried within the device functions of `source`, in order."""
    tree = parse_unit(source)
    found = (
        [
            change
            for body in find_device_bodies(tree.root_node)
            for change in _within(body)
        ]
        if tree
        else []
    )
    return tuple(
        sorted(
            set(found),
            key=lambda change: (change.begin, -change.end, change.kind, change.text),
        )
    )


def parse_unit(source: str) -> Tree | None:
    """Return the tree of a unit; `None` where that takes too long."""
    return parse(source.encode("utf-8", "surrogateescape"), _SECONDS)


def find_device_bodies(root: Node) -> Iterator[Node]:
    """Yield the bodies of the functions that run on a device."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            if (
                body is not None
                and body.type == "compound_statement"
                and not _is_host_only(node, body)
            ):
                yield body
        elif node.type not in _CONSTANT or node.type.startswith("preproc_if"):
            pending.extend(node.named_children)


def _is_host_only(node: Node, body: Node) -> bool:
    head = (node.text or b"")[: body.start_byte - node.start_byte]
    return b"constexpr" in head or (b"__host__" in head and b"__device__" not in head)


def _within(body: Node) -> Iterator[Change]:
    pending = [body]
    while pending:
        node = pending.pop()
        if node.type in _CONSTANT or node.type == "ERROR":
            continue
        if node.type == "declaration" and (_is_static(node) or _is_literal(node)):
            continue
        place = _condition_of(node) or node
        for kind, text in _texts(node):
            yield Change(
                kind=kind,
                begin=place.start_byte,
                end=place.end_byte,
                line=place.start_point[0] + 1,
                text=text,
            )
        pending.extend(_changeable(node))


def _is_static(node: Node) -> bool:
    words = {
        (child.text or b"")
        for child in node.children
        if child.type in ("type_qualifier", "storage_class_specifier")
    }
    return bool(
        words & {b"constexpr", b"static", b"__shared__", b"__constant__", b"extern"}
    )


def _is_literal(node: Node) -> bool:
    """Tell whether a declaration names a number, which an array may have as its size."""
    qualified = any(
        child.type == "type_qualifier" and child.text == b"const"
        for child in node.children
    )
    values = [child.child_by_field_name("value") for child in node.named_children]
    return qualified and all(value is None or not _names(value) for value in values)


def _names(node: Node) -> bool:
    return node.type in ("identifier", "call_expression") or any(
        _names(child) for child in node.named_children
    )


def _changeable(node: Node) -> Iterator[Node]:
    """Yield the children of a node that are computed when the kernel runs."""
    if node.type == "array_declarator":
        inner = node.child_by_field_name("declarator")
        yield from [inner] if inner else []
    elif node.type == "case_statement":
        yield from (
            child
            for child in node.named_children
            if child != node.child_by_field_name("value")
        )
    elif node.type == "if_statement" and any(
        child.type == "constexpr" for child in node.children
    ):
        yield from (
            child for child in node.named_children if child.type != "condition_clause"
        )
    else:
        yield from node.named_children


def _texts(node: Node) -> Iterator[tuple[str, str]]:
    maker = _MAKERS.get(node.type)
    if maker:
        yield from maker(node)


def _condition_of(node: Node | None) -> Node | None:
    """Return the expression of a condition; `None` for what is none, and for a condition that
    declares something.
    """
    inner = (
        node.child_by_field_name("value")
        if node is not None and node.type == "condition_clause"
        else None
    )
    return (
        None
        if inner is None or inner.type in ("declaration", "init_statement")
        else inner
    )


def _text(node: Node | None) -> str:
    return (node.text or b"").decode("utf-8", "surrogateescape") if node else ""


def _parts(node: Node) -> tuple[str, str, str]:
    return tuple(
        _text(node.child_by_field_name(part)) for part in ("left", "operator", "right")
    )  # type: ignore[return-value]


def _of_binary(node: Node) -> Iterator[tuple[str, str]]:
    left, operator, right = _parts(node)
    if operator in _OPERATORS:
        yield "arithmetic", f"({left}) {_OPERATORS[operator]} ({right})"
    others = _RELATIONS.get(operator, ())
    # to turn a condition round tells no more than to make it always true, and always false
    for other in others[:1] if _condition_of(node.parent) == node else others:
        yield "relation", f"({left}) {other} ({right})"
    if operator in ("&&", "||"):
        yield "condition", f"bool({left})"
        yield "condition", f"bool({right})"


def _of_assignment(node: Node) -> Iterator[tuple[str, str]]:
    left, operator, right = _parts(node)
    if operator in _ASSIGNMENTS:
        yield "assignment", f"{left} {_ASSIGNMENTS[operator]} ({right})"


def _of_unary(node: Node) -> Iterator[tuple[str, str]]:
    operator, operand = (
        _text(node.child_by_field_name("operator")),
        node.child_by_field_name("argument"),
    )
    if (
        operator in ("-", "~", "!")
        and operand is not None
        and operand.type != "number_literal"
    ):
        yield (
            "negation",
            f"bool({_text(operand)})" if operator == "!" else f"({_text(operand)})",
        )


def _of_number(node: Node) -> Iterator[tuple[str, str]]:
    yield "constant", f"{_text(node)} + 1"


def _of_condition(node: Node) -> Iterator[tuple[str, str]]:
    """Yield what an `if` may be decided by instead; a loop that never ends tells nothing more."""
    if (
        node.parent is None
        or _condition_of(node) is None
        or node.parent.type == "switch_statement"
    ):
        return
    if node.parent.type == "if_statement":
        yield "condition", "true"
    yield "condition", "false"


def _of_subscript(node: Node) -> Iterator[tuple[str, str]]:
    array, index = (
        _text(node.child_by_field_name("argument")),
        node.child_by_field_name("indices"),
    )
    inside = list(index.named_children) if index else []
    if len(inside) == 1 and inside[0].type != "number_literal":
        yield "index", f"{array}[({_text(inside[0])}) + 1]"


def _of_call(node: Node) -> Iterator[tuple[str, str]]:
    name = _text(node.child_by_field_name("function"))
    last = name.replace("->", ".").replace("::", ".").rpartition(".")[2].strip()
    given = node.child_by_field_name("arguments")
    words = (
        [_text(child) for child in given.named_children if child.type != "comment"]
        if given
        else []
    )
    if last in _BARRIERS:
        yield "barrier", "(void)0"
        return
    if last.strip("_").startswith(_SYMMETRIC) or last.endswith(_SYMMETRIC):
        return
    for at in range(min(len(words) - 1, 3)):
        if words[at] != words[at + 1]:
            swapped = [*words[:at], words[at + 1], words[at], *words[at + 2 :]]
            yield "arguments", f"{name}({', '.join(swapped)})"


_MAKERS: Final = {
    "binary_expression": _of_binary,
    "assignment_expression": _of_assignment,
    "unary_expression": _of_unary,
    "number_literal": _of_number,
    "subscript_expression": _of_subscript,
    "call_expression": _of_call,
    "condition_clause": _of_condition,
}
