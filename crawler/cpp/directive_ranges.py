"""Find directives, braces and semicolons of a file without tokenizing all of it."""

from __future__ import annotations

from crawler.cpp import skim
from crawler.cpp.skim import DIRECTIVE, Sign
from crawler.cpp.source_text import SourceText, cache_per_source


@cache_per_source
def find_structure_marks(source: SourceText) -> tuple[Sign, ...]:
    """Return the signs of a file, in order; what a directive holds is none."""
    return tuple(skim.signs(source.raw))


@cache_per_source
def find_directive_ranges(source: SourceText) -> tuple[tuple[int, int], ...]:
    """Return the range of each directive of a file."""
    return tuple(
        (sign.start, sign.end)
        for sign in find_structure_marks(source)
        if sign.text == DIRECTIVE
    )
