"""Blank macros that nothing names, and scopes and conditionals that hold nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final

from crawler.cpp.comments import blank_comments_and_literals
from crawler.cpp.directives import (
    conditional_directives,
    directive_name,
    directive_words,
)
from crawler.cpp.edits import blank_ranges
from crawler.cpp.files.source_text import SourceText
from crawler.cpp.files.structure_marks import find_directive_ranges
from crawler.cpp.identifiers import IDENTIFIER
from crawler.cpp.preprocessor.macros import Macro, find_macros
from crawler.cpp.preprocessor.token_pasting import find_pastable_names

# literals are blanked before: the second is `extern "C" { }`
_EMPTY_SCOPE: Final = re.compile(
    r"(?:\binline\s+)?\bnamespace\b(?:\s+[A-Za-z_][\w:]*)?\s*\{\s*\}"
    r"|\bextern\s*\{\s*\}"
)
# an `#if` with all its branches, and nothing but blanks in them
_EMPTY_CONDITIONAL: Final = re.compile(
    r"^[ \t]*#[ \t]*if(?:n?def)?\b(?:[^\n\\]|\\.|\\\n)*\n"
    r"(?:\s*#[ \t]*(?:else\b|elif)(?:[^\n\\]|\\.|\\\n)*\n)*"
    r"\s*#[ \t]*endif\b[^\n]*",
    re.MULTILINE,
)


def blank_unused_macros(source: SourceText, text: str, words: set[str]) -> str:
    """Blank macros that nothing names, and scopes and conditionals that hold nothing."""
    macros = find_macros(source)
    undefinitions = [
        (name, start, end)
        for start, end in find_directive_ranges(source)
        if directive_name(source.raw, start) == "undef"
        for name in directive_words(source.raw, start, end)[1:2]
    ]
    previous_text = ""
    while text != previous_text:
        previous_text = text
        named = words | _list_condition_words(source, text)
        named |= _list_macro_words(macros, named)
        unneeded = [
            (macro.start, macro.end) for macro in macros if macro.name not in named
        ]
        unneeded += [
            (start, end) for name, start, end in undefinitions if name not in named
        ]
        text = blank_ranges(text, unneeded)
        text = blank_empty_scopes(text)

    return text


def _list_condition_words(source: SourceText, text: str) -> set[str]:
    """Return the names in the conditions that are left in a text."""
    words: set[str] = set()
    directives = find_directive_ranges(source)
    for directive in conditional_directives(source.raw, directives):
        words.update(IDENTIFIER.findall(text[directive.condition : directive.end]))

    return words


def _list_macro_words(macros: Sequence[Macro], words: Collection[str]) -> set[str]:
    """Return the names that macros of these names use, and those in turn."""
    sorted_names = sorted({macro.name for macro in macros})
    used_names: dict[str, set[str]] = defaultdict(set)
    for macro in macros:
        used_names[macro.name] |= macro.used_names
        used_names[macro.name] |= find_pastable_names(macro, sorted_names)

    all_words = set(words)
    pending = all_words & used_names.keys()
    while pending:
        new_words = set().union(*(used_names[name] for name in pending)) - all_words
        all_words |= new_words
        pending = new_words & used_names.keys()

    return all_words


def blank_empty_scopes(text: str) -> str:
    """Blank scopes and conditionals without content, inner ones before those round them."""
    while True:
        code = blank_comments_and_literals(text)
        empty_ranges = [match.span() for match in _EMPTY_SCOPE.finditer(code)]
        empty_ranges += [match.span() for match in _EMPTY_CONDITIONAL.finditer(code)]
        if not empty_ranges:
            return text

        text = blank_ranges(text, empty_ranges)
