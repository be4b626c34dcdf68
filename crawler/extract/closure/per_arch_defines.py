"""Keep the `#if` around macros that a file defines for some AMD architectures only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.directives import conditional_directives, conditionals
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import Macro
from crawler.cpp.source_text import SourceText, cache_per_source
from crawler.cpp.structure_marks import find_directive_ranges

_FLAG: Final = re.compile(r"#[ \t]*define[ \t]+\w+[ \t]*(?://[^\n]*)?")
_DEVICE: Final = re.compile(r"\b__gfx\d\w*?__\b")
_COMPILERS: Final = re.compile(r"defined|__\w+")
"""What a condition may speak of that no file of a project need define."""


def render_define(macro: Macro, source: SourceText) -> str:
    """Return the directive that defines a macro, under its condition where it is a flag for
    devices by their names.
    """
    if not _FLAG.fullmatch(macro.text.strip()):
        return macro.text
    text = macro.text
    for start, end, condition in _by_devices(source):
        text = f"{condition}\n{text}\n#endif" if start < macro.start < end else text
    return text


@cache_per_source
def _by_devices(source: SourceText) -> tuple[tuple[int, int, str], ...]:
    """Return the first branches that name devices and nothing of the project, the innermost
    first.
    """
    return tuple(_found(source)) if _DEVICE.search(source.raw) else ()


def _found(source: SourceText) -> Iterator[tuple[int, int, str]]:
    for one in conditionals(
        conditional_directives(source.raw, find_directive_ranges(source))
    ):
        first, *others = one.directives
        condition = source.text_between(first.start, first.end).strip()
        if others and _names_devices(condition):
            yield first.start, others[0].start, condition


def _names_devices(condition: str) -> bool:
    words = IDENTIFIER.findall(condition)[1:]
    return bool(_DEVICE.search(condition)) and all(
        _COMPILERS.fullmatch(word) for word in words
    )
