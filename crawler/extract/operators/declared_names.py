"""Read what the text in front of a brace names: a function, a class or a namespace."""

from __future__ import annotations

import re
from typing import Final

_SCOPE_NAME: Final = re.compile(
    r"\b(?:namespace|class|struct|union)\s++(?:\w++\s*+\([^()]*+\)\s*+)?([\w:]+)[^;{}]*+$"
)
# possessive: what a directive left blank may be as long as the file
_CALLED_NAME: Final = re.compile(
    r"(operator\s*+[^\s\w(]++|operator\s*+\(\s*+\)|[\w:~]++)\s*+(?:<[^<>()]*+>\s*+)?\("
)
_ANGLES: Final = re.compile(r"<[^<>]*>")
_EMPTY_ARGUMENTS: Final = re.compile(r"\(\s*+\)")
_LAST_QUALIFIED_NAME: Final = re.compile(r"(?<![\w:])[\w:]+$")
_MAX_NESTED_ANGLES: Final = 4


def read_function_name(head: str) -> str:
    """Return the name of the function that a head declares; empty where it declares none.

    It has the class that the head names, and no template arguments: `Tool::run`.
    """
    call = _CALLED_NAME.search(head)
    if call is None:
        return ""

    name = "".join(call[1].split())
    if name.endswith("::operator") and _EMPTY_ARGUMENTS.match(head, call.end() - 1):
        name += "()"

    # the name was found from behind the arguments on: `Tool<T>` stands in front of `::run`
    before = head[: call.start()].rstrip()
    if not name.startswith("::") or not before.endswith(">"):
        return name.removeprefix("::")

    class_name = _LAST_QUALIFIED_NAME.search(_strip_angles(before))
    return f"{class_name[0]}{name}" if class_name else name.removeprefix("::")


def read_scope_name(head: str) -> str:
    """Return the name of a namespace or class; empty for an anonymous one."""
    # twice: template arguments may hold template arguments
    without_angles = _ANGLES.sub("", _ANGLES.sub("", head))
    name = _SCOPE_NAME.search(without_angles)
    return name[1] if name else ""


def _strip_angles(text: str) -> str:
    """Return a text without template arguments, nested ones included."""
    stripped = text
    for _ in range(_MAX_NESTED_ANGLES):
        text, stripped = stripped, _ANGLES.sub("", stripped)
        if stripped == text:
            break

    return stripped
