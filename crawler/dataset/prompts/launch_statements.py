"""Choose, of what computes a launch, what its configuration needs: a prompt has no tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.brackets import depth_changes
from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.identifiers import IDENTIFIER

_DEPTH_CHANGES: Final = depth_changes()


def select_configuring(setup: str, configuration: str) -> str:
    """Return the statements of a setup that a configuration's names depend on, in order."""
    needed_names = set(IDENTIFIER.findall(configuration))
    statements: list[str] = []
    for statement in reversed(list(_split_statements(setup))):
        if any(_may_set(statement, name) for name in needed_names):
            statements.append(statement)
            needed_names |= set(IDENTIFIER.findall(statement))

    return "\n".join(reversed(statements))


def _split_statements(setup: str) -> Iterator[str]:
    """Yield statements: each ends at the end of a line, outside of all brackets."""
    lines: list[str] = []
    depth = 0
    for line in setup.splitlines():
        code = blank_comments_and_literals(line)
        depth += sum(_DEPTH_CHANGES.get(character, 0) for character in code)
        lines.append(line)
        is_end = depth <= 0 and code.rstrip().endswith((";", "}"))
        if is_end:
            yield "\n".join(lines)
            lines, depth = [], 0

    if lines:
        yield "\n".join(lines)


def _may_set(statement: str, name: str) -> bool:
    """Tell whether a statement declares a name, assigns to it, or hands its address on."""
    # one statement of any project: what seems to set a name stays, and costs a line
    word = rf"(?<![\w.])(?:\*|&|\+\+|--)?{re.escape(name)}"
    change = r"\s*(?:\[[^\]]*\])?(?:\.\w+)*\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)"
    address = rf"&\s*{re.escape(name)}\b"
    declaration = rf"\w[\s*&]+{word}\s*[;,({{\[]"
    pattern = rf"{address}|{word}{change}|{declaration}|{word}(?:\+\+|--)"
    return re.search(pattern, statement) is not None
