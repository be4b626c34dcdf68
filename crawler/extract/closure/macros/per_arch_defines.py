"""Keep the `#if` around macros that a file defines for some AMD architectures only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from crawler.cpp.directives import conditional_directives, conditionals
from crawler.cpp.files.source_text import SourceText, cache_per_source
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import Macro

# a sieve over raw text, and names in one condition
_AMD_DEVICE: Final = re.compile(r"\b__gfx\d\w*?__\b")
_COMPILER_WORD: Final = re.compile(r"defined|__\w+")
"""What a condition may speak of that no file of a project need define."""


class _DeviceBranch(NamedTuple):
    """The first branch of an `#if` that names devices and nothing of the project."""

    start: int
    end: int
    condition: str
    """The whole directive."""


def render_define(macro: Macro, source: SourceText) -> str:
    """Return the directive that defines a macro, under its condition where it is a flag for
    devices by their names.
    """
    text = macro.text
    if macro.parameters is not None or macro.body.strip():
        return text

    for branch in _find_device_branches(source):
        if branch.start < macro.start < branch.end:
            text = f"{branch.condition}\n{text}\n#endif"

    return text


@cache_per_source
def _find_device_branches(source: SourceText) -> tuple[_DeviceBranch, ...]:
    """Return such branches of a file, the innermost first."""
    if not _AMD_DEVICE.search(source.raw):
        return ()

    return tuple(_iter_device_branches(source))


def _iter_device_branches(source: SourceText) -> Iterator[_DeviceBranch]:
    directives = conditional_directives(source.raw, find_directive_ranges(source))
    for conditional in conditionals(directives):
        opening, *branches = conditional.directives
        condition = source.text_between(opening.start, opening.end).strip()
        if branches and _names_devices_alone(condition):
            yield _DeviceBranch(opening.start, branches[0].start, condition)


def _names_devices_alone(condition: str) -> bool:
    # the first word is `if`
    words = IDENTIFIER.findall(condition)[1:]
    if not _AMD_DEVICE.search(condition):
        return False

    return all(_COMPILER_WORD.fullmatch(word) for word in words)
