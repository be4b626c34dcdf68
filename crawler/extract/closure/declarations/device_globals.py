"""List the device variables of a kernel that outlive a launch: `__device__`, `__constant__`,
`__managed__`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_kinds import TYPE_KINDS
from crawler.extract.clang.declarations import Declaration
from crawler.model import GlobalVariable

# patterns, since libclang has no kind of attribute for either
_REFERENCE: Final = re.compile(r"\b(texture|surface)\s*<")
# behind that a macro may have written it, which only the text shows
_MANAGED: Final = re.compile(r"\b__managed__\b")


def find_device_globals(
    declarations: Iterable[Declaration], sources: SourceFiles
) -> tuple[GlobalVariable, ...]:
    """Return the variables among declarations that are global state, in order; static members
    of classes too.
    """
    variables: list[GlobalVariable] = []
    for declaration in declarations:
        for cursor in _list_variable_cursors(declaration):
            variable = _describe_global(cursor, declaration, sources)
            if variable is not None:
                variables.append(variable)

    return tuple(variables)


def _list_variable_cursors(declaration: Declaration) -> list[Cursor]:
    if declaration.kind == "variable":
        return [declaration.cursor]
    if declaration.cursor.kind not in TYPE_KINDS:
        return []

    return [
        child
        for child in declaration.cursor.get_children()
        if child.kind is CursorKind.VAR_DECL
    ]


def _describe_global(
    cursor: Cursor, declaration: Declaration, sources: SourceFiles
) -> GlobalVariable | None:
    """Return a variable as global state; `None` where it is a constant, or the host's."""
    source = declaration.source
    class_name: tuple[str, ...] = ()
    start, end = declaration.start, declaration.end
    if declaration.kind != "variable":
        class_name = declaration.names[:1]
        start, end = cursor.extent.start.offset, cursor.extent.end.offset

    kind = _kind_of(cursor, source.raw[start:end])
    if not kind:
        return None

    name_parts = (*declaration.namespaces, *class_name, str(cursor.spelling))

    return GlobalVariable(
        name="::".join(name_parts),
        type=str(cursor.type.spelling),
        kind=kind,
        span=source.make_span(start, end),
    )


def _kind_of(cursor: Cursor, text: str) -> str:
    """Return `texture`, `surface`, `managed`, `constant` or `device`; else `""`."""
    reference = _REFERENCE.search(text)
    if reference:
        return reference[1]
    if _MANAGED.search(text):
        return "managed"

    attributes = {
        child.kind for child in cursor.get_children() if child.kind.is_attribute()
    }

    # `__device__ const` holds the same at each launch
    if attributes <= {CursorKind.CUDADEVICE_ATTR}:
        is_constant = cursor.type.is_const_qualified() or "constexpr" in text
        if is_constant:
            return ""

    if CursorKind.CUDACONSTANT_ATTR in attributes:
        return "constant"
    if CursorKind.CUDADEVICE_ATTR in attributes:
        return "device"

    return ""
