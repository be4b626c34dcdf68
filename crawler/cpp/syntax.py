"""Syntax trees of CUDA and C++ text that no compiler need accept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser, Tree

_LANGUAGE: Final = Language(tree_sitter_cuda.language())
_CHUNK_BYTES: Final = 1 << 16


def parse(content: bytes, seconds: float) -> Tree | None:
    """Return the syntax tree of a text; `None` where it takes more CPU than `seconds`.

    The time needs a bound: of ten thousand open angle brackets each may be a template's. A real
    file of 100 KB takes 0.05 s.
    """
    deadline = time.process_time() + seconds

    def read_chunk(offset: int, _point: object) -> bytes:
        return content[offset : offset + _CHUNK_BYTES]

    def is_too_slow(_offset: int, _has_error: bool) -> bool:
        return time.process_time() > deadline

    try:
        return Parser(_LANGUAGE).parse(read_chunk, progress_callback=is_too_slow)
    except ValueError:
        # tree-sitter's answer when the callback stops it
        return None


def function_definitions(root: Node) -> Iterator[Node]:
    """Yield the function definitions below a node in no order, but for those inside another."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "function_definition":
            yield node
        elif node.type != "compound_statement":
            pending.extend(node.children)


def function_declarator(definition: Node) -> Node | None:
    """Return the part of a function definition that holds its name and its parameters."""
    declarator = definition.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")

    return declarator
