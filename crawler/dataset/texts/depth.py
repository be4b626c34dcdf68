"""Export depths, and the texts and missing parts of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from crawler.dataset.texts.flatten import Flat, flatten_kernel
from crawler.model import HostCode, Kernel, OperatorRole, Origin

MAX_FLAT_TEXTS: Final = 16
"""Template-free texts in one row: some kernels have a thousand instantiations. A folder has one
for each.
"""
TEST_PARTS: Final = ("wrapper", "harness", "tests")
"""What a kernel has once it was run."""

_HOST_ROLES: Final = (
    OperatorRole.PYTHON,
    OperatorRole.BINDING,
    OperatorRole.LAUNCHER,
    OperatorRole.CPU,
)
# What a preprocessor counts in a branch that it skips: there it reads nothing but directives.
_CONDITION: Final = re.compile(r"^[ \t]*#[ \t]*(?:(if)|(endif))", re.MULTILINE)


class Depth(StrEnum):
    """How deep a rendering of an instantiation goes; each holds what those before it hold."""

    PURE = "pure"
    """The kernel alone, template-free: the text to train on."""
    UNIT = "unit"
    """With all that it needs to compile."""
    FULL = "full"
    """With the host code that launches it, from Python inwards, and its tests, as far as they
    are known.
    """


def flatten_first_instantiations(kernel: Kernel) -> tuple[Flat, ...]:
    """Return the template-free texts of a kernel's first instantiations."""
    # what is no template has no instantiation, and one text
    instantiations = kernel.instantiations[:MAX_FLAT_TEXTS] or (None,)
    texts: list[Flat] = []
    for instantiation in instantiations:
        texts.append(flatten_kernel(kernel, instantiation))

    return tuple(texts)


def find_missing_parts(
    kernel: Kernel, depth: Depth, *, has_tests: bool = False
) -> tuple[str, ...]:
    """Return which parts of `depth` a kernel does not have: `unit`, then roles of host code,
    then what tests it.
    """
    missing: list[str] = []
    if kernel.unit is None and depth is not Depth.PURE:
        missing.append("unit")

    if depth is not Depth.FULL:
        return tuple(missing)

    roles = {code.role for code in kernel.host}
    for role in _HOST_ROLES:
        if role not in roles:
            missing.append(role.value)

    if not has_tests:
        missing += TEST_PARTS

    return tuple(missing)


def add_origin_comments(source: str, origins: Sequence[Origin]) -> str:
    """Return a unit with a comment in front of each part that says where it stands; what
    follows its like has none.
    """
    comments: dict[int, str] = {}
    previous = Origin(line=0, path="", first_line=0, last_line=0)

    for origin in origins:
        distance = origin.first_line - previous.last_line
        is_same_file = origin.path == previous.path
        is_adjacent = 0 <= distance <= 1

        if not (is_same_file and is_adjacent):
            path = _to_printable(origin.path)
            comments[origin.line] = f"// {path}:{origin.first_line}"

        previous = origin

    lines: list[str] = []
    for number, line in enumerate(source.split("\n"), 1):
        comment = comments.get(number)
        if comment is not None:
            lines.append(comment)

        lines.append(line)

    return "\n".join(lines)


def _to_printable(text: str) -> str:
    """Return a path as a comment holds it: no path ends the line."""
    characters = (character if character.isprintable() else "?" for character in text)
    return "".join(characters)


def append_host_code(
    unit_source: str, host_code: tuple[HostCode, ...], missing: tuple[str, ...]
) -> str:
    """Return a unit with its host code behind it, guarded: that compiles in its own project
    only.
    """
    lines = [
        unit_source.rstrip("\n"),
        "",
        "// host code of the project, which needs the project's own headers",
    ]
    if missing:
        lines.append(f"// not known: {', '.join(missing)}")

    lines.append("#if 0")

    for code in host_code:
        span = code.span
        name = _to_printable(code.name)
        place = _to_printable(f"{span.path}:{span.line}-{span.end_line}")
        lines += ["", f"// {code.role}: {name}, {place}"]
        lines += _render_host_lines(code)

    lines += ["", "#endif", ""]
    return "\n".join(lines)


def _render_host_lines(code: HostCode) -> list[str]:
    """Return the lines of host code, as comments where `#if 0` would not hide them."""
    lines: list[str] = []
    is_hidden = _may_be_skipped(code)

    for raw_line in code.source.split("\n"):
        line = raw_line.rstrip("\r")
        if not is_hidden:
            line = f"// {line}".rstrip()

        lines.append(line)

    return lines


def _may_be_skipped(code: HostCode) -> bool:
    """Tell whether a preprocessor leaves the code out as a whole: it does not know Python's
    comments.
    """
    if code.role is OperatorRole.PYTHON:
        return False

    depth = 0
    for opening, _ in _CONDITION.findall(code.source):
        if opening:
            depth += 1
        else:
            depth -= 1

        # an `#endif` too many would end ours
        if depth < 0:
            return False

    return depth == 0
