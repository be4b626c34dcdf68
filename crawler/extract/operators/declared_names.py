"""Read what the text in front of a brace names: a function, a class or a namespace."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from crawler.cpp.arguments import INNERMOST_ANGLES

# A head alone is too little for a syntax tree, and every file of a project has thousands: each is
# code without comments, literals and directives, of which a few words are wanted.
_SCOPE_NAME: Final = re.compile(
    r"\b(?:namespace|class|struct|union)\s++(?:\w++\s*+\([^()]*+\)\s*+)?([\w:]+)[^;{}]*+$"
)
# possessive: what a directive left blank may be as long as the file
_CALLED_NAME: Final = re.compile(
    r"(operator\s*+[^\s\w(]++|operator\s*+\(\s*+\)|[\w:~]++)\s*+(?:<[^<>()]*+>\s*+)?\("
)
_EMPTY_ARGUMENTS: Final = re.compile(r"\(\s*+\)")
_LAST_QUALIFIED_NAME: Final = re.compile(r"(?<![\w:])[\w:]+$")
_CLASS_KEYWORD: Final = re.compile(r"\b(?:class|struct|union)\b")
_UNNAMED_NAMESPACE: Final = re.compile(r"\bnamespace\s*+$")
_INTERNAL_KEYWORD: Final = re.compile(
    r"\b(?:static|inline|__inline__|__forceinline__)\b"
)
_MAX_NESTED_ANGLES: Final = 4


class ScopeHead(NamedTuple):
    """A namespace or a class round functions."""

    name: str
    """Empty for one without a name."""
    is_class: bool
    is_internal: bool
    """Whether it is a namespace without a name, which hides from other files what is in it."""


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


def read_scope_head(head: str) -> ScopeHead:
    """Return what a head says of the namespace or class that it opens."""
    # twice: template arguments may hold template arguments
    without_angles = INNERMOST_ANGLES.sub("", INNERMOST_ANGLES.sub("", head))
    name = _SCOPE_NAME.search(without_angles)

    return ScopeHead(
        name=name[1] if name else "",
        is_class=_CLASS_KEYWORD.search(without_angles) is not None,
        is_internal=_UNNAMED_NAMESPACE.search(head) is not None,
    )


def has_internal_linkage(head: str) -> bool:
    """Return whether a head declares a function that is its file's own, or each file's."""
    return _INTERNAL_KEYWORD.search(head) is not None


def _strip_angles(text: str) -> str:
    """Return a text without template arguments, nested ones included."""
    stripped = text
    for _ in range(_MAX_NESTED_ANGLES):
        text, stripped = stripped, INNERMOST_ANGLES.sub("", stripped)
        if stripped == text:
            break

    return stripped
