"""Collect the words of a unit that a compiler for another device may see alone."""

from __future__ import annotations

from crawler.cpp.directives import conditional_directives, conditionals
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.ladder.unit_check import UNIT_PATH


def collect_conditional_words(text: str) -> frozenset[str]:
    """Return the words between the conditional directives of a text, and those of macros among
    them.
    """
    source = SourceText(UNIT_PATH, text.encode("latin-1", "replace"))
    directives = conditional_directives(source.raw, find_directive_ranges(source))
    words: set[str] = set()
    for conditional in conditionals(directives):
        words |= source.names_between(conditional.start, conditional.end)

    macros = find_macros(source)
    known_count = -1
    while len(words) != known_count:
        known_count = len(words)
        for macro in macros:
            if macro.name in words:
                words |= macro.used_names

    return frozenset(words)
