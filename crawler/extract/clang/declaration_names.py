"""Names by which code may refer to a declaration, and the word for what it declares."""

from __future__ import annotations

from typing import Final

from clang.cindex import CursorKind

from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS

_USING_KINDS: Final = {
    CursorKind.USING_DIRECTIVE,
    CursorKind.USING_DECLARATION,
    CursorKind.NAMESPACE_ALIAS,
}


def list_declared_names(cursor: Cursor) -> tuple[str, ...]:
    """Return the names by which code may refer to a declaration."""
    # unscoped enumerators are names of the scope round their enumeration
    names = [cursor.spelling]
    if cursor.kind is CursorKind.ENUM_DECL:
        names += [child.spelling for child in cursor.get_children()]

    if cursor.kind in FUNCTION_KINDS:
        # a member that is defined outside of its class belongs to the class
        parent = cursor.semantic_parent
        if parent is not None and parent.kind in TYPE_KINDS:
            names = [parent.spelling]

    if cursor.kind is CursorKind.USING_DECLARATION:
        child_names = [child.spelling for child in cursor.get_children()]
        used_names = [name for name in child_names if name]
        # what stands before are the namespaces
        names = used_names[-1:] or names

    return tuple(name for name in names if name)


def name_declaration_kind(cursor_kind: object) -> str:
    """Return in a word what a declaration declares."""
    if cursor_kind in FUNCTION_KINDS:
        return "function"
    if cursor_kind in TYPE_KINDS:
        return "type"
    if cursor_kind is CursorKind.VAR_DECL:
        return "variable"
    if cursor_kind in _USING_KINDS:
        return "using"
    return "assertion" if cursor_kind is CursorKind.STATIC_ASSERT else "alias"
