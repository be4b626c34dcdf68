"""Find what the names in a launch stand for, in the code that the launch depends on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.dataset.prompts.launch_statements import split_statements

# a directive of the code that a launch depends on, with the lines that it goes on with
_DIRECTIVE: Final = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n?", re.MULTILINE)
_MACRO_NAME: Final = re.compile(r"[ \t]*#[ \t]*define[ \t]+(\w+)")
# one definition on one line, whatever namespaces are around it
_NAMESPACE: Final = re.compile(r"^(?:inline )?namespace(?: [\w:]+)? ?\{(.*)\}$")
_FUNCTION_NAME: Final = re.compile(
    r"^[\w:<>,&* ]*?[\w>&*] ?[ &*](\w+) ?\([^(){}]*\)[\w ]*\{"
)
_CONSTANT_NAME: Final = re.compile(
    r"^(?:(?:static|inline|const|constexpr|unsigned) )+[\w:<>,* ]*?\b(\w+) ?(?:=|\{)[^;]*;$"
)


def read_definitions(code: str) -> dict[str, str]:
    """Return the macros, constants and functions that code defines, each on one line, by name."""
    code = without_comments(code)
    definitions: dict[str, str] = {}
    for directive in _DIRECTIVE.finditer(code):
        name = _MACRO_NAME.match(directive[0])
        if name:
            text = directive[0].replace("\\\n", " ")
            definitions.setdefault(name[1], " ".join(text.split()))

    for text in _iter_declarations(_DIRECTIVE.sub("\n", code)):
        match = _FUNCTION_NAME.match(text) or _CONSTANT_NAME.match(text)
        if match:
            definitions.setdefault(match[1], text)

    return definitions


def _iter_declarations(code: str) -> Iterator[str]:
    for statement in split_statements(code):
        text = " ".join(statement.split())
        while namespace := _NAMESPACE.match(text):
            text = namespace[1].strip()
        yield text
