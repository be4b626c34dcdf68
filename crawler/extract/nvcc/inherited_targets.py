"""Give a definition the targets of the declaration in front of it, and a member those of its
definition.

nvcc takes `int f(int x) { … }` for device code where `__device__ int f(int x);` was declared, and
a member `int f();` where `__device__ int C::f() { … }` is its definition; to clang these are other
functions, of the host alone, which may not overload the first.
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
from crawler.extract.clang.declaration_extent import find_declaration_extent
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
    prototypes: dict[_Key, list[Cursor]] = defaultdict(list)
    for declaration in declarations:
        if declaration.cursor_kind in FUNCTION_KINDS and not declaration.is_definition:
            prototypes[_make_key(declaration)].append(declaration.cursor)

    for function in declarations:
        if function.cursor_kind not in FUNCTION_KINDS or not function.is_definition:
            continue

        is_refused = _find_place(function.cursor) in refused
        members = _list_members(function.cursor) if is_refused else []
        namesakes = [*prototypes.get(_make_key(function), ()), *members]
        if not namesakes:
            continue

        own_targets = list_target_words(function.cursor)
        if not own_targets:
            function.inherited_targets = _find_device_targets(function, namesakes)
        elif DEVICE_WORD in own_targets:
            _widen_members(members, function, own_targets, declarations)


def _find_device_targets(function: Declaration, namesakes: Iterable[Cursor]) -> str:
    """Return the targets of the first of `namesakes` that is the same function for a device."""
    for candidate in namesakes:
        targets = list_target_words(candidate)
        if DEVICE_WORD in targets and _has_same_parameters(candidate, function.cursor):
            return " ".join(targets)

    return ""


def _widen_members(
    members: Iterable[Cursor],
    definition: Declaration,
    targets: Sequence[str],
    declarations: Iterable[Declaration],
) -> None:
    """Note in the class of a definition's member, which has no target, those of the definition."""
    for member in members:
        if list_target_words(member) or not _has_same_parameters(
            member, definition.cursor
        ):
            continue

        file, offset = _find_place(member)
        for owner in declarations:
            if owner.cursor_kind not in TYPE_KINDS:
                continue
            extent = owner.cursor.extent
            if not extent.start.offset <= offset < extent.end.offset:
                continue
            if str(owner.cursor.location.file) == file:
                start, _ = find_declaration_extent(member, owner.source)
                owner.member_targets[start] = " ".join(targets)


def collect_inherited_target_edits(
    declarations: Iterable[Declaration],
) -> dict[int, tuple[Edit, ...]]:
    """Return which words are put in, by the identity of a declaration."""
    edits: dict[int, tuple[Edit, ...]] = {}
    for declaration in declarations:
        source, end = declaration.source, declaration.end
        words = dict(declaration.member_targets)
        if declaration.inherited_targets:
            words[declaration.start] = declaration.inherited_targets
        places = {find_specifiers(source, start, end): words[start] for start in words}
        if places:
            edits[id(declaration)] = tuple(
                (place, place, f"{places[place]} ") for place in sorted(places)
            )

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
