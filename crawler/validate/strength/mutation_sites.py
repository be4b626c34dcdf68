"""Find where a kernel can be mutated, in the tree of its unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tree_sitter import Node, Tree

from crawler.cpp.syntax import parse
from crawler.validate.strength.mutation_operators import find_condition, list_mutations

_MAX_SECONDS: Final = 3.0
"""Of the processor, for the tree of one unit."""
_CONSTANT_NODES: Final = frozenset(
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
_CONSTANT_SPECIFIERS: Final = frozenset(
    {b"constexpr", b"static", b"__shared__", b"__constant__", b"extern"}
)


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
    if tree is None:
        return ()

    changes: set[Change] = set()

    for body in find_device_bodies(tree.root_node):
        changes.update(_iter_changes(body))

    return tuple(sorted(changes, key=_change_rank))


def _change_rank(change: Change) -> tuple[int, int, str, str]:
    """Return what changes are sorted by: by their begin, what encloses others first."""
    return change.begin, -change.end, change.kind, change.text


def parse_unit(source: str) -> Tree | None:
    """Return the tree of a unit; `None` where that takes too long."""
    return parse(source.encode("utf-8", "surrogateescape"), _MAX_SECONDS)


def find_device_bodies(root: Node) -> Iterator[Node]:
    """Yield the bodies of the functions that run on a device."""
    pending = [root]

    while pending:
        node = pending.pop()
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            if body is None or body.type != "compound_statement":
                continue
            if not _is_host_only(node, body):
                yield body
        elif node.type not in _CONSTANT_NODES or node.type.startswith("preproc_if"):
            pending.extend(node.named_children)


def _is_host_only(function: Node, body: Node) -> bool:
    head = (function.text or b"")[: body.start_byte - function.start_byte]
    if b"constexpr" in head:
        # it may be called where a constant is needed
        return True
    return b"__host__" in head and b"__device__" not in head


def _iter_changes(body: Node) -> Iterator[Change]:
    pending = [body]
    while pending:
        node = pending.pop()
        # what the parser did not understand would be changed into anything
        if node.type in _CONSTANT_NODES or node.type == "ERROR":
            continue
        if node.type == "declaration" and _is_constant_declaration(node):
            continue

        target = find_condition(node) or node

        for kind, text in list_mutations(node):
            yield Change(
                kind=kind,
                begin=target.start_byte,
                end=target.end_byte,
                line=target.start_point[0] + 1,
                text=text,
            )

        pending.extend(_list_runtime_children(node))


def _is_constant_declaration(declaration: Node) -> bool:
    """Tell whether what is declared must be known when the kernel is compiled."""
    specifiers = {
        child.text or b""
        for child in declaration.children
        if child.type in ("type_qualifier", "storage_class_specifier")
    }

    if specifiers & _CONSTANT_SPECIFIERS:
        return True

    # `const int n = 8;`: an array may have it as its size
    return b"const" in _list_qualifiers(declaration) and _has_literal_values(
        declaration
    )


def _list_qualifiers(declaration: Node) -> list[bytes]:
    return [
        child.text or b""
        for child in declaration.children
        if child.type == "type_qualifier"
    ]


def _has_literal_values(declaration: Node) -> bool:
    for child in declaration.named_children:
        value = child.child_by_field_name("value")
        if value is not None and _has_names(value):
            return False
    return True


def _has_names(node: Node) -> bool:
    if node.type in ("identifier", "call_expression"):
        return True
    return any(_has_names(child) for child in node.named_children)


def _list_runtime_children(node: Node) -> list[Node]:
    """Return the children of a node that are computed when the kernel runs."""
    if node.type == "array_declarator":
        declarator = node.child_by_field_name("declarator")
        return [declarator] if declarator else []

    if node.type == "case_statement":
        label = node.child_by_field_name("value")
        return [child for child in node.named_children if child != label]

    if node.type == "if_statement" and _is_constexpr(node):
        return [
            child for child in node.named_children if child.type != "condition_clause"
        ]

    return node.named_children


def _is_constexpr(statement: Node) -> bool:
    return any(child.type == "constexpr" for child in statement.children)
