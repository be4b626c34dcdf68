"""Statements of a function's body as the error-tolerant syntax tree shows them.

It knows no types: a variable that a call changes by a reference is not seen to change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from tree_sitter import Node

from crawler.cpp import syntax
from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.extract.launches.setup.statement import (
    InnerBlock,
    Statement,
    StatementKind,
    TextRange,
)
from crawler.extract.launches.setup.syntax_nodes import (
    NAMES,
    iter_descendants,
    iter_written_names,
    read_declaration,
    read_lambda_parameters,
    read_node,
)
from crawler.model import Parameter

_KINDS: Final = {
    "compound_statement": StatementKind.BLOCK,
    "if_statement": StatementKind.BRANCH,
    "for_statement": StatementKind.LOOP,
    "for_range_loop": StatementKind.LOOP,
    "while_statement": StatementKind.LOOP,
    "do_statement": StatementKind.LOOP,
    "switch_statement": StatementKind.SWITCH,
    "case_statement": StatementKind.CASE,
    "return_statement": StatementKind.EXIT,
    "throw_statement": StatementKind.EXIT,
    "break_statement": StatementKind.EXIT,
    "continue_statement": StatementKind.EXIT,
    "goto_statement": StatementKind.EXIT,
}
_NO_STATEMENTS: Final = frozenset(
    {"{", "}", "comment", "preproc_call", "preproc_def", "preproc_function_def"}
)
_PREPROCESSOR_GROUPS: Final = frozenset(
    {"preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif"}
)
# code without comments and literals: only the braces of blocks are counted
_BRACE: Final = re.compile(r"\bdo\s*\{|[{}]")
_MAX_PARSE_SECONDS: Final = 2.0


def find_body_in_text(source: SourceText, offset: int) -> Statement | None:
    """Return the body of the outermost function round a place; `None` where none shows."""
    tree = _parse(source)
    for node in tree:
        if node.start_byte <= offset < node.end_byte:
            return SyntaxStatement(node)

    return None


def parse_beginning(text: str) -> tuple[SourceText, Statement | None, int]:
    """Return the beginning of a function's body as a source, that body, and where it ends.

    The blocks that the text leaves open are closed.
    """
    opening = "void f() {"
    open_blocks: list[int] = []
    for brace in _BRACE.finditer(blank_comments_and_literals(text)):
        if brace[0].endswith("{"):
            open_blocks.append(brace.start())
        elif open_blocks:
            open_blocks.pop()

    # `do {` is no statement without its `while`
    for offset in open_blocks:
        if text.startswith("do", offset):
            text = f"{text[:offset]}  {text[offset + 2 :]}"

    content = f"{opening}{text}\n;{'}' * len(open_blocks)}}}"
    source = SourceText("", content.encode("latin-1", "replace"))
    bodies = _parse(source)
    body = SyntaxStatement(bodies[0]) if bodies else None
    return source, body, len(opening) + len(text) + 1


def list_parameters_in_text(body: Statement) -> list[Parameter]:
    """Return the parameters of the function that a body belongs to."""
    node = body.node if isinstance(body, SyntaxStatement) else None
    definition = node.parent if node is not None else None
    declarator = syntax.function_declarator(definition) if definition else None
    names = declarator.child_by_field_name("parameters") if declarator else None
    if names is None:
        return []

    return [
        variable
        for child in names.named_children
        for variable in read_declaration(child)
    ]


@cache_per_source
def _parse(source: SourceText) -> tuple[Node, ...]:
    tree = syntax.parse(source.raw.encode("latin-1"), _MAX_PARSE_SECONDS)
    if tree is None:
        return ()

    bodies = [
        definition.child_by_field_name("body")
        for definition in syntax.function_definitions(tree.root_node)
    ]
    return tuple(body for body in bodies if body is not None)


class SyntaxStatement:
    """A statement that a node stands for."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.kind = _KINDS.get(node.type, StatementKind.SIMPLE)
        self.start = node.start_byte
        self.end = node.end_byte

    @cached_property
    def head(self) -> TextRange:
        """What stands in its brackets, or behind `case`."""
        if self.kind is StatementKind.CASE:
            value = self.node.child_by_field_name("value")
            return (
                (value.start_byte, value.end_byte)
                if value
                else (self.start, self.start)
            )
        if self.node.type == "do_statement":
            return self.start, self.start

        condition = self.node.child_by_field_name("condition")
        if condition is not None and condition.type == "condition_clause":
            return condition.start_byte + 1, condition.end_byte - 1

        brackets = [child for child in self.node.children if child.type in ("(", ")")]
        if len(brackets) < 2:
            return self.start, self.start
        return brackets[0].end_byte, brackets[-1].start_byte

    def list_children(self) -> Sequence[Statement]:
        """Return the statements directly in it."""
        return self._children

    @cached_property
    def _children(self) -> tuple[SyntaxStatement, ...]:
        if self.kind is StatementKind.BLOCK:
            return tuple(_iter_statements(self.node))
        if self.kind is StatementKind.CASE:
            colon = next(
                (child for child in self.node.children if child.type == ":"), None
            )
            behind = colon.end_byte if colon else self.end
            children = _iter_statements(self.node)
            return tuple(child for child in children if child.start >= behind)

        fields = ("consequence", "alternative", "body")
        nodes = [self.node.child_by_field_name(field) for field in fields]
        return tuple(SyntaxStatement(_unwrap_else(node)) for node in nodes if node)

    def list_variables(self) -> Sequence[Parameter]:
        """Return what it declares, a loop in its head."""
        if self.kind is StatementKind.LOOP:
            if self.node.type == "for_range_loop":
                return tuple(read_declaration(self.node))
            head = self.node.child_by_field_name("initializer")
            return tuple(read_declaration(head)) if head else ()

        return tuple(read_declaration(self.node))

    def find_written_names(self) -> frozenset[str]:
        """Return the names that are assigned to, stepped, or handed on by address."""
        return frozenset(iter_written_names(self.node))

    def find_overwritten_names(self) -> frozenset[str]:
        """Return the name that it assigns to as a whole."""
        expression = next(iter(self.node.named_children), None)
        if expression is None or expression.type != "assignment_expression":
            return frozenset()

        left_side = expression.child_by_field_name("left")
        right = expression.child_by_field_name("right")
        operator = expression.child_by_field_name("operator")
        if left_side is None or right is None or left_side.type != "identifier":
            return frozenset()
        if operator is not None and operator.type != "=":
            return frozenset()

        used_names = {
            read_node(node) for node in iter_descendants(right) if node.type in NAMES
        }
        return frozenset({read_node(left_side)} - used_names)

    def find_inner_block(self, offset: int) -> InnerBlock | None:
        """Return the outermost block in an expression that an offset lies in."""
        argument: TextRange | None = None
        variables: tuple[Parameter, ...] = ()
        node: Node | None = self.node
        while node is not None:
            if node.type == "compound_statement":
                argument = argument or (node.start_byte, node.end_byte)
                return InnerBlock(SyntaxStatement(node), argument, variables)
            if node.type == "lambda_expression":
                argument = argument or (node.start_byte, node.end_byte)
                variables += tuple(read_lambda_parameters(node))

            node = next(
                (
                    child
                    for child in node.children
                    if child.start_byte <= offset < child.end_byte
                ),
                None,
            )

        return None


def _iter_statements(node: Node) -> Iterator[SyntaxStatement]:
    # an `#elif` lies in the one before it, and there may be any number
    waiting = node.children[::-1]
    while waiting:
        child = waiting.pop()
        if child.type in _PREPROCESSOR_GROUPS:
            waiting += child.children[::-1]
        elif child.is_named and child.type not in _NO_STATEMENTS:
            yield SyntaxStatement(child)


def _unwrap_else(node: Node) -> Node:
    if node.type == "else_clause" and node.named_children:
        return node.named_children[-1]
    return node
