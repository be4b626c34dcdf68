"""Template head, attributes and parameters of a kernel, from the AST or from its text."""

from __future__ import annotations

import re
from typing import Final

from clang.cindex import CursorKind

from crawler.cpp.comments import blank_comments
from crawler.cpp.files.source_text import SourceText
from crawler.extract.clang.cursor import Cursor
from crawler.model import Parameter, TemplateParameter

TEMPLATE_PARAMETER_KINDS: Final = {
    CursorKind.TEMPLATE_TYPE_PARAMETER: "type",
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER: "value",
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER: "template",
}
# the arguments are copied as they are written, so a syntax tree would tell no more
_ATTRIBUTE: Final = re.compile(
    r"__launch_bounds__\s*\([^;{]*?\)(?=\s)|__cluster_dims__\s*\([^)]*\)|\bstatic\b|\binline\b"
)
# one parameter, cut out of its list by tokens; what is wanted is the last name in it
_TYPE_AND_NAME: Final = re.compile(r"(.*?)([A-Za-z_]\w*)?\s*(?:=.*)?$", re.DOTALL)


def extract_template_head(head: str) -> str:
    """Return `template <…>` of a head; empty where there is none."""
    code = blank_comments(head)
    start = code.find("template")
    if start < 0:
        return ""

    # every angle counts: a default such as `(a > b)` ends the head early
    depth = 0
    for position in range(start, len(code)):
        character = code[position]
        depth += (character == "<") - (character == ">")
        if character == ">" and depth == 0:
            return head[start : position + 1]

    return ""


def extract_head_attributes(head: str) -> tuple[str, ...]:
    """Return launch bounds and linkage as they are written."""
    attributes: list[str] = []
    if 'extern "C"' in head:
        attributes.append('extern "C"')

    attributes += _ATTRIBUTE.findall(head)
    return tuple(dict.fromkeys(attributes))


def read_parameter(cursor: Cursor) -> Parameter:
    """Return a parameter as the compiler resolved it."""
    parameter_type = cursor.type
    type_kind = parameter_type.kind.name
    pointee = parameter_type.get_pointee()

    holds_by_qualifier = {
        "pointer": type_kind == "POINTER",
        "reference": type_kind in ("LVALUEREFERENCE", "RVALUEREFERENCE"),
        "const": pointee.is_const_qualified() or parameter_type.is_const_qualified(),
        "restrict": parameter_type.is_restrict_qualified(),
    }

    return Parameter(
        name=cursor.spelling,
        type=parameter_type.spelling,
        canonical_type=parameter_type.get_canonical().spelling,
        qualifiers=_list_qualifiers(holds_by_qualifier),
    )


def parse_parameter_text(text: str) -> Parameter:
    """Return a parameter by its text alone."""
    match = _TYPE_AND_NAME.match(text)
    parameter_type = match[1].strip() if match else text
    name = (match[2] or "") if match else ""

    holds_by_qualifier = {
        "pointer": "*" in parameter_type,
        "reference": "&" in parameter_type,
        "const": "const" in parameter_type,
        "restrict": "restrict" in parameter_type,
    }

    return Parameter(
        name=name,
        type=parameter_type or name,
        qualifiers=_list_qualifiers(holds_by_qualifier),
    )


def template_parameter_cursors(cursor: Cursor) -> list[Cursor]:
    """Return the cursors of a template's parameters."""
    return [
        child
        for child in cursor.get_children()
        if child.kind in TEMPLATE_PARAMETER_KINDS
    ]


def read_template_parameter(cursor: Cursor, source: SourceText) -> TemplateParameter:
    """Return a template parameter with its default as it is written."""
    extent = cursor.extent
    text = source.text_between(extent.start.offset, extent.end.offset)
    kind = TEMPLATE_PARAMETER_KINDS[cursor.kind]
    default = text.split("=", 1)[1].strip() if "=" in text else ""

    return TemplateParameter(
        name=cursor.spelling,
        kind=kind,
        type=cursor.type.spelling if kind == "value" else "",
        default=default,
    )


def _list_qualifiers(holds_by_qualifier: dict[str, bool]) -> tuple[str, ...]:
    return tuple(qualifier for qualifier, holds in holds_by_qualifier.items() if holds)
