"""Export depths, and the texts and missing parts of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import chain
from typing import Final

from crawler.dataset.texts.flatten import Flat, flatten_kernel
from crawler.model import HostCode, Kernel, OperatorRole, Origin

MAX_FLAT_TEXTS: Final = 16
"""Template-free texts in one row: some kernels have a thousand instantiations. A folder has one
for each.
"""
_TESTS: Final = ("wrapper", "harness", "tests")
"""What a kernel has once it was run."""

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
    return tuple(
        flatten_kernel(kernel, one)
        for one in (kernel.instantiations[:MAX_FLAT_TEXTS] or (None,))
    )


def find_missing_parts(
    kernel: Kernel, depth: Depth, *, has_tests: bool = False
) -> tuple[str, ...]:
    """Return which parts of `depth` a kernel does not have: `unit`, then roles of host code,
    then what tests it.
    """
    missing = ["unit"] if kernel.unit is None and depth is not Depth.PURE else []
    if depth is Depth.FULL:
        roles = {code.role for code in kernel.host}
        wanted = (
            OperatorRole.PYTHON,
            OperatorRole.BINDING,
            OperatorRole.LAUNCHER,
            OperatorRole.CPU,
        )
        missing += [role.value for role in wanted if role not in roles]
        missing += () if has_tests else _TESTS
    return tuple(missing)


def add_origin_comments(source: str, origins: Sequence[Origin]) -> str:
    """Return a unit with a comment in front of each part that says where it stands; what
    follows its like has none.
    """
    lines = source.split("\n")
    behind = Origin(line=0, path="", first_line=0, last_line=0)
    comments = {}
    for origin in origins:
        if (
            origin.path != behind.path
            or not 0 <= origin.first_line - behind.last_line <= 1
        ):
            comments[origin.line] = f"// {_told(origin.path)}:{origin.first_line}"
        behind = origin
    told = (
        [comments[at], line] if at in comments else [line]
        for at, line in enumerate(lines, 1)
    )
    return "\n".join(chain.from_iterable(told))


def _told(text: str) -> str:
    """Return a path as a comment holds it: no path ends the line."""
    return "".join(character if character.isprintable() else "?" for character in text)


def append_host_code(
    unit_source: str, host_code: tuple[HostCode, ...], missing: tuple[str, ...]
) -> str:
    """Return a unit with its host code behind it, guarded: that compiles in its own project
    only.
    """
    parts = [
        unit_source.rstrip("\n"),
        "",
        "// host code of the project, which needs the project's own headers",
    ]
    if missing:
        parts.append(f"// not known: {', '.join(missing)}")
    parts.append("#if 0")
    for code in host_code:
        place = f"{code.span.path}:{code.span.line}-{code.span.end_line}"
        parts += ["", f"// {code.role}: {_told(code.name)}, {_told(place)}"]
        lines = [line.rstrip("\r") for line in code.source.split("\n")]
        parts += (
            lines
            if _may_be_skipped(code)
            else [f"// {line}".rstrip() for line in lines]
        )
    return "\n".join([*parts, "", "#endif", ""])


def _may_be_skipped(code: HostCode) -> bool:
    """Tell whether a preprocessor leaves the code out as a whole: it does not know Python's
    comments.
    """
    depth = 0
    for opens, closes in _CONDITION.findall(code.source):
        depth += bool(opens) - bool(closes)
        if depth < 0:
            return False
    return depth == 0 and code.role is not OperatorRole.PYTHON
