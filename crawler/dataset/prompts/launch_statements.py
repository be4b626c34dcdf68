"""Choose the statements that compute a launch, and read what they give a local variable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.brackets import depth_changes
from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.identifiers import IDENTIFIER

_DEPTH_CHANGES: Final = depth_changes()
# one statement on one line that gives no value: `dim3 block, grid;`
_DECLARATION: Final = re.compile(r"dim3 \w+(?:, ?\w+)*;")


def select_configuring(setup: str, configuration: str) -> str:
    """Return the statements of a setup that a configuration's names depend on, in order."""
    needed_names = set(IDENTIFIER.findall(configuration))
    statements: list[str] = []
    for statement in reversed(list(split_statements(setup))):
        if any(_may_set(statement, name) for name in needed_names):
            statements.append(statement)
            needed_names |= set(IDENTIFIER.findall(statement))

    return "\n".join(reversed(statements))


def resolve_variable(setup: str, expression: str) -> str:
    """Return the value of a launch's local variable: `dim3(n / 64, 2)` for `grid`.

    Anything but a variable is returned as it is, and so is one that is set more than once.
    """
    name = expression.strip()
    if not IDENTIFIER.fullmatch(name):
        return expression

    settings = [
        " ".join(statement.split())
        for statement in split_statements(setup)
        if _may_set(statement, name)
    ]
    # `dim3 grid;`, then a statement for each of `grid.x`, `grid.y`, …
    if settings and _DECLARATION.fullmatch(settings[0]):
        settings = settings[1:]
    members = [_match_member(setting, name) for setting in settings]
    values = {member[0]: member[1] for member in members if member}
    if settings and len(values) == len(settings):
        return f"dim3({', '.join(values.get(axis, '1') for axis in 'xyz')})"
    if len(settings) != 1:
        return expression

    return _read_initialiser(settings[0], name) or expression


def _match_member(setting: str, name: str) -> tuple[str, str] | None:
    # one statement of any project, on one line: `grid.x = (n + 63) / 64;`
    match = re.fullmatch(rf"{re.escape(name)}\.([xyz]) = ([^;=]+);", setting)
    return (match[1], match[2]) if match else None


def _read_initialiser(setting: str, name: str) -> str:
    """Return the value that a statement gives a variable; empty where it does anything else."""
    # one statement, on one line: `const dim3 grid(a, b);`, `int blocks = (n + 63) / 64;`
    word = re.escape(name)
    match = re.fullmatch(
        rf"(?:const )?(?:(dim3|auto|(?:unsigned )?(?:int|long)|size_t|u?int\d+_t) )?"
        rf"(?:const )?{word}(?: = ([^;{{}}]+)|\(([^;{{}}]+)\)|(?: =)? ?\{{([^;{{}}]+)\}});",
        setting,
    )
    if match is None:
        return ""
    if match[2]:
        return match[2]

    arguments = match[3] or match[4]
    return f"dim3({arguments})" if match[1] == "dim3" else arguments


def split_statements(setup: str) -> Iterator[str]:
    """Yield the statements of a setup: each ends at the end of a line, outside of all brackets."""
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
