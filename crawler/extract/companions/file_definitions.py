"""List what a file defines at the level of namespaces, from a syntax tree that tolerates errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from crawler.cpp import syntax
from crawler.cpp.arguments import INNERMOST_ANGLES
from crawler.cpp.files.source_text import SourceText
from crawler.extract.companions.definition import Definition
from crawler.model import CompanionKind

_MAX_PARSE_SECONDS: Final = 5.0
_MAX_BYTES: Final = 16 << 10
"""Of one definition: what is longer computes no size."""
_MAX_NODES: Final = 200_000
_CLASSES: Final = frozenset({"struct_specifier", "class_specifier", "union_specifier"})
_SCOPES: Final = frozenset(
    {
        "translation_unit",
        "namespace_definition",
        "linkage_specification",
        "declaration_list",
        "preproc_if",
        "preproc_ifdef",
        "preproc_else",
        "preproc_elif",
        "preproc_elifdef",
        "template_declaration",
        # what the tree has no place for: a macro that it takes for a type
        "ERROR",
    }
)
_MACROS: Final = frozenset({"preproc_def", "preproc_function_def"})
_CONSTANT_WORDS: Final = frozenset({b"const", b"constexpr", b"constinit"})
_DEVICE_WORDS: Final = (b"__global__", b"__device__")


def list_definitions(source: SourceText) -> tuple[Definition, ...]:
    """Return the macros, constants, enumerations, classes and host functions of a file, in order.

    Nothing of a file that takes too long to parse.
    """
    content = source.raw.encode("latin-1")
    tree = syntax.parse(content, _MAX_PARSE_SECONDS)
    if tree is None:
        return ()

    definitions = [
        Definition(
            kind=kind,
            names=names,
            span=source.make_span(node.start_byte, node.end_byte),
            text=source.raw[node.start_byte : node.end_byte],
        )
        for kind, names, node in _iter_defining_nodes(tree.root_node)
        if names and node.end_byte - node.start_byte <= _MAX_BYTES
    ]
    definitions.sort(key=lambda definition: definition.span.offset)

    return tuple(definitions)


def _iter_defining_nodes(
    root: Node,
) -> Iterator[tuple[CompanionKind, tuple[str, ...], Node]]:
    """Yield what each node below a root defines, in no order, with its template head."""
    pending: list[tuple[Node, str]] = [(root, "")]

    for _ in range(_MAX_NODES):
        if not pending:
            return

        node, scope = pending.pop()
        if node.type in _SCOPES:
            inner_scope = _enter_namespace(node, scope)
            pending += [(child, inner_scope) for child in node.children]
            continue

        head = _find_template_head(node)
        for kind, names in _read_definition(node):
            yield kind, tuple(scope + name for name in names), head


def _enter_namespace(node: Node, scope: str) -> str:
    name = node.child_by_field_name("name")
    if node.type != "namespace_definition" or name is None:
        return scope
    return f"{scope}{_read_text(name)}::"


def _find_template_head(node: Node) -> Node:
    """Return a definition with the `template <…>` in front of it."""
    parent = node.parent
    while parent is not None and parent.type == "template_declaration":
        node, parent = parent, parent.parent
    return node


def _read_definition(node: Node) -> Iterator[tuple[CompanionKind, tuple[str, ...]]]:
    if node.type in _MACROS:
        yield CompanionKind.MACRO, _read_name(node)
    elif node.type == "function_definition":
        yield CompanionKind.FUNCTION, _read_function_name(node)
    elif node.type in _CLASSES and node.child_by_field_name("body"):
        yield CompanionKind.CLASS, _read_name(node)
    elif node.type == "enum_specifier":
        yield CompanionKind.ENUMERATION, _read_enumerators(node)
    elif node.type == "type_definition":
        yield from _read_named_type(node)
    elif node.type == "declaration":
        yield from _read_declaration(node)


def _read_named_type(
    node: Node,
) -> Iterator[tuple[CompanionKind, tuple[str, ...]]]:
    """Yield what `typedef struct { … } name;` or a typedef of an enumeration defines."""
    type_node = node.child_by_field_name("type")
    name = node.child_by_field_name("declarator")
    if type_node is None or name is None:
        return

    names = (_read_text(name),)
    if type_node.type in _CLASSES and type_node.child_by_field_name("body"):
        yield CompanionKind.CLASS, names
    elif type_node.type == "enum_specifier":
        yield CompanionKind.ENUMERATION, names + _read_enumerators(type_node)


def _read_declaration(
    node: Node,
) -> Iterator[tuple[CompanionKind, tuple[str, ...]]]:
    """Yield the constants of a declaration, and the class that it declares a variable of."""
    type_node = node.child_by_field_name("type")
    if type_node is not None and type_node.type in (*_CLASSES, "enum_specifier"):
        yield from _read_definition(type_node)

    qualifiers = {
        child.text for child in node.children if child.type == "type_qualifier"
    }
    if qualifiers.isdisjoint(_CONSTANT_WORDS):
        return

    names: list[str] = []
    for child in node.children_by_field_name("declarator"):
        declarator = child.child_by_field_name("declarator")
        if child.type != "init_declarator" or declarator is None:
            continue
        if declarator.type in ("identifier", "qualified_identifier"):
            names.append(_read_text(declarator))

    yield CompanionKind.CONSTANT, tuple(names)


def _read_name(node: Node) -> tuple[str, ...]:
    name = node.child_by_field_name("name")
    return (_read_plain_name(name),) if name else ()


def _read_enumerators(node: Node) -> tuple[str, ...]:
    body = node.child_by_field_name("body")
    if body is None:
        return ()

    names = list(_read_name(node))
    for child in body.children:
        name = child.child_by_field_name("name")
        if child.type == "enumerator" and name is not None:
            names.append(_read_text(name))

    return tuple(names)


def _read_function_name(node: Node) -> tuple[str, ...]:
    """Return the name of a function that the host may run."""
    declarator = syntax.function_declarator(node)
    name = declarator.child_by_field_name("declarator") if declarator else None
    if name is None or declarator is None:
        return ()

    head = (node.text or b"")[: declarator.start_byte - node.start_byte]
    is_device = any(word in head for word in _DEVICE_WORDS) and b"__host__" not in head

    return () if is_device else (_read_plain_name(name),)


def _read_plain_name(node: Node) -> str:
    """Return a name without template arguments: `Buffer<float>::get` is `Buffer::get`."""
    return "".join(INNERMOST_ANGLES.sub("", _read_text(node)).split())


def _read_text(node: Node) -> str:
    # the file has a character a byte
    return (node.text or b"").decode("latin-1")
