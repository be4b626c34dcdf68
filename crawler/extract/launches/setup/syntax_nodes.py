"""Which names a node of the error-tolerant syntax tree declares and changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from crawler.extract.launches.setup.statement import TYPENAME
from crawler.model import Parameter

_DECLARATORS: Final = frozenset(
    {
        "init_declarator",
        "pointer_declarator",
        "reference_declarator",
        "array_declarator",
        "function_declarator",
        "parenthesized_declarator",
        "structured_binding_declarator",
    }
)
NAMES: Final = frozenset({"identifier", "type_identifier"})
_MAX_NODES: Final = 20_000
_MAX_DEPTH: Final = 40


def read_lambda_parameters(node: Node) -> Iterator[Parameter]:
    """Yield the parameters of a lambda."""
    declarator = node.child_by_field_name("declarator")
    names = declarator.child_by_field_name("parameters") if declarator else None
    for child in names.named_children if names is not None else ():
        yield from read_declaration(child)


def read_declaration(node: Node) -> Iterator[Parameter]:
    """Yield what a declaration or a parameter declares."""
    if node.type in ("alias_declaration", "type_definition"):
        field = "name" if node.type == "alias_declaration" else "declarator"
        name = node.child_by_field_name(field)
        if name is not None:
            yield Parameter(name=read_node(name), type=TYPENAME)
        return
    if not node.type.endswith("declaration") and node.type != "for_range_loop":
        return

    type_node = node.child_by_field_name("type")
    type_text = read_node(type_node) if type_node is not None else ""
    qualifiers = [
        read_node(child) for child in node.children if child.type == "type_qualifier"
    ]
    base_type = " ".join((*qualifiers, type_text))
    for declarator in node.children_by_field_name("declarator"):
        for variable_name, suffix in _read_declarator(declarator):
            yield Parameter(name=variable_name, type=f"{base_type}{suffix}")


def _read_declarator(node: Node) -> list[tuple[str, str]]:
    """Return the names of a declarator, each with what it adds to the type."""
    suffix = ""
    for _ in range(_MAX_DEPTH):
        if node.type in NAMES:
            return [(read_node(node), suffix)]
        if node.type == "structured_binding_declarator":
            return [(read_node(child), "") for child in node.named_children]
        if node.type not in _DECLARATORS:
            return []

        suffix += {"pointer_declarator": " *", "reference_declarator": " &"}.get(
            node.type, ""
        )
        inner = node.child_by_field_name("declarator")
        # a reference's declarator has no field
        candidates = [
            child for child in node.named_children if child.type in NAMES | _DECLARATORS
        ]
        if inner is None and not candidates:
            return []
        node = inner if inner is not None else candidates[-1]

    return []


def iter_written_names(root: Node) -> Iterator[str]:
    """Yield the names that a statement assigns to, steps, or hands on by address."""
    for node in iter_descendants(root):
        target = _find_written_operand(node)
        for _ in range(_MAX_DEPTH):
            if target is None:
                break
            if target.type == "identifier":
                yield read_node(target)
                break
            target = next(iter(target.named_children), None)


def _find_written_operand(node: Node) -> Node | None:
    if node.type == "assignment_expression":
        return node.child_by_field_name("left")

    is_address = node.type == "pointer_expression" and (node.text or b"")[:1] == b"&"
    holder = node.parent
    while holder is not None and holder.type == "cast_expression":
        holder = holder.parent

    is_argument = holder is not None and holder.type == "argument_list"
    if (is_address and is_argument) or node.type == "update_expression":
        return node.child_by_field_name("argument")
    return None


def iter_descendants(root: Node) -> Iterator[Node]:
    """Yield a node and those below it, as far as a bound allows."""
    pending = [root]
    for _ in range(_MAX_NODES):
        if not pending:
            return
        node = pending.pop()
        yield node
        pending.extend(node.children)


def read_node(node: Node) -> str:
    """Return the text of a node."""
    # the file has a character a byte
    return (node.text or b"").decode("latin-1")
