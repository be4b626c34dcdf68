"""Add the `typename` that nvcc lets template arguments omit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from crawler.cpp.files.source_text import SourceText, cache_per_source

# A declaration as it is written, and for the last two whole files, of which only names are wanted:
# clang stops at the first missing `typename`, and tree-sitter takes `T::type` for a value just
# as well: only the names tell
_TYPE_PARAMETER: Final = re.compile(r"\b(?:typename|class)\s+([A-Za-z_]\w*)\b(?!\s*::)")
_MEMBER_ARGUMENT: Final = re.compile(
    r"\b(\w+\s*<\s*)(([A-Za-z_]\w*)(?:::[A-Za-z_]\w*)*::([A-Za-z_]\w*))(?=\s*[,>])"
)
_TYPE_NAME: Final = re.compile(r"\busing\s+([A-Za-z_]\w*)\s*=")
_VALUE_NAME: Final = re.compile(
    r"\b(?:constexpr|const|static)\b[\w\s:<>,*&]{0,120}?\b([A-Za-z_]\w*)\s*[={;(]"
)


def find_type_only_names(sources: Iterable[SourceText]) -> frozenset[str]:
    """Return the names that some files give to types and to nothing else."""
    type_names: set[str] = set()
    value_names: set[str] = set()

    for source in sources:
        types_of_file, values_of_file = _find_named(source)
        type_names |= types_of_file
        value_names |= values_of_file

    unambiguous_names = type_names - value_names
    return frozenset(unambiguous_names)


def insert_typename(text: str, type_names: Collection[str]) -> str:
    """Return a declaration with `typename` in front of template arguments that are types.

    `find<Traits::type>` becomes `find<typename Traits::type>` where `Traits` is a parameter and
    `type` one of `type_names`.
    """
    if "::" not in text:
        return text

    parameters = frozenset(_TYPE_PARAMETER.findall(text))
    if not parameters:
        return text

    def add_typename(member: re.Match[str]) -> str:
        opening, argument, scope, name = member.groups()
        # what a value is called needs no word
        if scope not in parameters:
            return member[0]
        if name not in type_names:
            return member[0]

        return f"{opening}typename {argument}"

    return _MEMBER_ARGUMENT.sub(add_typename, text)


@cache_per_source
def _find_named(source: SourceText) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a file gives to types, and those that it gives to values."""
    if "using" not in source.raw:
        return frozenset(), frozenset()

    types = _TYPE_NAME.findall(source.raw)
    values = _VALUE_NAME.findall(source.raw)
    return frozenset(types), frozenset(values)
