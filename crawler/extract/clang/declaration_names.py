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


def spell_enumerator(enumeration: Cursor, value: int) -> str:
    """Return the qualified name of the enumerator that has `value`, as clang spells it in a
    canonical type; empty where none has it.
    """
    names = [
        child.spelling
        for child in enumeration.get_children()
        if child.kind is CursorKind.ENUM_CONSTANT_DECL and child.enum_value == value
    ]
    if not names:
        return ""

    # an unscoped enumeration's names are those of the scope round it
    scope: Cursor | None = enumeration
    if not enumeration.is_scoped_enum():
        scope = enumeration.semantic_parent

    scopes: list[str] = []
    while scope is not None and scope.kind is not CursorKind.TRANSLATION_UNIT:
        # no `(anonymous namespace)`
        if scope.spelling and not scope.spelling.startswith("("):
            scopes.append(scope.spelling)
        scope = scope.semantic_parent

    return "::".join((*reversed(scopes), names[0]))


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
