"""List the device variables of a kernel that outlive a launch: `__device__`, `__constant__`,
`__managed__`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.cpp.source_text import SourceFiles
from crawler.extract.clang.cursor_kinds import TYPE_KINDS
from crawler.extract.clang.declarations import Declaration
from crawler.model import GlobalVariable

_REFERENCE: Final = re.compile(r"\b(texture|surface)\s*<")
_MANAGED: Final = re.compile(r"\b__managed__\b")
_KINDS: Final = {
    CursorKind.CUDACONSTANT_ATTR: "constant",
    CursorKind.CUDADEVICE_ATTR: "device",
}


def find_device_globals(
    declarations: Iterable[Declaration], sources: SourceFiles
) -> tuple[GlobalVariable, ...]:
    """Return the variables among declarations that are global state, in order; static members
    of classes too.
    """
    return tuple(
        variable
        for declaration in declarations
        for cursor in _variables(declaration)
        for variable in _state(cursor, declaration, sources)
    )


def _variables(declaration: Declaration) -> Iterator[Any]:
    if declaration.kind == "variable":
        yield declaration.cursor
    elif declaration.cursor.kind in TYPE_KINDS:
        yield from (
            child
            for child in declaration.cursor.get_children()
            if child.kind is CursorKind.VAR_DECL
        )


def _state(
    cursor: Any, declaration: Declaration, sources: SourceFiles
) -> Iterator[GlobalVariable]:
    source = sources[declaration.path]
    start, end = declaration.start, declaration.end
    if declaration.kind != "variable":
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
    kind = _kind(cursor, source.raw[start:end])
    if kind:
        owner = declaration.names[:1] if declaration.kind != "variable" else ()
        yield GlobalVariable(
            name="::".join((*declaration.namespaces, *owner, str(cursor.spelling))),
            type=str(cursor.type.spelling),
            kind=kind,
            span=source.make_span(start, end),
        )


def _kind(cursor: Any, text: str) -> str:
    reference = _REFERENCE.search(text)
    if reference:
        return reference.group(1)
    if _MANAGED.search(text):
        return "managed"
    attributes = {
        child.kind for child in cursor.get_children() if child.kind.is_attribute()
    }
    is_fixed = attributes <= {CursorKind.CUDADEVICE_ATTR} and (
        cursor.type.is_const_qualified() or "constexpr" in text
    )
    return (
        ""
        if is_fixed
        else next((kind for known, kind in _KINDS.items() if known in attributes), "")
    )
