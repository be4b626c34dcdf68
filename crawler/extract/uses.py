"""Which specialisations of which kernels a translation unit uses, and where.

libclang shows the bodies of templates as the compiler instantiated them, when it is told to leave out what comes from
a precompiled header: every reference to a kernel then carries its resolved template arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from clang import cindex
from clang.cindex import CursorKind

from crawler.extract import spelling
from crawler.extract.declarations import Declaration
from crawler.extract.parse import file_location, relative

_FUNCTIONS: Final = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.DESTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
    CursorKind.VAR_DECL,
}
_SCOPES: Final = {
    CursorKind.NAMESPACE,
    CursorKind.LINKAGE_SPEC,
    CursorKind.UNEXPOSED_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
}
_REFERENCES: Final = {CursorKind.DECL_REF_EXPR, CursorKind.OVERLOADED_DECL_REF, CursorKind.MEMBER_REF_EXPR}
_CONFIGURATION: Final = "__cudaPushCallConfiguration"
_MOST_NODES: Final = 4_000_000
Place = tuple[str, int]
NOWHERE: Final[Place] = ("", -1)


@dataclass(frozen=True, slots=True)
class Use:
    """A reference to a kernel, its template arguments resolved as far as the compiler did."""

    kernel: str
    target: Place
    """Path and offset of the definition; `NOWHERE` when the unit does not show it."""
    arguments: tuple[str, ...]
    """Empty for a plain kernel, and inside a template that nobody instantiates."""
    symbol: str
    path: str
    offset: int
    """Where the kernel's name stands, in the file where it was written; an empty path for a bare instantiation."""
    enclosing: str
    is_launch: bool


@dataclass(slots=True)
class _Walk:
    root: Path
    directory: str
    kernels: dict[tuple[str, int, str], Place]
    """(path and offset of the name, name) of each declared kernel → where its definition begins."""
    names: frozenset[str]
    uses: dict[Use, None] = field(default_factory=dict)
    nodes: int = 0


def uses(
    unit: Any,
    kernels: Sequence[Declaration],
    root: Path,
    directory: str,
    is_relevant: Callable[[str, int, int], bool],
) -> Collection[Use]:
    """Return every use of a kernel; `is_relevant` says by a range's text whether it may hold one."""
    walk = _Walk(root, directory, {}, frozenset(name for kernel in kernels for name in kernel.names))
    for kernel in kernels:
        defined = kernel.cursor.get_definition()
        place = _begins(defined, walk) if defined is not None else NOWHERE
        walk.kernels[(*_located(kernel.cursor, walk), kernel.cursor.spelling)] = place
    for function in _functions(unit.cursor, walk):
        path, start = _begins(function, walk)
        if function.spelling in walk.names and function.get_num_template_arguments() >= 0:
            _note(function, walk, NOWHERE, "", is_launch=False)
        if walk.nodes < _MOST_NODES and is_relevant(path, start, function.extent.end.offset):
            _walk_body(function, _enclosing(function), walk)
    return walk.uses


def _functions(scope: Any, walk: _Walk) -> Iterator[Any]:
    for cursor in scope.get_children():
        file = cursor.location.file
        if file is None or relative(file.name, walk.root, walk.directory) is None:
            continue
        if cursor.kind in _SCOPES:
            yield from _functions(cursor, walk)
        elif cursor.kind in _FUNCTIONS:
            yield cursor


def _walk_body(function: Any, enclosing: str, walk: _Walk) -> None:
    pending = [child for child in function.get_children() if not child.kind.is_attribute()]
    while pending:
        cursor = pending.pop()
        walk.nodes += 1
        children = list(cursor.get_children())
        if cursor.kind is CursorKind.CALL_EXPR and len(children) > 1 and children[1].spelling == _CONFIGURATION:
            _note_launch(children[0], enclosing, walk)
            children = children[2:]
        elif cursor.kind in _REFERENCES:
            _note_reference(cursor, enclosing, walk, is_launch=False)
        pending.extend(children)


def _note_launch(callee: Any, enclosing: str, walk: _Walk) -> None:
    for cursor in _references(callee):
        if _note_reference(cursor, enclosing, walk, is_launch=True):
            return
        behind = cursor.referenced
        if behind is not None and behind.kind is CursorKind.VAR_DECL:
            at = _located(cursor, walk)
            for reference in _references(behind):
                _note_reference(reference, enclosing, walk, is_launch=True, at=at)


def _references(cursor: Any) -> Iterator[Any]:
    pending = [cursor]
    while pending:
        at = pending.pop()
        if at.kind in _REFERENCES:
            yield at
        pending.extend(at.get_children())


def _note_reference(cursor: Any, enclosing: str, walk: _Walk, *, is_launch: bool, at: Place | None = None) -> bool:
    referenced = cursor.referenced
    if referenced is not None and referenced.kind is CursorKind.OVERLOADED_DECL_REF:
        referenced = _candidate(referenced)
    if referenced is None or referenced.spelling not in walk.names:
        return False
    if (*_located(referenced, walk), referenced.spelling) not in walk.kernels:
        return False
    _note(referenced, walk, at or _located(cursor, walk), enclosing, is_launch=is_launch)
    return True


def _candidate(overloaded: Any) -> Any:
    if cindex.conf.lib.clang_getNumOverloadedDecls(overloaded) != 1:
        return None
    return cindex.conf.lib.clang_getOverloadedDecl(overloaded, 0)


def _note(function: Any, walk: _Walk, at: Place, enclosing: str, *, is_launch: bool) -> None:
    arguments = spelling.arguments(function) if function.kind is CursorKind.FUNCTION_DECL else ()
    target = walk.kernels.get((*_located(function, walk), function.spelling), NOWHERE)
    symbol = spelling.symbol(function) if arguments else ""
    walk.uses[Use(function.spelling, target, arguments or (), symbol, *at, enclosing, is_launch)] = None


def _located(cursor: Any, walk: _Walk) -> Place:
    name, offset = file_location(cursor.location)
    return relative(name, walk.root, walk.directory) or "", offset


def _begins(cursor: Any, walk: _Walk) -> Place:
    file = cursor.extent.start.file
    return (relative(file.name, walk.root, walk.directory) or "" if file else ""), cursor.extent.start.offset


def _enclosing(function: Any) -> str:
    """Return the qualified name of the function that a body belongs to: for a lambda, the one that it stands in."""
    names: list[str] = []
    cursor = function
    while cursor is not None and cursor.kind is not CursorKind.TRANSLATION_UNIT:
        name = cursor.spelling
        if "(lambda" in name or name == "operator()":
            names = []
        elif name and "(anonymous" not in name:
            names.append(name)
        cursor = cursor.semantic_parent
    return "::".join(reversed(names))
