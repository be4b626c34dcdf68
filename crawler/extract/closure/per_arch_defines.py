"""Keep the `#if` around macros that a file defines for some AMD architectures only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.directive_ranges import find_directive_ranges
from crawler.cpp.preprocessor.macros import Macro
from crawler.cpp.source_text import SourceText, cache_per_source

_CONDITIONAL: Final = re.compile(
    r"#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b"
)
_FLAG: Final = re.compile(r"#[ \t]*define[ \t]+\w+[ \t]*(?://[^\n]*)?")
_DEVICE: Final = re.compile(r"\b__gfx\d\w*?__\b")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
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
    opened: list[tuple[int, str] | None] = []
    for start, end in find_directive_ranges(source):
        told = _CONDITIONAL.match(source.raw, start)
        if told is None:
            continue
        if told[1] in ("if", "ifdef", "ifndef"):
            opened.append((start, source.text_between(start, end).strip()))
        elif opened:
            begun = opened.pop()
            if begun and _names_devices(begun[1]):
                yield begun[0], start, begun[1]
            if told[1] != "endif":
                opened.append(None)


def _names_devices(condition: str) -> bool:
    words = _WORD.findall(condition)[1:]
    return bool(_DEVICE.search(condition)) and all(
        _COMPILERS.fullmatch(word) for word in words
    )
