"""Variables that a function's body may use and does not declare, by libclang's syntax tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clang.cindex import CursorKind

from crawler.extract.clang import type_printer
from crawler.extract.clang.cursor import Cursor
from crawler.extract.clang.cursor_queries import (
    get_specialized_template,
    list_child_cursors,
)
from crawler.extract.clang.parse import file_location
from crawler.extract.clang.signature import TEMPLATE_PARAMETER_KINDS
from crawler.extract.clang.template_bindings import take_bindings
from crawler.extract.launches.setup.clang_variables import (
    list_parameters,
    read_type,
    read_variable,
)
from crawler.extract.launches.setup.statement import TYPENAME
from crawler.model import Parameter

_CLASS_KINDS: Final = (
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.CLASS_TEMPLATE,
    CursorKind.CLASS_TEMPLATE_PARTIAL_SPECIALIZATION,
)


def list_outer_variables(function: Cursor) -> list[Parameter]:
    """Return the parameters of a function, of its templates, and the members of its class.

    Of a specialisation the types are as the template has them, and resolved beside that.
    """
    variables = _list_written_parameters(function)
    # those of the outermost template come first
    arguments = list(type_printer.print_template_arguments(function) or ())
    scope: Cursor | None = function
    while scope is not None and scope.kind is not CursorKind.TRANSLATION_UNIT:
        variables += _list_template_parameters(scope, arguments)
        if scope.kind in _CLASS_KINDS:
            variables += _list_members(scope)
        scope = scope.semantic_parent

    return variables


@dataclass(frozen=True, slots=True)
class MemberDefinition:
    """A type or a constant that a class defines; offsets in the file of its functions."""

    name: str
    start: int
    end: int


def list_member_definitions(function: Cursor) -> list[MemberDefinition]:
    """Return the types and constants of a function's class, where the same file has both."""
    scope = function.semantic_parent
    if scope is None or scope.kind not in _CLASS_KINDS:
        return []

    file_name, _ = file_location(function.location)
    definitions: list[MemberDefinition] = []
    for child in list_child_cursors(scope):
        is_constant = child.kind is CursorKind.VAR_DECL and (
            child.type.is_const_qualified()
        )
        is_type = child.kind in (CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL)
        if not is_constant and not is_type:
            continue

        child_file, start = file_location(child.extent.start)
        _, end = file_location(child.extent.end)
        if child_file == file_name and start < end:
            definitions.append(MemberDefinition(child.spelling, start, end))

    return definitions


def _list_members(scope: Cursor) -> list[Parameter]:
    members: list[Parameter] = []
    for child in list_child_cursors(scope):
        if child.kind in (CursorKind.FIELD_DECL, CursorKind.VAR_DECL):
            members.append(read_variable(child))
        elif child.kind in (CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPEDEF_DECL):
            members.append(read_type(child))

    return members


def _list_written_parameters(function: Cursor) -> list[Parameter]:
    parameters = list_parameters(function)
    template = get_specialized_template(function)
    written = list_parameters(template) if template is not None else []
    # a pack has more parameters than its template writes
    if len(written) != len(parameters):
        return parameters

    return [
        Parameter(
            name=parameter.name,
            type=pattern.type,
            canonical_type=parameter.canonical_type,
        )
        for parameter, pattern in zip(parameters, written, strict=True)
    ]


def _list_template_parameters(scope: Cursor, arguments: list[str]) -> list[Parameter]:
    """Return the template parameters of a scope; their arguments are taken off the end."""
    return [
        Parameter(
            name=cursor.spelling,
            type=_describe_template_parameter(cursor),
            canonical_type=argument,
        )
        for cursor, argument in take_bindings(scope, arguments)
    ]


def _describe_template_parameter(cursor: Cursor) -> str:
    kind = TEMPLATE_PARAMETER_KINDS[cursor.kind]
    return f"constexpr {cursor.type.spelling}" if kind == "value" else TYPENAME
