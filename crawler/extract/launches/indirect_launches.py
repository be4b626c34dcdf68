"""Explain launches through parameters and variables, by the text of the function round them."""

from __future__ import annotations

import re

from crawler.cpp.files.functions import FunctionDefinition
from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.launch_syntax import LaunchText


def explain_indirect_launch(
    source: SourceText, text: LaunchText, function: FunctionDefinition | None
) -> str:
    """Return a reason where a kernel is launched through a parameter or a variable, else `""`."""
    # `kernel<T><<<…>>>` names a template, no variable
    if function is None or "<" in text.callee:
        return ""
    # `op.kernel<<<…>>>`
    if re.search(r"\.|->", text.callee):
        return f"function-pointer: {text.callee}"
    if _is_parameter(source, text.name, function):
        return f"function-parameter: {text.name}"
    if _is_declared_before(source, text, function):
        return f"function-pointer: {text.name}"

    return ""


# Nothing compiled this text, and its macros may hide any bracket: a declaration is told by what
# stands on both sides of a name, not by a syntax tree.
def _is_parameter(source: SourceText, name: str, function: FunctionDefinition) -> bool:
    """Tell whether a function's head declares a name: `K kernel,` or `void (*kernel)(int)`."""
    head = source.raw[function.start : function.body_start]
    parameters = head[head.find("(") :]
    pattern = rf"[\w>&*)\]]\s*(?:\(\s*\*\s*)?\b{re.escape(name)}\b\s*\)?\s*[,)(=]"

    return re.search(pattern, parameters) is not None


def _is_declared_before(
    source: SourceText, text: LaunchText, function: FunctionDefinition
) -> bool:
    """Tell whether a function declares the launched name: `auto kernel = …`, `Kernel table[2]`."""
    type_before = r"(?:\bauto\b[\s*&]*|\(\s*\*\s*|[\w>]\s*\*\s*|\b[A-Z_a-z]\w*\s+)"
    pattern = rf"{type_before}{re.escape(text.name)}\s*(?:\)\s*\(|=|;|\{{|\[)"
    before = source.raw[function.body_start : text.start]

    return re.search(pattern, before) is not None
