"""Variables that a declaration declares, by libclang's syntax tree."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from clang import cindex
from clang.cindex import CursorKind

from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import list_child_cursors
from crawler.extract.clang.parse import file_location
from crawler.extract.launches.setup.statement import TYPENAME, TextRange
from crawler.model import Parameter

_TYPE_DECLARATIONS: Final = {
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.ENUM_DECL,
}
_UNNAMED_NAMESPACE: Final = "(anonymous namespace)::"
# libclang has no kind for a structured binding: its names stand in the text alone
_BINDINGS: Final = re.compile(r"auto\s*&{0,2}\s*\[([\w\s,]+)\]")
# `CXEval_Int` of libclang
_INTEGER_RESULT: Final = 1


def read_variables(
    cursor: Cursor, source: SourceText, *, is_written: bool = True
) -> Iterator[Parameter]:
    """Yield what a declaration declares: as the file has it, or as a macro makes it."""
    declarations = [cursor]
    if cursor.kind is CursorKind.DECL_STMT:
        declarations = list_child_cursors(cursor)

    for declaration in declarations:
        _, offset = file_location(declaration.location)
        name = declaration.spelling
        is_in_text = bool(name) and source.raw.startswith(name, offset)
        if declaration.kind in _TYPE_DECLARATIONS and is_in_text is is_written:
            yield read_type(declaration)
        elif declaration.kind is CursorKind.VAR_DECL and is_in_text is is_written:
            yield read_variable(declaration)
        elif not is_in_text and is_written:
            yield from _read_bindings(declaration, source)


def _read_bindings(cursor: Cursor, source: SourceText) -> Iterator[Parameter]:
    """Yield the names of `auto [rows, columns] = …`, for which libclang has no kind."""
    start, end = find_file_range(cursor)
    match = _BINDINGS.search(source.raw[start:end])
    names = match[1].split(",") if match else ()
    for name in names:
        yield Parameter(name=name.strip(), type="auto")


def read_type(cursor: Cursor) -> Parameter:
    """Return a type with what it stands for."""
    return Parameter(
        name=cursor.spelling,
        type=TYPENAME,
        canonical_type=_print_canonical(cursor),
    )


def read_variable(cursor: Cursor) -> Parameter:
    """Return a variable with its type as clang prints it."""
    return Parameter(
        name=cursor.spelling,
        type=cursor.type.spelling.replace(_UNNAMED_NAMESPACE, ""),
        canonical_type=_print_canonical(cursor),
    )


def _print_canonical(cursor: Cursor) -> str:
    """Return a type with its aliases resolved; empty where it depends on a template."""
    canonical = cursor.type.get_canonical().spelling
    # a template's own parameter has no name there
    if "type-parameter-" in canonical:
        return ""
    return canonical.replace(_UNNAMED_NAMESPACE, "")


def list_parameters(function: Cursor) -> list[Parameter]:
    """Return the parameters of a function."""
    return [
        read_variable(child)
        for child in list_child_cursors(function)
        if child.kind is CursorKind.PARM_DECL
    ]


def read_macro_variables(cursor: Cursor, source: SourceText) -> Iterator[Parameter]:
    """Yield what a declaration that a macro makes declares, its name perhaps an argument of it.

    A constant number says so, as a template's arguments are computed of it.
    """
    constants = {
        declaration.spelling
        for declaration in list_child_cursors(cursor)
        if declaration.kind is CursorKind.VAR_DECL and _is_constant(declaration)
    }
    for is_written in (True, False):
        for variable in read_variables(cursor, source, is_written=is_written):
            if variable.name in constants:
                kind = variable.canonical_type.removeprefix("const ")
                yield replace(variable, type=f"constexpr {kind}", canonical_type="")
            else:
                yield variable


def _is_constant(variable: Cursor) -> bool:
    """Tell whether a variable is const and the compiler knows its number."""
    if not variable.type.is_const_qualified():
        return False

    library = cindex.conf.lib
    library.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    result = ctypes.c_void_p(library.clang_Cursor_Evaluate(variable))
    if not result:
        return False

    is_integer = library.clang_EvalResult_getKind(result) == _INTEGER_RESULT
    library.clang_EvalResult_dispose(result)
    return bool(is_integer)


def find_file_range(cursor: Cursor) -> TextRange:
    """Return where a cursor's text is written; of what a macro makes, the macro's use."""
    extent = cursor.extent
    return file_location(extent.start)[1], file_location(extent.end)[1]
