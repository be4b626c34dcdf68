"""Write out the elements that the initialiser of a short vector leaves out.

In CUDA `float4` is an aggregate, and `float4 sum = {1}` has zeros behind its first element. HIP's
vectors have constructors: one element is taken for all of them, or refused for being explicit. Read
from masked code: a fragment may stand in a macro or in a branch, where no parser sees a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp import brackets
from crawler.cpp.arguments import split_at_top_level_commas
from crawler.cpp.masked.masked_source import MaskedSource
from crawler.port.hip_mentions import mentions_hip
from crawler.port.interface import PortRule, RuleEdit

# masked code: a type, what it declares, up to the brace; further declarators follow a comma
_DECLARATION: Final = re.compile(
    r"\b(?:u?(?:char|short|int|long|longlong)|float|double)([234])\s+(?=\w)"
)
_DECLARATOR: Final = re.compile(r"\s*\w+\s*((?:\[[^\][{};]*\]\s*)*)(?:=\s*)?(?=\{)")
_DESIGNATION: Final = re.compile(r"\s*\.\s*[A-Za-z_]")
_COMMA: Final = re.compile(r"\s*,")
_ZERO: Final = re.compile(r"\s*0+(?:\.0*)?[fFuU]?\s*")
_MAX_LIST_LENGTH: Final = 1_000
"""Characters of an initialiser, at most."""


class _VectorInitialisers:
    name = "vector_initialisers"
    order = 30
    keeps_lines = False
    example = "void f() { float4 sum = {1}, rest[2] = {0}; }\n"

    def find_edits(
        self, source: MaskedSource, *, is_whole_file: bool
    ) -> Iterator[RuleEdit]:
        if is_whole_file and mentions_hip(source):
            return

        for declaration in _DECLARATION.finditer(source.code):
            element_count = int(declaration[1])
            position = declaration.end()
            while declarator := _DECLARATOR.match(source.code, position):
                opening = declarator.end()
                end = opening + _MAX_LIST_LENGTH
                closing = brackets.closing_in_code(source.code, opening, end)
                if closing < 0:
                    break

                is_array = bool(declarator[1].strip())
                yield from _complete(source, opening, closing, element_count, is_array)
                following = _COMMA.match(source.code, closing + 1)
                if following is None:
                    break
                position = following.end()


def _complete(
    source: MaskedSource, opening: int, closing: int, element_count: int, is_array: bool
) -> Iterator[RuleEdit]:
    """Yield the edit of the list between two braces, if it leaves out elements."""
    items = source.code[opening + 1 : closing].rstrip()
    if not items.strip() or "{" in items or _DESIGNATION.match(items):
        return

    before = source.text[opening : closing + 1]
    if is_array:
        # an element of the array would be made of a number
        if _ZERO.fullmatch(items):
            yield _make_edit(opening, closing + 1, "{}", before, "{}")
        return

    listed = items.removesuffix(",")
    count = len(split_at_top_level_commas(listed))
    if count < element_count:
        # a comment may stand behind the last one
        end = opening + 1 + len(listed)
        zeros = ", 0" * (element_count - count)
        rest = f"{zeros}{source.text[end : closing + 1]}"
        after = f"{source.text[opening:end]}{rest}"
        yield _make_edit(end, closing + 1, rest, before, after)


def _make_edit(
    start: int, end: int, replacement: str, before: str, after: str
) -> RuleEdit:
    return RuleEdit(start, end, replacement, "vector-initialiser", before, after)


PLUGIN: Final[PortRule] = _VectorInitialisers()
