"""Template head, attributes and parameters of a kernel, from the AST or from its text."""

from __future__ import annotations

import re
from typing import Any, Final

from clang.cindex import CursorKind

from crawler.cpp.comments import blank_comments
from crawler.cpp.source_text import SourceText
from crawler.model import Parameter, TemplateParameter

TEMPLATE_PARAMETER_KINDS: Final = {
    CursorKind.TEMPLATE_TYPE_PARAMETER: "type",
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER: "value",
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER: "template",
}


def extract_template_head(head: str) -> str:
    """Return `template <…>` of a head; empty where there is none."""
    code = blank_comments(head)
    at = code.find("template")
    if at < 0:
        return ""
    depth = 0
    for position in range(at, len(code)):
        depth += (code[position] == "<") - (code[position] == ">")
        if code[position] == ">" and depth == 0:
            return head[at : position + 1]
    return ""


def extract_head_attributes(head: str) -> tuple[str, ...]:
    """Return launch bounds and linkage as they are written."""
    found = re.findall(
        r"__launch_bounds__\s*\([^;{]*?\)(?=\s)|__cluster_dims__\s*\([^)]*\)|\bstatic\b|\binline\b",
        head,
    )
    external = ['extern "C"'] if 'extern "C"' in head else []
    return tuple(dict.fromkeys((*external, *found)))


def read_parameter(cursor: Any) -> Parameter:
    """Return a parameter as the compiler resolved it."""
    kind = cursor.type
    pointee = kind.get_pointee()
    qualifiers = {
        "pointer": kind.kind.name == "POINTER",
        "reference": kind.kind.name in ("LVALUEREFERENCE", "RVALUEREFERENCE"),
        "const": pointee.is_const_qualified() or kind.is_const_qualified(),
        "restrict": kind.is_restrict_qualified(),
    }
    return Parameter(
        name=cursor.spelling,
        type=kind.spelling,
        canonical_type=kind.get_canonical().spelling,
        qualifiers=tuple(name for name, holds in qualifiers.items() if holds),
    )


def parse_parameter_text(text: str) -> Parameter:
    """Return a parameter by its text alone."""
    match = re.match(r"(.*?)([A-Za-z_]\w*)?\s*(?:=.*)?$", text, re.DOTALL)
    kind, name = (match.group(1).strip(), match.group(2) or "") if match else (text, "")
    marks = {
        "pointer": "*" in kind,
        "reference": "&" in kind,
        "const": "const" in kind,
        "restrict": "restrict" in kind,
    }
    return Parameter(
        name=name,
        type=kind or name,
        qualifiers=tuple(mark for mark, holds in marks.items() if holds),
    )


def template_parameter_cursors(cursor: Any) -> list[Any]:
    """Return the cursors of a template's parameters."""
    return [
        child
        for child in cursor.get_children()
        if child.kind in TEMPLATE_PARAMETER_KINDS
    ]


def read_template_parameter(cursor: Any, source: SourceText) -> TemplateParameter:
    """Return a template parameter with its default as it is written."""
    text = source.text_between(cursor.extent.start.offset, cursor.extent.end.offset)
    kind = TEMPLATE_PARAMETER_KINDS[cursor.kind]
    default = text.split("=", 1)[1].strip() if "=" in text else ""
    return TemplateParameter(
        name=cursor.spelling,
        kind=kind,
        type=cursor.type.spelling if kind == "value" else "",
        default=default,
    )
