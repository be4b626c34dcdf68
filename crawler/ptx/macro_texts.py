"""Find the macros of a text that stand for one string of inline assembly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.hip import preprocessor_branches

# string literals in a row, of which a macro's text consists
STRING_CONTENT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
# masked code, in which each directive is one line
_MACRO_DEFINITION: Final = re.compile(
    r"^[ \t]*+#[ \t]*+define[ \t]++(\w+)(?=[ \t])", re.MULTILINE
)
# In masked code a string is a row of quotes: strings and nothing else, up to the line's end.
_STRINGS_ONLY: Final = re.compile(r"[ \t]*\"[ \t\"]*$", re.MULTILINE)


def find_macro_texts(source: MaskedSource) -> frozenset[tuple[str, str]]:
    """Return the macros that stand for one text, as far as AMD's compiler sees their
    definitions, and that text.
    """
    texts: dict[str, set[str]] = {}
    for name, text in _find_seen_definitions(source):
        texts.setdefault(name, set()).add(text)

    macro_texts = set()
    for name, alternatives in texts.items():
        # by two definitions a macro may be either
        if len(alternatives) != 1:
            continue

        (text,) = alternatives
        if text:
            macro_texts.add((name, text))

    return frozenset(macro_texts)


def _find_seen_definitions(source: MaskedSource) -> Iterator[tuple[str, str]]:
    """Yield each macro that AMD's compiler may see, and its text; empty where it is no string."""
    definitions: dict[int, re.Match[str]] = {}
    for definition in _MACRO_DEFINITION.finditer(source.code):
        line_start = source.code.rfind("\n", 0, definition.start(1))
        definitions[line_start] = definition

    if not definitions:
        return

    dead_ranges = preprocessor_branches.find_dead_ranges(source)
    places = [(definition[1], place) for place, definition in definitions.items()]
    for name, place in preprocessor_branches.exclude_ranges(dead_ranges, places):
        definition_end = definitions[place].end()
        yield name, _read_strings(source, definition_end)


def _read_strings(source: MaskedSource, start: int) -> str:
    """Return the strings that alone make up the rest of a line, joined; empty for another."""
    line = _STRINGS_ONLY.match(source.code, start)
    if line is None:
        return ""

    # Spliced line ends and comments are blank in the code, and not in the text.
    characters = []
    for offset in range(*line.span()):
        if source.code[offset] != " ":
            characters.append(source.text[offset])

    strings = STRING_CONTENT.findall("".join(characters))
    return "".join(strings)
