"""Give a definition the targets of the declaration in front of it.

nvcc takes `int f(int x) { … }` for device code where `__device__ int f(int x);` was declared; to
clang it is another function, of the host alone, which may not overload the first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.edits import Edit
from crawler.extract.clang.cursor import ClangUnit, Cursor
from crawler.extract.clang.cursor_kinds import FUNCTION_KINDS, TYPE_KINDS
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.clang.declarations import Declaration
from crawler.extract.nvcc.target_words import (
    DEVICE_WORD,
    find_specifiers,
    list_target_words,
)

_MESSAGES: Final = ("cannot overload", "does not match any declaration")
"""What clang says of such a definition: of a function or a member, and of a member template."""
_Place = tuple[str, int]
"""The file of a name, and its offset."""
_Key = tuple[CursorKind, tuple[str, ...], tuple[str, ...]]
"""What functions share that may be one: their kind, namespaces and names."""


def inherit_targets(declarations: Sequence[Declaration], clang_unit: ClangUnit) -> None:
    """Note in definitions without a target which ones an earlier declaration gives them."""
    refused = {
        (str(diagnostic.location.file), diagnostic.location.offset)
        for diagnostic in clang_unit.diagnostics
        if any(message in diagnostic.spelling for message in _MESSAGES)
    }
    # a function that is declared for devices alone and defined for the host is two to clang, which
    # it takes without a word
    prototypes: dict[_Key, list[Declaration]] = defaultdict(list)
    definitions: list[Declaration] = []
    for declaration in declarations:
        if declaration.cursor_kind not in FUNCTION_KINDS:
            continue
        if declaration.is_definition:
            definitions.append(declaration)
        else:
            prototypes[_make_key(declaration)].append(declaration)

    for function in definitions:
        namesakes = [other.cursor for other in prototypes.get(_make_key(function), ())]
        if _find_place(function.cursor) in refused:
            namesakes += _list_members(function.cursor)
        if not namesakes or list_target_words(function.cursor):
            continue

        for candidate in namesakes:
            targets = list_target_words(candidate)
            if DEVICE_WORD in targets and _has_same_parameters(
                candidate, function.cursor
            ):
                function.inherited_targets = " ".join(targets)
                break


def collect_inherited_target_edits(
    declarations: Iterable[Declaration],
) -> dict[int, tuple[Edit, ...]]:
    """Return which words are put in, by the identity of a declaration."""
    edits: dict[int, tuple[Edit, ...]] = {}
    for declaration in declarations:
        if declaration.inherited_targets:
            place = find_specifiers(declaration)
            words = f"{declaration.inherited_targets} "
            edits[id(declaration)] = ((place, place, words),)

    return edits


def _find_place(cursor: Cursor) -> _Place:
    location = cursor.location
    return str(location.file), location.offset


def _make_key(function: Declaration) -> _Key:
    return function.cursor_kind, function.namespaces, function.names


def _list_members(function: Cursor) -> list[Cursor]:
    """Return the members of the same name in the class of a member that is defined outside."""
    owner = function.semantic_parent
    if owner is None or owner.kind not in TYPE_KINDS:
        return []

    return [
        member
        for member in list_child_cursors(owner)
        if member.kind is function.kind and member.spelling == function.spelling
    ]


def _has_same_parameters(first: Cursor, second: Cursor) -> bool:
    return _list_parameter_types(first) == _list_parameter_types(second)


def _list_parameter_types(function: Cursor) -> list[str]:
    """Return the types of a function's parameters, whatever their other names are."""
    return [
        child.type.get_canonical().spelling
        for child in list_child_cursors(function)
        if child.kind is CursorKind.PARM_DECL
    ]
